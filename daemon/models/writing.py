"""From sources to text: shard → read → write → check, for each finding of a run.

Readers choose sentences by their ids; the writer writes from what they chose; every sentence is
checked against what it cites. Whatever goes wrong, the extractive finding stands as it is.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_lowercase

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.finding import Finding
from daemon.model.language_models import Role
from daemon.models.answers import CheckedText, Text, check_sentences, text_form, without
from daemon.models.barrier import Barrier, Block, Line, clean
from daemon.models.calls import Calls, Prompt
from daemon.models.checking import UNREAD, share_of, unsupported
from daemon.models.checks import Scorer
from daemon.models.reading import Read, read
from daemon.models.redaction import redact
from daemon.models.service import ModelService, OnEvent
from daemon.models.source_passages import (
    MAX_SOURCE_TOKENS,
    SourcePassages,
    lines_for_writer,
    passages_of,
)
from daemon.models.stopping import until_stopped
from daemon.ports import Stop
from daemon.store.evidence import RunFolder
from daemon.store.reporter import Reporter

MAX_SOURCES = 10
_WRITE = (
    "Answer a question in two or three short sentences, from the numbered sentences of sources"
    " alone. Say first what was found. Restate them closely, with their own words, numbers and"
    " names, and add nothing. `cites`: ids of the one or two sentences that say it. `concepts`:"
    " three to five terms that occur in the sentences. `title`: up to ten words in a row of the"
    " question or of a sentence."
)
_CONNECT = " `connects`: ids of the notes (n1, …) that the answer bears on."
_NOTES = "n"  # the block of names of notes
_LATE = "partial: the time limit of this run ended before a text was written"
_HANDOFF = (Role.READER, Role.WRITER)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """Tokens of one answer, seconds of one call and of all calls of a run."""

    reader_tokens: int
    writer_tokens: int
    call_seconds: float
    run_seconds: float


class Writing:
    """Writes texts of findings; `scorer` is the cross-encoder that judges support."""

    def __init__(self, service: ModelService, scorer: Scorer, options: Options) -> None:
        self._service = service
        self._scorer = scorer
        self._options = options

    async def __call__(
        self, findings: Sequence[Finding], folder: RunFolder, stop: Stop, report: Reporter
    ) -> None:
        """Write about each finding in turn, and keep what passes. Raises StoppedError."""
        written = folder.models.written()
        with report.step("write", plan=tuple(each.title for each in findings)) as progress:
            ends = asyncio.get_running_loop().time() + self._options.run_seconds
            for number, finding in enumerate(findings):
                if finding.id in written:
                    continue
                show = partial(report.state, "write", number, len(findings))
                work = _Run(self._service, self._scorer, self._options, folder, report, show)
                try:
                    async with asyncio.timeout_at(ends):
                        written[finding.id] = await until_stopped(work.write(finding), stop)
                except TimeoutError:
                    written[finding.id] = work.without_text(finding, _LATE)
                folder.models.keep_written(written)
                progress(number + 1, len(findings), finding.title)


class _Run:
    """The calls of one finding."""

    def __init__(
        self,
        service: ModelService,
        scorer: Scorer,
        options: Options,
        folder: RunFolder,
        report: Reporter,
        show: OnEvent,
    ) -> None:
        self._service = service
        self._scorer = scorer
        self._options = options
        self._report = report
        self._show = show  # is called with the state of each call
        barrier = Barrier(folder.models.secret)
        self._calls = Calls(service, folder.models, barrier, options.call_seconds)

    async def write(self, finding: Finding) -> dict[str, object]:
        """Write the text of a finding; return the sentences that passed every check."""
        texts = [
            passages_of(ascii_lowercase[place], each, finding)
            for place, each in enumerate(finding.sources[:MAX_SOURCES])
        ]
        texts = [each for each in texts if each.lines]
        found = await self._read(finding, texts)
        left = [each for each in texts if each.id in found.chosen] if found.spent else texts
        fitting = [lines_for_writer(each, found.chosen.get(each.id)) for each in left]
        given = [each for each in fitting if each.lines]
        partial_ = _ended(found.spent, len(given), len(texts))
        read_ = _reading_as_json(finding, texts, found)
        body = {**self.without_text(finding, partial_), **read_}
        if not given:
            return body
        self._report_handoff(finding, len(found.chosen), len(texts))
        try:
            text, given, spent = await self._text(finding, given)
        except SpentError as error:
            return {**body, "partial": _ended(error.budget, 0, len(texts))}
        except LanguageModelError as error:
            _log.warning("No text was written for “%s”: %s", finding.title, error)
            return {**body, "removed": [{"text": "", "why": str(error)}]}
        if spent:
            body["partial"] = _ended(spent, len(given), len(texts))
        body["omitted"] = [*_too_many(finding), *_omitted(fitting, given, spent)]
        kept = await self._checked(text, given, finding)
        unread = (each["why"] for each in kept.removed if each["why"].endswith(UNREAD))
        if why := next(unread, ""):
            body["partial"] = (
                f"partial: {why.removesuffix(UNREAD)}ended before the text was checked"
            )
        passages = sum(len(each.lines) for each in given)
        return {**body, **_kept_as_json(kept, finding), "passages": passages}

    def without_text(self, finding: Finding, partial: str) -> dict[str, object]:
        """Return what is kept where no text is, with the sources that no reader was given."""
        return {
            "model": self._service.name(Role.WRITER),
            "sentences": [],
            "concepts": [],
            "passages": 0,
            "removed": [],
            "partial": partial,
            "omitted": _too_many(finding),
        }

    async def _read(self, finding: Finding, texts: Sequence[SourcePassages]) -> Read:
        """Have the sources read side by side; the writer's share of the budget is left."""
        if not self._service.name(Role.READER):
            return Read({}, {})
        whole = [lines_for_writer(each, None) for each in texts[:1]]
        spare = self._calls.tokens(*self._prompt(finding, whole)) if whole else 0
        spare += self._share_of_checker(finding, whole)
        tokens = self._options.reader_tokens
        return await read(
            self._calls, finding, texts, tokens=tokens, spare=spare, on_event=self._show
        )

    def _report_handoff(self, finding: Finding, read: int, sources: int) -> None:
        """Report that the readers are done, if any source was read by one."""
        if read:
            giver, taker = (f"{role} {self._service.name(role)}" for role in _HANDOFF)
            why = f"sources read for “{finding.title}”: {read} of {sources}"
            self._report.handoff(giver, taker, why)

    async def _text(
        self, finding: Finding, given: list[SourcePassages]
    ) -> tuple[Text, list[SourcePassages], str]:
        """Have a text written from as many of the sources as the budget allows.

        Returns the text, these sources, and the budget that excluded others. Raises SpentError when
        it does not even allow one.
        """
        spent = ""
        while True:
            prompt, form = self._prompt(finding, given)
            spare = self._share_of_checker(finding, given)
            try:
                with self._report.tokens(finding.id) as on_text:
                    text = await self._calls.ask(
                        prompt, form, self._show, on_text=on_text, spare=spare
                    )
            except SpentError as error:
                given, spent = given[:-1], error.budget
                if not given:
                    raise
            else:
                return text, given, spent

    def _share_of_checker(self, finding: Finding, given: Sequence[SourcePassages]) -> int:
        passages = [place for each in given for place in each.places.values()]
        return share_of(self._calls, finding.task.query, passages)

    def _prompt(
        self, finding: Finding, given: Sequence[SourcePassages]
    ) -> tuple[Prompt, type[Text]]:
        blocks = [Block(each.id, each.lines) for each in given]
        ids = [line.id for each in given for line in each.lines]
        notes = _notes_of(finding)
        if notes:
            blocks.append(Block(_NOTES, notes))
        instructions = _WRITE + (_CONNECT if notes else "")
        query, tokens = finding.task.query, self._options.writer_tokens
        form = text_form(ids, [line.id for line in notes])
        return Prompt(Role.WRITER, instructions, query, blocks, tokens), form

    async def _checked(
        self, text: Text, given: Sequence[SourcePassages], finding: Finding
    ) -> CheckedText:
        query = finding.task.query
        kept = check_sentences(text, given, query, self._calls.barrier, self._scorer)
        bad = await unsupported(self._calls, query, kept.sentences, self._show)
        kept = without(kept, bad, query) if bad else kept
        if kept.why:
            _log.warning("dropped the text for “%s”: %s", finding.title, kept.why)
            self._show(f"writer: the text was dropped: {kept.why}")
        return kept


