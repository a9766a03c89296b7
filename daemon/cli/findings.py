"""Reviewing findings from the command line."""

from datetime import datetime

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, moment, say
from daemon.cli.session import ask, reading
from daemon.model.errors import LacunaError
from daemon.model.finding import FindingStatus
from daemon.request import finding_json
from vault_adapters.base import NoteError

_STATUSES = click.Choice([status.value for status in FindingStatus])


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def findings(context: click.Context, options: Options) -> None:
    """List, show, accept or dismiss findings."""
    if context.invoked_subcommand is None:
        context.invoke(findings_list)


@findings.command("list")
@click.option("--status", type=_STATUSES, help="Only those with this status.")
@common
def findings_list(options: Options, *, status: str | None) -> None:
    """List findings, the newest first."""
    with reading(options, embed=False, review=True) as app:
        records = app.stores.findings.all(FindingStatus(status) if status else None)
        unclear, gone = app.reviews.unclear(), app.reviews.gone()
    if options.json:
        emit(
            [
                finding_json(record) | _doubt(unclear.get(record.id)) | _end(gone.get(record.id))
                for record in records
            ]
        )
        return
    for record in records:
        say(f"{record.id[:8]}  {record.status:<9}  {record.path}")
        if record.id in unclear:
            say(f"          nothing decided: {unclear[record.id]}")
        elif record.id in gone:
            say(f"          {gone_line(gone[record.id])}")
    if not records:
        say("No findings." if status is None else f"No {status} findings.")


@findings.command("show")
@click.argument("id")
@common
def findings_show(options: Options, *, id: str) -> None:
    """Print a finding's note. ID is its id, the beginning of it, its path or its file name."""
    with reading(options, embed=False, review=True) as app:
        record = app.reviews.find(id)
        # One that was just written may not be in the index yet.
        path = app.knowledge.written_by_us().get(record.id, record.path)
        try:
            text = app.adapter.load(path).decode("utf-8", "replace")
        except NoteError:
            raise LacunaError(f"{record.path} is no longer in the vault") from None
        retracted = app.retractions.of(record)
    if options.json:
        emit({**finding_json(record), "text": text, "retracted": retracted})
        return
    if retracted:
        say(f"RETRACTED, says {retracted}: its credibility is 0.00, whatever the note says.\n")
    say(text.removesuffix("\n"))


@findings.command("accept")
@click.argument("ids", nargs=-1, required=True)
@common
def findings_accept(options: Options, *, ids: tuple[str, ...]) -> None:
    """Keep findings as notes: the review block goes, the rest stays."""
    _decide(options, ids, FindingStatus.ACCEPTED, never=False)


@findings.command("dismiss")
@click.argument("ids", nargs=-1, required=True)
@click.option("--never", is_flag=True, help="And never suggest their topics again.")
@common
def findings_dismiss(options: Options, *, ids: tuple[str, ...], never: bool) -> None:
    """Put findings into the inbox's archive; they are not offered again."""
    _decide(options, ids, FindingStatus.DISMISSED, never=never)


def gone_line(dismissed_at: datetime) -> str:
    """Say when a finding whose note was deleted counts as dismissed."""
    return f"its note is gone: counts as dismissed {moment(dismissed_at)} unless it comes back"


def _end(dismissed_at: datetime | None) -> dict[str, str]:
    return {"dismissed_at": dismissed_at.isoformat()} if dismissed_at else {}


def _doubt(why: str | None) -> dict[str, str]:
    return {"unclear": why} if why else {}


def _decide(options: Options, ids: tuple[str, ...], status: FindingStatus, *, never: bool) -> None:
    body = {"ids": list(ids), "status": status.value, "never": never}
    decided = ask(options, "review", body)["findings"]
    if options.json:
        emit(decided)
        return
    for each in decided:
        say(f"{each['status']}: {each['path']}")
