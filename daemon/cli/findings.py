"""Review findings from the command line."""

from datetime import datetime

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import ask, reading
from daemon.model.finding import FindingStatus
from daemon.model.wording import moment
from daemon.usecases import findings as usecase
from daemon.usecases.findings import DecideRequest, FindingRequest, FindingsRequest

_STATUSES = click.Choice([status.value for status in FindingStatus])


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def findings(context: click.Context, options: Options) -> None:
    """List, show, accept or dismiss findings."""
    if context.invoked_subcommand is None:
        context.invoke(findings_list)


@findings.command("list")
@click.option("--status", type=_STATUSES, help="Show only findings with this status.")
@common
def findings_list(options: Options, *, status: str | None) -> None:
    """List findings, newest first."""
    request = FindingsRequest(status=FindingStatus(status) if status else None)
    with reading(options, embed=False, review=True) as app:
        found = usecase.findings(app, request)
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        say(f"{each.id[:8]}  {each.status:<9}  {each.path}")
        if each.unclear:
            say(f"          undecided: {each.unclear}")
        elif each.dismissed_at:
            say(f"          {gone_line(each.dismissed_at)}")
    if not found.root:
        say("No findings." if status is None else f"No {status} findings.")


@findings.command("show")
@click.argument("id")
@common
def findings_show(options: Options, *, id: str) -> None:
    """Print a finding's note. ID: its id, the start of its id, its path or file name."""
    with reading(options, embed=False, review=True) as app:
        found = usecase.finding(app, FindingRequest(id=id))
    if options.json:
        emit(found.as_json())
        return
    if found.retracted:
        say(
            f"RETRACTED, according to {found.retracted}: credibility is now 0.00 (the note is"
            " outdated)."
        )
        say()
    say(found.text.removesuffix("\n"))


@findings.command("accept")
@click.argument("ids", nargs=-1, required=True)
@common
def findings_accept(options: Options, *, ids: tuple[str, ...]) -> None:
    """Keep findings as your notes; remove the review block."""
    _decide(options, ids, FindingStatus.ACCEPTED, never=False)


@findings.command("dismiss")
@click.argument("ids", nargs=-1, required=True)
@click.option("--never", is_flag=True, help="Never suggest their topics again.")
@common
def findings_dismiss(options: Options, *, ids: tuple[str, ...], never: bool) -> None:
    """Archive findings; they are not offered again."""
    _decide(options, ids, FindingStatus.DISMISSED, never=never)


def gone_line(dismissed_at: datetime) -> str:
    """Return when a finding whose note was deleted counts as dismissed."""
    return (
        f"its note is gone: counts as dismissed {moment(dismissed_at)} unless the note is restored"
    )


def _decide(options: Options, ids: tuple[str, ...], status: FindingStatus, *, never: bool) -> None:
    decided = ask(options, usecase.DECIDE, DecideRequest(ids=ids, status=status, never=never))
    if options.json:
        emit(usecase.Findings(decided.findings).as_json())
        return
    for each in decided.findings:
        say(f"{each.status}: {each.path}")
