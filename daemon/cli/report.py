"""Report on topics, or on a run."""

from pathlib import Path

import click

from daemon.cli.event_output import emit_document, follower
from daemon.cli.group import things_of
from daemon.cli.options import Options, common, source_option
from daemon.cli.output import say, say_folded
from daemon.cli.pdf import pdf_converter
from daemon.cli.session import ask
from daemon.model.agenda import Depth
from daemon.model.wording import counted
from daemon.usecases.report import REPORT, Reported, ReportRequest
from vault_adapters.wikilink import note_name

_PAGES = "daemon.faces.web.report_page"
_NAMED = 12  # notes that are listed
_DEPTHS = click.Choice([depth.value for depth in Depth])


@click.command()
@click.argument("topics", nargs=-1, metavar="[TOPIC]...")
@click.option("--run", default="", help="Report on this run, without sending requests.")
@click.option("--area", default="", metavar="NAME", help="Report on this folder, cluster or tag.")
@click.option(
    "--depth", type=_DEPTHS, help="Depth limit; quick: only the summary.  [default: the setting]"
)
@source_option
@click.option("--html", is_flag=True, help="Also write the report as a web page.")
@click.option("--follow", is_flag=True, help="Show each event; with --json, one object per line.")
@click.option("--pdf", is_flag=True, help="Also write the report as PDF.")
@common
def report(
    options: Options,
    *,
    topics: tuple[str, ...],
    run: str,
    area: str,
    depth: str | None,
    sources: tuple[str, ...],
    **ways: bool,
) -> None:
    """Write a report into the inbox: research topics first, or use a run or a part of the vault.

    A report sums up the findings, names what several independent sources confirm and what
    contradicts your notes, and lists figures, dates, gaps and sources. Each statement is quoted.

    Ctrl-C reports on the answers so far.

    Example: lacuna report "why does bread go stale in the fridge" --depth deep
    """
    if [bool(topics), bool(run), bool(area)].count(True) != 1:
        raise click.UsageError("give topics, --run or --area")
    if sources and not topics:
        raise click.UsageError("--source needs topics")
    chosen = Depth(depth) if depth is not None else None
    convert = pdf_converter() if ways["pdf"] else None  # before the work, if it is missing
    request = ReportRequest(topics=topics, run=run, part=area, depth=chosen, sources=sources)
    found = ask(options, REPORT, request, follower(options) if ways["follow"] else None)
    stem = Path(found.folder) / Path(found.path).stem
    files = []
    if ways["html"]:
        files.append((f"{stem}.html", things_of(_PAGES)["as_page"](found.text).encode()))
    if convert is not None:
        files.append((f"{stem}.pdf", convert(found.text)))
    for path, data in files:
        Path(path).write_bytes(data)
    if options.json:
        emit_document(found, follow=ways["follow"])
    else:
        _show(found)
        for path, _ in files:
            say(f"{Path(path).suffix[1:].upper()}: {path}")


def _show(found: Reported) -> None:
    if found.notes:
        names = [note_name(each) for each in found.notes]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        say_folded(f"{counted(len(names), 'note')}: {', '.join(names[:_NAMED])}{more}", indent=0)
    for number, each in enumerate(found.key_findings, 1):
        by = f" ({counted(each.sources, 'independent source')})" if each.sources > 1 else ""
        about = f"{each.subject}: " if each.subject else ""
        say_folded(f"{number}. {about}{' '.join(each.text.split())}{by}", indent=0)
        say(f"   {each.title or each.note}")
    if found.contradictions:
        say(f"\n{counted(found.contradictions, 'contradiction')} with your notes")
    if found.actions:
        say("\nSuggested next actions")
    for action in found.actions:
        about = action.note or action.url
        say(f"  {action.text}{f': {about}' if about else ''}")
    for path in filter(None, (found.tasks_note, found.landscape)):
        say(f"\nUpdated: {path}")
    kept = "Written before, unchanged" if found.text else "Written before, deleted since"
    state = "Report" if found.is_new else kept
    say(f"\n{state}: {found.path}")
