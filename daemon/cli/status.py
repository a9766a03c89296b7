"""How things stand."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from daemon.app import App, now
from daemon.cli.findings import gone_line
from daemon.cli.inside import inside_document, inside_lines, memory_line
from daemon.cli.library import library_lines
from daemon.cli.liveness import trouble_of_daemon
from daemon.cli.machines import machine_lines
from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, moment, say
from daemon.cli.queue import queue_json, queue_lines
from daemon.cli.schedule import lines_of, standing_json, standings
from daemon.cli.session import opened
from daemon.config import vault_names
from daemon.cycle.moved_inbox import moved_line
from daemon.cycle.schedules import WEEKLY
from daemon.model.agenda import Agenda
from daemon.model.errors import LacunaError, SettingsError
from daemon.model.finding import FindingStatus
from daemon.request import agenda_json, library_json, machines_json, source_states
from daemon.store.heartbeat import Heartbeat, heartbeat_json, last_beat
from scheduler.engine import local_zone
from vault_adapters.base import VaultError


@click.command()
@click.option("--all", "of_all", is_flag=True, help="That of every vault in the settings.")
@common
def status(options: Options, *, of_all: bool) -> None:
    """Show whether the daemon runs, what the index holds, what waits, and what comes next."""
    if of_all:
        _show_all(options)
        return
    with opened(options) as app:
        if options.json:
            emit(_document(app))
        else:
            _tell(app)


def _show_all(options: Options) -> None:
    """Show one vault after the other; what is wrong with one is told in its place."""
    names = vault_names(options.config)
    if not names:
        raise SettingsError("no vault is set: run `lacuna init VAULT`")
    documents: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        if number and not options.json:
            say()
        try:
            with opened(replace(options, vault=Path(name))) as app:
                if options.json:
                    documents.append({"name": name, **_document(app)})
                else:
                    say(f"--vault {name}")
                    _tell(app)
        except (LacunaError, VaultError) as error:
            documents.append({"name": name, "error": str(error)})
            if not options.json:
                say(f"--vault {name}\n{error}")
    if options.json:
        emit(documents)


def _document(app: App) -> dict[str, Any]:
    notes, links, unresolved, chunks = app.stores.notes.counts()
    runs = app.stores.runs.all(1)
    schedules = standings(app)
    weekly = next((each.next_at for each in schedules if each.plan.name == WEEKLY), None)
    return {
        "vault": str(app.adapter.root),
        "kind": app.adapter.name,
        "state": str(app.state),
        "daemon": app.writer(),
        "heartbeat": _heartbeat(app),
        "notes": notes,
        "links": links,
        "unresolved": unresolved,
        "chunks": chunks,
        "machines": machines_json(app),
        "library": library_json(app.library) if app.library is not None else None,
        "inbox_moved_to": app.reviews.moved_inbox() or None,
        "pending_findings": _pending(app),
        "unclear_findings": _unclear(app),
        "agendas": [
            agenda_json(agenda) | {"waits": _waits(app, agenda)}
            for agenda in app.stores.agendas.open()
        ],
        "queue": queue_json(app, now()),
        "last_run": runs[0].id if runs else None,
        "next_weekly": weekly.isoformat() if weekly else None,
        "schedules": [standing_json(each) for each in schedules],
        "budget_used_up": app.spending.exhausted(now()),
        **inside_document(app),
        "sources": list(app.sources),
        "sources_left_out": dict(app.sources_left_out),
    }


def _tell(app: App) -> None:
    notes, links, _unresolved, chunks = app.stores.notes.counts()
    say(f"vault    {app.adapter.root} ({app.adapter.name})")
    say(f"state    {app.state}")
    say(f"daemon   {app.writer() or 'not running; start it with `lacuna run`'}")
    for line in _life(app):
        say(f"         {line}")
    if (used_up := app.spending.exhausted(now())) is not None:
        say(f"budget   {used_up}; what is scheduled waits for that")
    say(f"index    {notes} notes, {links} links, {chunks} chunks")
    for label, line in (*machine_lines(app), *library_lines(app)):
        say(f"{label:<8} {line}")
    say(f"inbox    {app.settings.inbox}: {counted(_pending(app), 'finding')} to review")
    if place := app.reviews.moved_inbox():
        say(f"         {moved_line(app.settings.inbox, place)}")
    for line in _undecided(app):
        say(f"         {line}")
    for line in queue_lines(app, now(), partial(_waits, app)):
        say(f"agenda   {line}")
    for line in _schedule_lines(app):
        say(line)
    for label, line in inside_lines(app):
        say(f"{label:<8} {line}")
    say(f"sources  {', '.join(app.sources) or 'none is on'}")
    if off := sum(not each.is_on for each in source_states(app)):
        say(f"         {off} more are off; `lacuna sources` says why")


def _heartbeat(app: App) -> dict[str, Any] | None:
    sign = last_beat(app.state) if app.writer() else None
    return None if sign is None else heartbeat_json(sign)


def _life(app: App) -> Iterator[str]:
    """Say what the daemon last told of itself, while it runs."""
    if trouble := trouble_of_daemon(app.state):
        yield trouble
    sign = last_beat(app.state) if app.writer() else None
    if sign is None:
        return
    yield f"{sign.doing}; last sign of life {moment(sign.beat_at)}"
    if line := memory_line(sign):
        yield line
    if sign.reloaded_at:
        yield f"settings were read anew {moment(sign.reloaded_at)}"
    if sign.not_reloaded:
        yield f"settings were not read anew, those before count: {sign.not_reloaded}"
    yield _bounds(app, sign)
    if not sign.watching:
        yield "the vault cannot be watched just now; it is looked through from time to time"
    if sign.polling:
        yield f"watches by looking again and again: {sign.polling}"


def _bounds(app: App, sign: Heartbeat) -> str:
    """Say what the daemon can write to."""
    if sign.unconfined:
        return f"not confined to its folders: {sign.unconfined}"
    return f"confined: can write to {app.settings.inbox} and its state only"


def _schedule_lines(app: App) -> Iterator[str]:
    """Say of each schedule when it runs next, or what it waits for."""
    head = "next"
    for each in standings(app):
        yield f"{head:<8} {each.plan.name}: {next(lines_of(each, now(), local_zone()))}"
        head = ""
    if head:
        yield "next     nothing: no schedule is on"


def _waits(app: App, agenda: Agenda) -> str:
    """Say why an agenda whose time has come waits, or nothing."""
    if agenda.id not in {due.id for due in app.proposals.due(now())}:
        return ""
    wait = app.schedules.wait_of(agenda, now(), local_zone(), app.conditions.look())
    return wait.why if wait else ""


def _pending(app: App) -> int:
    return len(app.stores.findings.all(FindingStatus.PENDING))


def _undecided(app: App) -> Iterator[str]:
    """Say of findings why nothing was decided, and when those whose notes are gone will be."""
    for path, why in _unclear(app).items():
        yield f"{path}: nothing decided: {why}"
    for id_, dismissed_at in app.reviews.gone().items():
        yield f"{app.reviews.find(id_).path}: {gone_line(dismissed_at)}"


def _unclear(app: App) -> dict[str, str]:
    """Path → why nothing was decided about the finding there."""
    return {app.reviews.find(id_).path: why for id_, why in app.reviews.unclear().items()}
