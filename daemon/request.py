"""What a command can ask of whoever is the writer: the daemon while it runs, else the command.

Each answer is a JSON document: the one that the command prints with `--json`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from daemon.agenda.budget import as_dict, beforehand, told
from daemon.app import App
from daemon.cycle.knowledge import Progress
from daemon.cycle.proposals import Manner
from daemon.index.sync import SyncReport
from daemon.library.library import Library
from daemon.model.agenda import Agenda, AgendaStatus, Depth
from daemon.model.errors import LacunaError, StoppedError
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.sources import LIBRARY, ONLY_DOCUMENTS
from daemon.ports import Stop
from daemon.store.agendas import task_to_json
from daemon.store.requests import Request, RequestState
from scheduler.engine import local_zone
from vault_adapters.base import VaultError

if TYPE_CHECKING:  # what research brings is loaded by who researches
    from daemon.research.gather import News


@dataclass(frozen=True, slots=True)
class Work:
    """What carrying out a request needs besides what was asked.

    `made` is the agenda that was made for it before its first worker was killed, if any; `keep` is
    told the id of one that is made now, in the very step that keeps the agenda. `news` are told
    what is known as it is known, line by line. `meanwhile` is called while it waits.
    """

    app: App
    now: datetime
    stop: Stop
    progress: Progress
    made: str | None = None
    keep: Callable[[str], None] = lambda _agenda: None
    news: "News" = lambda _line: None
    meanwhile: Callable[[], None] = lambda: None


Answer = dict[str, Any]
_UNREAD = 100  # documents that are listed
_NEWS_KEPT = 50  # lines, for whoever looks now and then

# What makes an agenda must not make another when it is carried out again after a crash.
# Not to be carried out in the middle of a run.
SLOW = frozenset({"research", "index", "schedule-run", "library-scan"})
MAKES_AGENDA = frozenset({"research", "agenda-new", "schedule-run"})


def fulfil(
    request: Request,
    app: App,
    *,
    now: datetime,
    stop: Stop,
    progress: Progress,
    news: "News | None" = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Answer:
    """Carry out a request of the queue, or go on with it, and leave the answer there.

    Unless somebody listens to the `news`, they are left with the request for who asked.
    Raises StoppedError, and leaves the request to be taken up again; LacunaError, VaultError.
    """
    requests = app.stores.requests
    lines: list[str] = []

    def leave(line: str) -> None:
        lines.append(line)
        requests.tell(request.id, {"news": lines[-_NEWS_KEPT:], "told": len(lines)})

    work = Work(
        *(app, now, stop, progress),
        made=request.answer.get("agenda"),
        keep=lambda agenda: requests.tell(request.id, {"agenda": agenda}),
        news=news or leave,
        meanwhile=meanwhile,
    )
    try:
        answer = carry_out(request.kind, request.body, work)
    except StoppedError:
        raise
    except (LacunaError, VaultError) as error:
        requests.answer(request.id, RequestState.FAILED, {"error": str(error)})
        raise
    requests.answer(request.id, RequestState.DONE, answer)
    return answer


def carry_out(kind: str, body: Mapping[str, Any], work: Work) -> Answer:
    """Do what was asked. Raises LacunaError."""
    action = _ACTIONS.get(kind)
    if action is None:
        raise LacunaError(f"{kind}: nobody knows how to do that; is the daemon an older one?")
    return action(work, body)


def agenda_json(agenda: Agenda) -> Answer:
    """An agenda as commands print it."""
    return {
        "id": agenda.id,
        "path": agenda.path,
        "status": agenda.status.value,
        "created": agenda.created_at.isoformat(),
        "runs_at": agenda.runs_at.isoformat() if agenda.runs_at else None,
        "trigger": agenda.trigger,
        "depth": agenda.depth.value,
        "budget": as_dict(agenda),
        "may_take": told(agenda),
        "tries": agenda.tries,
        "trouble": agenda.trouble,
        "tasks": [task_to_json(task) for task in agenda.tasks],
    }


def finding_json(record: FindingRecord) -> Answer:
    """A finding as commands list it."""
    return {
        "id": record.id,
        "path": record.path,
        "status": record.status.value,
        "title": record.title,
        "source": record.source,
        "created": record.created_at.isoformat(),
    }


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a source is on, and whether it is asked questions or gives documents only.

    `why` says what keeps it from work, or what part of it is missing.
    """

    name: str
    is_on: bool
    is_asked: bool
    why: str = ""


