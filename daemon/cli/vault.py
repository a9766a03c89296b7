"""Looking at the vault: health, graph, search."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import click

from daemon.analysis.export import graph_json
from daemon.app import now
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import reading

_SHOWN = 10


@click.command()
@common
def health(options: Options) -> None:
    """Show orphans, clusters, and the gaps worth researching."""
    with reading(options) as app:
        found = app.knowledge.health(now()).as_dict()
        names = app.knowledge.titles()
    if options.json:
        shown = {*found["isolated"], *found["unreferenced"], *found["stale"]}
        shown |= {path for each in found["clusters"] for path in each["notes"]}
        emit({**found, "names": {path: names[path] for path in sorted(shown & names.keys())}})
        return

    def called(paths: Iterable[str]) -> list[str]:
        return [f"{names[path]} ({path})" if path in names else path for path in paths]

    say(f"{found['notes']} notes, {found['links']} links between them")
    _show("No link in or out", called(found["isolated"]))
    single = (path for path in found["unreferenced"] if path not in found["isolated"])
    _show("No link in", called(single))
    _show("Not edited for long", called(found["stale"]))
    _show("Copies that a sync conflict left, to be merged", found["conflicts"])
    _show("Not read whole", [f"{each['path']}: {each['why']}" for each in found["troubles"]])
    _show(
        "Named, but there is no such note",
        [
            f"{each['target']} — from {', '.join(called(each['from'][:3]))}"
            for each in found["unresolved"]
        ],
    )
    _show(
        "Clusters",
        [
            f"{each['label']} — {len(each['notes'])} notes, {each['kind']} ({each['density']:.2f})"
            for each in found["clusters"]
        ],
    )
    _show_gaps(found["gaps"])
    _show(
        "Not proposed",
        [f"{each['topic']} — {each['why']}" for each in found["refused"]],
    )


@click.command()
@common
def graph(options: Options) -> None:
    """Print the link graph: nodes, edges with counts, and what leads nowhere. Needs no model."""
    with reading(options, embed=False) as app:
        found = graph_json(app.knowledge.notes.all(), app.knowledge.notes.links())
    if options.json:
        emit(found)
        return
    say(f"{len(found['nodes'])} nodes, {len(found['edges'])} edges")
    for edge in found["edges"]:
        say(f"{edge['source']} -> {edge['target']} ({edge['kind']}, {edge['count']})")
    for edge in found["unresolved"]:
        say(f"{edge['source']} -> {edge['target']} (no such note, {edge['count']})")


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--like",
    metavar="NOTE",
    help="Instead: the notes nearest to this one in meaning that it has no link with.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many notes at most.",
)
@common
def search(options: Options, *, query: tuple[str, ...], like: str | None, limit: int) -> None:
    """Search the vault by words and by meaning."""
    words = " ".join(query).strip()
    if bool(words) is (like is not None):
        raise click.UsageError("give something to search for, or --like NOTE")
    with reading(options) as app:
        knowledge = app.knowledge
        found = (
            knowledge.search.search(words, limit) if like is None else knowledge.like(like, limit)
        )
        names = knowledge.titles()
    if options.json:
        emit([asdict(each) for each in found])
        return
    for each in found:
        place = f" › {each.heading}" if each.heading else ""
        name = f"{names[each.path]} ({each.path})" if each.path in names else each.path
        say(f"{name}{place}")
        say_folded(each.snippet, indent=6)
    if not found:
        say("No note matches.")


def _show_gaps(gaps: list[dict[str, Any]]) -> None:
    if not gaps:
        return
    say(f"\nWorth researching ({len(gaps)})")
    for each in gaps[:_SHOWN]:
        say(f"  {each['score']:.2f}  {each['topic']} ({each['kind']})")
        say_folded(each["why"], indent=8)
    _say_rest(len(gaps))


def _show(title: str, lines: list[str]) -> None:
    """Show a list's beginning, and how long it is."""
    if not lines:
        return
    say(f"\n{title} ({len(lines)})")
    for line in lines[:_SHOWN]:
        say(f"  {line}")
    _say_rest(len(lines))


def _say_rest(number: int) -> None:
    if number > _SHOWN:
        say(f"  … and {number - _SHOWN} more; --json shows all")