def _notes_of(finding: Finding) -> tuple[Line, ...]:
    """Return the names of the notes that a finding connects to, with ids."""
    names = (redact(clean(each)).text for each in _names(finding))
    return tuple(Line(f"{_NOTES}{place}", name) for place, name in enumerate(names, start=1))


def _names(finding: Finding) -> list[str]:
    return [each.near.path.rpartition("/")[2].removesuffix(".md") for each in finding.connects]


def _too_many(finding: Finding) -> list[dict[str, str]]:
    """Return the sources that no model is given, with why."""
    why = f"at most {MAX_SOURCES} sources are read"
    return [{"url": each.document.hit.url, "why": why} for each in finding.sources[MAX_SOURCES:]]


def _omitted(
    fitting: Sequence[SourcePassages], given: Sequence[SourcePassages], spent: str
) -> list[dict[str, str]]:
    """Return what the writer was not given of the sources that were read, with why."""
    ids, omitted = {each.id for each in given}, []
    for each in fitting:
        if each.dropped:
            why = f"{each.dropped} of its sentences exceed {MAX_SOURCE_TOKENS} tokens"
            omitted.append({"url": each.url, "why": why})
        if each.lines and each.id not in ids:
            omitted.append({"url": each.url, "why": f"{spent} ended"})
    return omitted


def _reading_as_json(
    finding: Finding, texts: Sequence[SourcePassages], found: Read
) -> dict[str, object]:
    """Return the sources that were not read, with why, and how much was redacted in prompts."""
    counts = Counter[str]()
    for each in texts:
        counts.update(each.redacted)
    for own in (finding.task.query, *_names(finding)):
        counts.update(redact(clean(own)).counts)
    unread = [
        {"url": each.url, "why": found.unread[each.id]} for each in texts if each.id in found.unread
    ]
    return {"unread": unread, "redacted": dict(counts)}


def _kept_as_json(kept: CheckedText, finding: Finding) -> dict[str, object]:
    paths = [each.near.path for each in finding.connects]
    connects = [paths[int(id_.removeprefix(_NOTES)) - 1] for id_ in kept.connects]
    return {
        "removed": kept.removed,
        "concepts": kept.concepts,
        "title": kept.title,
        "connects": connects,
        "sentences": [
            {
                "text": each.text,
                "cites": [
                    {"document": one.document, "start": one.start, "end": one.end, "text": one.text}
                    for one in each.cites
                ],
            }
            for each in kept.sentences
        ],
    }


def _ended(budget: str, read: int, sources: int) -> str:
    """Return what a note says of a budget that ended, "" for none."""
    return f"partial: {budget} ended after {read} of {sources} sources" if budget else ""
