"""Show the vault's health and graph."""

from collections.abc import Iterable, Sequence

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.progress import patience, progress
from daemon.cli.session import reading
from daemon.model.clock import now
from daemon.model.wording import counted
from daemon.usecases import health as usecase
from daemon.usecases.health import Gap
from daemon.usecases.notes import graph as graph_of
from daemon.usecases.writer import report_to

_SHOWN = 10


@click.command()
@common
def health(options: Options) -> None:
    """Show orphans, clusters, and gaps worth researching."""
    line = "analysing the vault; the next time, only what has changed is analysed"
    with (
        reading(options) as app,
        progress() as bars,
        patience(line, bars),
        report_to(bars.show).step("analysis") as stages,
    ):
        found = usecase.health(app, now=now(), progress=stages)
    if options.json:
        emit(found.as_json())
        return

    def called(paths: Iterable[str]) -> list[str]:
        return [f"{found.names[path]} ({path})" if path in found.names else path for path in paths]

    say(f"{counted(found.notes, 'note')}, {counted(found.links, 'link')} between them")
    _show("Orphans", called(found.isolated))
    single = (path for path in found.unreferenced if path not in found.isolated)
    _show("No link in", called(single))
    _show("Stale", called(found.stale))
    _show("Sync conflict copies to merge", found.conflicts)
    _show("Not fully read", [f"{each.path}: {each.why}" for each in found.troubles])
    _show(
        "Unresolved links",
        [
            f"{each.target} — from {', '.join(called(each.sources[:3]))}"
            for each in found.unresolved
        ],
    )
    _show(
        "Clusters",
        [
            f"{each.label} — {counted(len(each.notes), 'note')}, {each.kind} ({each.density:.2f})"
            for each in found.clusters
        ],
    )
    _show_gaps(found.gaps)
    _show("Not proposed", [f"{each.topic} — {each.why}" for each in found.refused])


@click.command()
@common
def graph(options: Options) -> None:
    """Print the link graph: nodes, edges with counts, and unresolved links. Needs no model."""
    with reading(options, embed=False) as app:
        found = graph_of(app)
    if options.json:
        emit(found.as_json())
        return
    say(f"{len(found.nodes)} nodes, {len(found.edges)} edges")
    for edge in found.edges:
        say(f"{edge.source} -> {edge.target} ({edge.kind}, {edge.count})")
    for missing in found.unresolved:
        say(f"{missing.source} -> {missing.target} (unresolved, {missing.count})")


def _show_gaps(gaps: Sequence[Gap]) -> None:
    if not gaps:
        return
    say(f"\nWorth researching ({len(gaps)})")
    for each in gaps[:_SHOWN]:
        say(f"  {each.score:.2f}  {each.topic} ({each.kind})")
        say_folded(each.why, indent=8)
    _show_omitted(len(gaps))


def _show(title: str, lines: Sequence[str]) -> None:
    """Show the beginning of a list, and its length."""
    if not lines:
        return
    say(f"\n{title} ({len(lines)})")
    for line in lines[:_SHOWN]:
        say(f"  {line}")
    _show_omitted(len(lines))


def _show_omitted(number: int) -> None:
    if number > _SHOWN:
        say(f"  … and {number - _SHOWN} more; --json shows all")
