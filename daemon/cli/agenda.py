"""Agendas: what is planned, and what may run."""

from datetime import datetime
from typing import Any

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, moment, say, say_folded
from daemon.cli.session import ask, opened, reading
from daemon.request import agenda_json

_MARKS = {"wanted": "x", "vetoed": " ", "never": "-"}
_IDLE = "No daemon is running: start `lacuna run`, or nothing of it will run."


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def agenda(context: click.Context, options: Options) -> None:
    """Show what is planned; or plan, approve or cancel it."""
    if context.invoked_subcommand is None:
        _show_all(options)


@agenda.command("new")
@click.option("--note", help="Plan for one note: its path, name or title.")
@common
def agenda_new(options: Options, *, note: str | None) -> None:
    """Write an agenda for the whole vault, or for one note."""
    made = ask(options, "agenda-new", {"note": note})["agenda"]
    if options.json:
        emit(made)
    elif made is None:
        say("Nothing to propose: no gap that was not turned down or is not planned already.")
    else:
        _tell(made)
        _tell_if_idle(options)


@agenda.command("show")
@click.argument("id", required=False)
@common
def agenda_show(options: Options, *, id: str | None) -> None:
    """Show one agenda, or all that have not ended."""
    if id is None:
        _show_all(options)
        return
    with reading(options, embed=False, review=True) as app:
        found = agenda_json(app.proposals.find(id))
    if options.json:
        emit(found)
    else:
        _tell(found)


@agenda.command("approve")
@click.argument("id")
@common
def agenda_approve(options: Options, *, id: str) -> None:
    """Let the daemon run an agenda now, without waiting for its hour."""
    _decide(options, "agenda-approve", id)
    if not options.json:
        _tell_if_idle(options)


@agenda.command("cancel")
@click.argument("id")
@common
def agenda_cancel(options: Options, *, id: str) -> None:
    """Cancel an agenda; nothing of it is searched for."""
    _decide(options, "agenda-cancel", id)


def tell_tasks(tasks: list[dict[str, Any]]) -> None:
    """Print what an agenda asks, where, and why."""
    for task in tasks:
        say(f'  [{_MARKS[task["choice"]]}] {", ".join(task["sources"])}: "{task["query"]}"')
        say_folded(f"because {task['because']}", indent=6)


def _decide(options: Options, kind: str, ref: str) -> None:
    decided = ask(options, kind, {"id": ref})["agenda"]
    if options.json:
        emit(decided)
    else:
        say(f"{decided['path'] or decided['id']}: {decided['status']}")


def _show_all(options: Options) -> None:
    with reading(options, embed=False, review=True) as app:
        found = [agenda_json(each) for each in app.stores.agendas.open()]
    if options.json:
        emit(found)
        return
    for each in found:
        _tell(each)
    if found:
        _tell_if_idle(options)
    else:
        say("Nothing is planned. `lacuna agenda new` plans for the whole vault.")


def _tell(found: dict[str, Any]) -> None:
    say(f"{found['id']}  {found['path'] or ''}")
    say(f"  {_state(found)}")
    tell_tasks(found["tasks"])
    say_folded(found["may_take"], indent=2)


def _state(found: dict[str, Any]) -> str:
    status, runs_at = found["status"], found["runs_at"]
    if status == "proposed":
        return f"runs {moment(datetime.fromisoformat(runs_at))}" if runs_at else "waits for you"
    if status == "waiting" and runs_at:
        return f"{found['trouble']}; trying again {moment(datetime.fromisoformat(runs_at))}"
    return f"{status}: {found['trouble']}" if found["trouble"] else str(status)


def _tell_if_idle(options: Options) -> None:
    with opened(options) as app:
        if app.writer() is None:
            say(_IDLE)
