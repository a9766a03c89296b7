"""Agendas: what is planned, and what may run."""

from collections.abc import Sequence

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import ask, reading
from daemon.model.agenda import AgendaStatus, Choice
from daemon.model.wording import moment
from daemon.usecases import agendas as usecase
from daemon.usecases.agendas import Agenda, AgendaAfter, AgendaRequest, NewRequest, Task
from daemon.usecases.command import Command, R
from daemon.usecases.liveness import has_writer

_MARKS = {Choice.WANTED: "x", Choice.VETOED: " ", Choice.NEVER: "-"}
_IDLE = "No daemon is running: start `lacuna run`, or nothing will be researched."


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def agenda(context: click.Context, options: Options) -> None:
    """Show planned research; create, approve or cancel an agenda."""
    if context.invoked_subcommand is None:
        _show_all(options)


@agenda.command("new")
@click.option("--note", help="Plan for one note: its path, name or title.")
@common
def agenda_new(options: Options, *, note: str | None) -> None:
    """Create an agenda for the whole vault, or for one note."""
    made = ask(options, usecase.NEW, NewRequest(note=note)).agenda
    if options.json:
        emit(made.as_json() if made is not None else None)
    elif made is None:
        say("Nothing to propose: every gap of the vault is planned, rests, was turned down or has")
        say("no query. `lacuna agenda`, `lacuna topics` and `lacuna health` show which.")
    else:
        _show(made)
        _warn_if_idle(options)


@agenda.command("show")
@click.argument("id", required=False)
@common
def agenda_show(options: Options, *, id: str | None) -> None:
    """Show one agenda, or all open ones."""
    if id is None:
        _show_all(options)
        return
    with reading(options, embed=False, review=True) as app:
        found = usecase.agenda(app, AgendaRequest(id=id))
    if options.json:
        emit(found.as_json())
    else:
        _show(found)


@agenda.command("approve")
@click.argument("id")
@click.option("--block", multiple=True, help="Id of a task to skip; repeatable.")
@common
def agenda_approve(options: Options, *, id: str, block: tuple[str, ...]) -> None:
    """Run an agenda now."""
    _decide(options, usecase.APPROVE, usecase.ApproveRequest(id=id, blocked=block))
    if not options.json:
        _warn_if_idle(options)


@agenda.command("cancel")
@click.argument("id")
@common
def agenda_cancel(options: Options, *, id: str) -> None:
    """Cancel an agenda."""
    _decide(options, usecase.CANCEL, AgendaRequest(id=id))


def show_tasks(tasks: Sequence[Task]) -> None:
    """Print an agenda's queries, sources and reasons."""
    for task in tasks:
        say(f'  [{_MARKS[task.choice]}] {", ".join(task.sources)}: "{task.query}"')
        say_folded(f"{task.because[:1].upper()}{task.because[1:]}", indent=6)


def _decide(options: Options, command: Command[R, AgendaAfter], request: R) -> None:
    decided = ask(options, command, request).agenda
    if options.json:
        emit(decided.as_json() if decided is not None else None)
    elif decided is not None:
        say(f"{decided.path or decided.id}: {decided.status}")


def _show_all(options: Options) -> None:
    with reading(options, embed=False, review=True) as app:
        found = usecase.agendas(app)
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        _show(each)
    if found.root:
        _warn_if_idle(options)
    else:
        say("Nothing is planned. `lacuna agenda new` plans for the whole vault.")


def _show(found: Agenda) -> None:
    say(f"{found.id}  {found.path or ''}")
    say(f"  {_state(found)}")
    show_tasks(found.tasks)
    say_folded(found.may_take, indent=2)


def _state(found: Agenda) -> str:
    if found.status is AgendaStatus.PROPOSED:
        return f"runs {moment(found.runs_at)}" if found.runs_at else "waits for you"
    if found.status is AgendaStatus.WAITING and found.runs_at:
        return f"{found.trouble}; trying again {moment(found.runs_at)}"
    return f"{found.status}: {found.trouble}" if found.trouble else str(found.status)


def _warn_if_idle(options: Options) -> None:
    if not has_writer(options):
        say(_IDLE)
