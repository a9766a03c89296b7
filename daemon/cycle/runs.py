"""Running an agenda: research, then the notes it makes; taken up again after a stop or a crash."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from daemon.cycle.announce import Announcements
from daemon.cycle.cited import cited_by_notes
from daemon.cycle.knowledge import Progress
from daemon.cycle.proposals import Proposals
from daemon.cycle.spending import Spending, amounts_json
from daemon.findings.digest import Cost, Digest, digest_text
from daemon.findings.inbox import Inbox, record_of
from daemon.findings.outside import source_name
from daemon.findings.render import finding_text
from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.errors import LacunaError, ReplayError, StoppedError, StoreError
from daemon.model.evidence import Answer, Hit, SourceStatus
from daemon.model.finding import Finding, FindingRecord, Skip
from daemon.model.spending import Amounts
from daemon.ports import Embedder, Got, Reranker, Source, Stop
from daemon.research.credibility import Table, our_table
from daemon.research.filters import Filters
from daemon.research.pipeline import News, Parts, RunResult, research
from daemon.research.recall import Retractions as RetractionsBy
from daemon.research.record import NOTHING, said
from daemon.research.replay import replay
from daemon.store.evidence import Rules, RunFolder
from daemon.store.findings import FindingStore
from daemon.store.run_notes import RunNotes, begin_notes, read_notes, save_notes
from daemon.store.runs import RunStatus, RunStore
from daemon.telemetry import span
from vault_adapters.wikilink import Linker, note_name

BY_USER = "you stopped it"
_STOP_POLL_SECONDS = 0.1
_ANSWERED = (SourceStatus.OK, SourceStatus.EMPTY)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outside:
    """What research asks of the outside world, and how that is judged.

    `timeouts` are seconds by source; `table` is what credibility is reckoned from, `retractions`
    knows which papers were taken back; `filters` are the user's hooks that have a say.
    """

    sources: Mapping[str, Source]
    get_document: Callable[[Hit], Awaitable[Got]]
    embedder: Embedder
    timeouts: Mapping[str, float]
    table: Table = field(default_factory=our_table)
    retractions: RetractionsBy = lambda _: {}
    filters: Filters | None = None
    reranker: Reranker | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run."""

    run: str
    agenda: Agenda
    findings: Sequence[FindingRecord]
    skips: Sequence[Skip]
    answers: Sequence[Answer]
    digest: str
    seconds: float
    stopped_early: bool = False
    stopped_why: str = ""  # the budget that ended it; "" when it was the user
    spent: Amounts = NOTHING

    def as_dict(self) -> dict[str, Any]:
        """The shape of `research --json`."""
        return {
            "run": self.run,
            "agenda": self.agenda.id,
            "digest": self.digest,
            "findings": [
                {
                    "id": record.id,
                    "path": record.path,
                    "title": record.title,
                    "source": record.source,
                    "credibility": record.credibility,
                }
                for record in self.findings
            ],
            "skipped": [
                {"title": skip.title, "url": skip.url, "why": skip.why, "note": skip.note}
                for skip in self.skips
            ],
            "sources": summary(self.answers),
            "seconds": round(self.seconds, 3),
            "stopped_early": self.stopped_early,
            "stopped_why": (self.stopped_why or BY_USER) if self.stopped_early else "",
            "spent": amounts_json(self.spent),
        }


