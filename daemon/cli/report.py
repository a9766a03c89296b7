"""Report on topics, or on a run."""

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import ask
from daemon.model.agenda import Depth
from daemon.usecases.report import REPORT, Reported, ReportRequest
from daemon.usecases.wording import counted

_DEPTHS = click.Choice([depth.value for depth in Depth])


@click.command()
@click.argument("topics", nargs=-1, metavar="[TOPIC]...")
@click.option("--run", default="", help="Report on this run, without any request.")
@click.option(
    "--depth", type=_DEPTHS, help="Depth limit; quick: only the summary.  [default: the setting]"
)
@click.option("--source", "sources", multiple=True, help="Use only this source; repeatable.")
@common
def report(
    options: Options,
    *,
    topics: tuple[str, ...],
    run: str,
    depth: str | None,
    sources: tuple[str, ...],
) -> None:
    """Write a report into the inbox: research topics first, or use a run.

    A report sums up the findings, names what several independent sources confirm and what
    contradicts your notes, and lists figures, dates, gaps and sources. Each statement is quoted.

    Ctrl-C reports on the answers so far.

    Example: lacuna report "why does bread go stale in the fridge" --depth deep
    """
    if bool(topics) == bool(run):
        raise click.UsageError("give topics or --run")
    if run and sources:
        raise click.UsageError("--source needs topics")
    chosen = Depth(depth) if depth is not None else None
    found = ask(
        options, REPORT, ReportRequest(topics=topics, run=run, depth=chosen, sources=sources)
    )
    if options.json:
        emit(found.as_json())
    else:
        _show(found)


def _show(found: Reported) -> None:
    for number, each in enumerate(found.key_findings, 1):
        by = f" ({counted(each.sources, 'independent source')})" if each.sources > 1 else ""
        say_folded(f"{number}. {' '.join(each.text.split())}{by}", indent=0)
        say(f"   {each.title}")
    if found.contradictions:
        say(f"\n{counted(found.contradictions, 'contradiction')} with your notes")
    if found.actions:
        say("\nSuggested next actions")
    for action in found.actions:
        about = action.note or action.url
        say(f"  {action.text}{f': {about}' if about else ''}")
    state = "Report" if found.is_new else "Written before, unchanged"
    say(f"\n{state}: {found.path}")