def source_states(app: App) -> list[SourceState]:
    """Return every source of the registry: what all commands say of sources comes from here."""
    left_out = dict(app.sources_left_out)
    return [_source_state(app, name, left_out.get(name, "")) for name in app.registry]


def _source_state(app: App, name: str, why: str) -> SourceState:
    if why == ONLY_DOCUMENTS:
        return SourceState(name, is_on=True, is_asked=False, why=why)
    library = app.library if app.registry[name].type == LIBRARY else None
    missing = library.missing() if library is not None and name in app.sources else ()
    if library is not None and missing:
        gone = ", ".join(map(str, missing))
        is_on = len(missing) < len(library.roots)
        return SourceState(name, is_on=is_on, is_asked=is_on, why=f"there is no folder {gone}")
    return SourceState(name, is_on=name in app.sources, is_asked=name in app.sources, why=why)


def topics_json(app: App, at: datetime) -> list[Answer]:
    """The topics that rest, as commands print them; `until` is null for good."""
    return [
        {
            "topic": rest.topic,
            "why": rest.why,
            "since": rest.since_at.isoformat(),
            "until": rest.until_at.isoformat() if rest.until_at else None,
        }
        for rest in app.proposals.rests(at)
    ]


def report_json(report: SyncReport) -> Answer:
    """What a sync did, as `index --json` prints it, and in `trouble` why nothing was embedded."""
    return {
        "notes": report.notes,
        "links": report.links,
        "unresolved": report.unresolved,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "reused": report.reused,
        "removed": report.removed,
        "skipped": [{"path": entry.path, "why": entry.why} for entry in report.skipped],
        "seconds": round(report.seconds, 3),
        "trouble": report.trouble,
    }


def _research(work: Work, body: Mapping[str, Any]) -> Answer:
    """Propose and run at once: topics, one note, or the whole vault.

    Nothing is proposed that could not be run: the model is tried first, and begins to load.
    """
    work.app.embedder.embed(["a gap in a manuscript"])
    agenda = _propose(work, body, _manner(work.app, body))
    if agenda is None:
        raise LacunaError(
            "nothing to research: the vault shows no gap that was not turned down or is not planned"
            " already; `lacuna agenda` shows what is"
        )
    return _run_at_once(work, agenda)


def _run_at_once(work: Work, agenda: Agenda) -> Answer:
    if agenda.status is AgendaStatus.CANCELLED:
        raise LacunaError(f"not researched: {agenda.trigger}")
    for line in beforehand(agenda):
        work.news(line)
    ran = work.app.runs.run(
        agenda, now=work.now, stop=work.stop, progress=work.progress, news=work.news
    )
    return ran.as_dict()


def _schedule_run(work: Work, body: Mapping[str, Any]) -> Answer:
    """Do at once what a schedule does, and count it as its run."""
    name, schedules = body["name"], work.app.schedules
    schedules.find(name)
    work.app.embedder.embed(["a gap in a manuscript"])  # as for any research
    if work.made is not None:
        agenda: Agenda | None = work.app.proposals.find(work.made)
    else:
        agenda = schedules.run(name, work.now, local_zone(), at_once=True, also=work.keep)
    if agenda is None:
        raise LacunaError(f"{name}: there is nothing to research")
    answer = _run_at_once(work, agenda)
    schedules.settle(work.now)
    return answer


def _agenda_new(work: Work, body: Mapping[str, Any]) -> Answer:
    agenda = _propose(work, body, work.app.scheduled)
    return {"agenda": agenda_json(agenda) if agenda is not None else None}


def _agenda_approve(work: Work, body: Mapping[str, Any]) -> Answer:
    proposals = work.app.proposals
    return {"agenda": agenda_json(proposals.decide(body["id"], AgendaStatus.APPROVED, work.now))}


def _agenda_cancel(work: Work, body: Mapping[str, Any]) -> Answer:
    proposals = work.app.proposals
    return {"agenda": agenda_json(proposals.decide(body["id"], AgendaStatus.CANCELLED, work.now))}