class Runs:
    """Turns agendas into notes in the inbox."""

    def __init__(
        self,
        store: RunStore,
        findings: FindingStore,
        proposals: Proposals,
        inbox: Inbox,
        outside: Outside,
        *,
        spending: Spending,
        rules: Rules,
        tz: tzinfo,
    ) -> None:
        self._store = store
        self._findings = findings
        self._knowledge = proposals.knowledge
        self._proposals = proposals
        self._inbox = inbox
        self._outside = outside
        self._spending = spending
        self._rules = rules
        self._tz = tz
        self.announce = Announcements()

    def run(
        self,
        agenda: Agenda,
        *,
        now: datetime,
        stop: Stop,
        progress: Progress | None = None,
        meanwhile: Callable[[], None] = lambda: None,
        news: News = lambda _line: None,
        quietly: bool = False,
    ) -> Ran:
        """Run an agenda to its end, going on where it was interrupted.

        With `quietly` nobody waits for it: what a schedule ran and came to nothing, with nothing
        in its way, is told by one line in its agenda, and has no digest.

        `meanwhile` is called again and again on the caller's thread while the run waits; `news`
        are told each answer and each finding as it is known. When `stop` says that it is enough,
        findings are made of what was gathered by then.

        Raises StoppedError (what was gathered is kept, and the run can be taken up again) and
        whatever else ends it: StoreError, ModelError.
        """
        with span("research.run", tasks=len(agenda.tasks), depth=agenda.depth.value) as measured:
            ran = self._run(agenda, now, stop, progress, meanwhile, news, quietly=quietly)
            measured.set(
                run=ran.run,
                findings=len(ran.findings),
                left_out=len(ran.skips),
                sources=len({answer.source for answer in ran.answers}),
                requests=ran.spent.requests,
                bytes=ran.spent.bytes,
                stopped_early=ran.stopped_early,
            )
        self._tell(ran, now)
        return ran

    def _run(
        self,
        agenda: Agenda,
        now: datetime,
        stop: Stop,
        progress: Progress | None,
        meanwhile: Callable[[], None],
        news: News,
        *,
        quietly: bool,
    ) -> Ran:
        began, since_boot = time.perf_counter(), _since_boot()

        def by_now() -> datetime:
            """Return when it is that a run ends which began at `now`, however long it slept."""
            return now + timedelta(seconds=_since_boot() - since_boot)

        agenda = self._proposals.mark(replace(agenda, status=AgendaStatus.RUNNING))
        folder = self._store.begin(agenda, now)
        stop.concludes = True
        self._spending.ledger.begin_run(folder.id, agenda.caps)
        try:
            work = self._research(agenda, folder, now, stop, progress or _say_nothing, news)
            result = asyncio.run(_until_stopped(work, stop, meanwhile))
            stop.check()
            is_quiet = quietly and self._is_quiet(folder.agenda, result)
            notes = self._write(folder, result, news, digest=not is_quiet)
        except ReplayError:  # what was gathered is torn: the next try gathers it anew
            self._store.end(folder.id, RunStatus.FAILED, by_now())
            raise
        except LacunaError:
            self._store.end(folder.id, RunStatus.STOPPED, by_now())
            raise
        finally:
            stop.concludes = False
            self._spending.ledger.end_run()
        return self._end(agenda, folder, result, notes, by_now(), time.perf_counter() - began)

    def _end(
        self,
        agenda: Agenda,
        folder: RunFolder,
        result: RunResult,
        notes: RunNotes,
        ended_at: datetime,
        seconds: float,
    ) -> Ran:
        """Keep that a run is done, in its agenda too, and sum it up."""
        if result.stopped_why:
            _log.warning("%s ended early: %s", folder.id, result.stopped_why)
        digest = notes.written[folder.id]
        told = _summary_of(folder, result)
        self._store.end(folder.id, RunStatus.DONE, ended_at, digest_path=digest, told=told)
        agenda = self._proposals.mark(
            replace(agenda, status=AgendaStatus.DONE),
            digest=digest,
            outcome=_outcome(folder.id, result) if digest == agenda.path else "",
        )
        return Ran(
            folder.id,
            agenda,
            self._findings.of_run(folder.id),
            result.skips,
            said(result),
            digest,
            seconds,
            result.stopped_early,
            result.stopped_why,
            self._spending.ledger.spent_by(folder.id),
        )

    def replay(self, ref: str, into: Path) -> list[tuple[Path, bool]]:
        """Make a run's notes again in the folder `into`; say of each whether it is the same.

        Needs no network, no vault and no model. Raises ReplayError, StoreError.
        """
        folder = self._store.to_replay(ref)
        notes = read_notes(folder.path)
        result = replay(folder)
        texts = _finding_texts(result.findings, notes)
        paths = {id_: notes.written[id_] for id_ in texts if id_ in notes.written}
        texts[folder.id] = _digest_of(folder, result, notes)
        digest = notes.written.get(folder.id, folder.agenda.path)
        paths[folder.id] = f"{folder.id}.md" if digest in (None, folder.agenda.path) else digest
        return [
            (_lay(into / Path(path).name, texts[id_]), _hash(texts[id_]) == notes.hashes.get(id_))
            for id_, path in paths.items()
        ]

    def _tell(self, ran: Ran, now: datetime) -> None:
        self.announce.ran(
            ran.as_dict(),
            ran.agenda,
            now,
            findings=ran.findings,
            skips=ran.skips,
            answers=ran.answers,
        )
        if ran.stopped_why and ran.stopped_why == self._spending.ledger.ended:
            self.announce.budget(ran.run, ran.stopped_why, now)

    def _research(
        self,
        agenda: Agenda,
        folder: RunFolder,
        now: datetime,
        stop: Stop,
        progress: Progress,
        news: News,
    ) -> Coroutine[Any, Any, RunResult]:
        parts = Parts(
            sources=self._outside.sources,
            get_document=self._outside.get_document,
            embedder=self._outside.embedder,
            near=self._knowledge.search.near,
            known_keys=self._findings.known_keys(besides_run=folder.id),
            note_text=self._knowledge.text,
            rules=self._spending.rules(_rules_for(agenda, self._rules)),
            spent=lambda: self._spending.of_run(folder.id),
            timeouts=self._outside.timeouts,
            cited=lambda: cited_by_notes(self._knowledge.notes),
            table=self._outside.table,
            retractions=self._outside.retractions,
            filters=self._outside.filters,
            reranker=self._outside.reranker,
        )
        return research(agenda, parts, folder, now=now, stop=stop, progress=progress, news=news)

    def _write(self, folder: RunFolder, result: RunResult, news: News, *, digest: bool) -> RunNotes:
        """Write the findings, then the digest that lists them; without it, the agenda tells."""
        known = self._knowledge.paths()
        titles = self._knowledge.titles()
        named = _named_in(known, titles, folder.agenda, result.findings)
        notes = begin_notes(
            folder.path,
            tz=str(self._tz),
            paths=named,
            names=self._knowledge.link_names(named),
            titles={path: titles[path] for path in named if path in titles},
        )
        texts = _finding_texts(result.findings, notes)
        for finding in result.findings:
            self._spending.ledger.count_finding(finding.id, finding.document.hit.source)
            record = self._inbox.add_finding(finding, texts[finding.id], taken=known)
            notes = notes.with_note(finding.id, record.path, _hash(texts[finding.id]))
            save_notes(folder.path, notes)
            news(f"found: {finding.title} ({record.credibility:.2f}), in {record.path}")
        if notes.names is not None:
            written = self._knowledge.link_names(notes.written.values()) or {}
            notes = replace(notes, names={**notes.names, **written})
        text = _digest_of(folder, result, notes)
        path, at = folder.agenda.path or "", folder.started_at
        if digest:
            path = self._inbox.write_digest(folder.id, text, created_at=at, taken=known)
        notes = notes.with_note(folder.id, path, _hash(text))
        save_notes(folder.path, notes)
        return notes

    def _is_quiet(self, agenda: Agenda, result: RunResult) -> bool:
        """Whether a schedule's run came to nothing, and nothing was in its way."""
        has_answered = all(answer.status in _ANSWERED for answer in said(result))
        had_its_way = has_answered and not (result.stopped_early or result.remarks)
        nothing = not result.findings and bool(said(result)) and had_its_way
        return bool(nothing and agenda.schedule and self._inbox.read(agenda.path or "") is not None)


def _outcome(run: str, result: RunResult) -> str:
    answers = said(result)
    sources = ", ".join(sorted({source_name(answer.source) for answer in answers}))
    number = sum(len(answer.hits) for answer in answers)
    results = f"{number} result{'' if number == 1 else 's'}"
    where = f"`lacuna runs show {run}` tells more."
    return f"nothing new was found among {results} from {sources}. {where}"


def _rules_for(agenda: Agenda, rules: Rules) -> Rules:
    """A schedule of the user's may say how many findings its runs bring."""
    return replace(rules, max_findings=agenda.max_findings or rules.max_findings)


def _since_boot() -> float:
    """Seconds on a clock that nobody sets and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def summary(answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """Say of each source how it answered over all its questions."""
    ordered = sorted(answers, key=lambda answer: answer.source)
    return [_of_source(name, list(group)) for name, group in groupby(ordered, lambda a: a.source)]


def _of_source(name: str, answers: Sequence[Answer]) -> dict[str, Any]:
    statuses = {answer.status for answer in answers}
    trouble = statuses & {SourceStatus.DEGRADED, SourceStatus.UNAVAILABLE}
    if len(statuses) == 1:
        status = answers[0].status
    elif trouble:
        status = SourceStatus.DEGRADED
    else:
        status = SourceStatus.OK
    return {
        "name": name,
        "status": status.value,
        "results": sum(len(answer.hits) for answer in answers),
        "why": next((answer.why for answer in answers if answer.why), ""),
    }


async def _until_stopped(
    work: Awaitable[RunResult], stop: Stop, meanwhile: Callable[[], None]
) -> RunResult:
    """Await `work`, but end it soon after a stop was asked for; call `meanwhile` as it goes."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait({task}, timeout=_STOP_POLL_SECONDS)
        if not task.done():
            meanwhile()
        if stop.asked and not task.done():
            task.cancel()
            await asyncio.wait({task})
    if task.cancelled():
        raise StoppedError("stopped; what was gathered so far is kept")
    return task.result()