def _topic_restore(work: Work, body: Mapping[str, Any]) -> Answer:
    work.app.proposals.restore(body["topic"], work.now)
    return {"topics": topics_json(work.app, work.now)}


def _topic_never(work: Work, body: Mapping[str, Any]) -> Answer:
    work.app.proposals.never_suggest(body["topic"], work.now)
    return {"topics": topics_json(work.app, work.now)}


def _index(work: Work, body: Mapping[str, Any]) -> Answer:
    return report_json(
        work.app.knowledge.sync(
            now=work.now,
            progress=work.progress,
            stop=work.stop,
            embed=bool(body["embed"]),
            meanwhile=work.meanwhile,
        )
    )


def _library_scan(work: Work, _body: Mapping[str, Any]) -> Answer:
    """Compare the library's files with its index, and index what is new."""
    library = _its_library(work.app)
    library.scan(again=True)
    trouble = library.update(progress=work.progress, stop=work.stop)
    return library_json(library) | {"trouble": trouble}


def _its_library(app: App) -> Library:
    if app.library is None:
        raise LacunaError("no library is set: add a folder with `lacuna library add FOLDER`")
    return app.library


def library_json(library: Library) -> Answer:
    """How far the library is, as commands print it."""
    standing = library.standing()
    counts = standing.counts
    return {
        "roots": [str(root) for root in library.roots],
        "missing": [str(root) for root in standing.missing],
        "files": counts.files,
        "read": counts.files - counts.due,
        "unread": [{"path": path, "why": why} for path, why in library.store.troubles(_UNREAD)],
        "documents": counts.documents,
        "embedded": counts.embedded,
        "passages": counts.passages,
        "in_an_index": counts.recorded,
        "seconds_left": standing.seconds_left,
        "trouble": standing.trouble,
    }


def _lead(work: Work, _body: Mapping[str, Any]) -> Answer:
    """Have this machine research what notes and schedules ask for."""
    machines = work.app.machines
    machines.lead(work.now)
    return {"machines": machines_json(work.app)}


def machines_json(app: App) -> list[Answer]:
    """The machines that share the vault, as commands print them, this one first."""
    return [
        {
            "id": each.machine.id,
            "name": each.label,
            "this": each.is_this,
            "leads": each.leads,
            "heartbeat": each.heard_at.isoformat() if each.heard_at else None,
        }
        for each in app.machines.standings()
    ]


def _review(work: Work, body: Mapping[str, Any]) -> Answer:
    """Decide findings: all, or none when one of them cannot be found."""
    status = FindingStatus(body["status"])
    reviews, never = work.app.reviews, bool(body.get("never"))
    for id_ in body["ids"]:
        reviews.find(id_)
    records = [reviews.command(id_, status, work.now, never=never) for id_ in body["ids"]]
    return {"findings": [finding_json(record) for record in records]}


def _propose(work: Work, body: Mapping[str, Any], manner: Manner) -> Agenda | None:
    proposals = work.app.proposals
    if work.made is not None:
        return proposals.find(work.made)
    if body.get("note"):
        row = work.app.knowledge.find(body["note"])
        trigger = f"command for {row.title}"
        return proposals.for_row(row, work.now, manner, trigger=trigger, also=work.keep)
    if body.get("topics"):
        return proposals.for_topics(body["topics"], work.now, manner, also=work.keep)
    return proposals.for_vault(work.now, manner, trigger="command", asked=True, also=work.keep)


def _manner(app: App, body: Mapping[str, Any]) -> Manner:
    return app.at_once(
        depth=Depth(body["depth"]) if body.get("depth") else None,
        sources=tuple(body.get("sources") or ()),
    )


_ACTIONS: Mapping[str, Callable[[Work, Mapping[str, Any]], Answer]] = {
    "index": _index,
    "research": _research,
    "agenda-new": _agenda_new,
    "schedule-run": _schedule_run,
    "agenda-approve": _agenda_approve,
    "agenda-cancel": _agenda_cancel,
    "topic-restore": _topic_restore,
    "topic-never": _topic_never,
    "review": _review,
    "lead": _lead,
    "library-scan": _library_scan,
}