def _named_in(
    paths: Iterable[str],
    titles: Mapping[str, str],
    agenda: Agenda,
    findings: Iterable[Finding],
) -> list[str]:
    """Return the paths whose names stand anywhere in what will be written."""
    said = [agenda.path or "", agenda.trigger]
    for task in agenda.tasks:
        said += [task.because, task.topic, task.note or ""]
    for finding in findings:
        said += [near.path for near in finding.connects]
    everything = "\n".join(said).casefold()
    return [
        path
        for path in paths
        if note_name(path).casefold() in everything
        or (path in titles and titles[path].casefold() in everything)
    ]


def _finding_texts(findings: Iterable[Finding], notes: RunNotes) -> dict[str, str]:
    link = Linker(notes.paths, notes.names, notes.titles)
    return {finding.id: finding_text(finding, link=link, tz=notes.zone) for finding in findings}


def _digest_of(folder: RunFolder, result: RunResult, notes: RunNotes) -> str:
    # In the findings' own order: a record that was read back knows no other than its keys'.
    written = [finding for finding in result.findings if finding.id in notes.written]
    records = [record_of(finding, notes.written[finding.id]) for finding in written]
    digest = Digest(
        run=folder.id,
        created_at=folder.started_at,
        agenda=folder.agenda,
        findings=records,
        answers=said(result),
        skips=result.skips,
        cost=_cost(result),
        is_cut_short=result.stopped_early,
        cut_short_by=result.stopped_why,
        remarks=result.remarks,
    )
    paths = [*notes.paths, *(record.path for record in records)]
    link = Linker(paths, notes.names, notes.titles)
    return digest_text(digest, link=link, tz=notes.zone)


def _cost(result: RunResult) -> Cost:
    """What was sent by the ledger; by the folder, for a run that the ledger does not know."""
    spent = result.spent
    if spent.requests == 0:
        return Cost(requests=result.requests, bytes=result.bytes)
    return Cost(requests=spent.requests, bytes=spent.bytes, money=spent.money)


def _lay(path: Path, text: str) -> Path:
    """Write a replayed note, outside the vault. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    return path


def _summary_of(folder: RunFolder, result: RunResult) -> dict[str, Any]:
    return {
        "sources": summary(said(result)),
        "findings": len(result.findings),
        "titles": [finding.title for finding in result.findings],
        "stopped_early": result.stopped_early,
        "stopped_why": result.stopped_why,
        "run": folder.id,
    }


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _say_nothing(_done: int, _total: int, _what: str) -> None:
    """Progress that nobody watches."""
