"""Looking at the vault: health, graph, search."""

import re
from collections.abc import Iterable, Sequence

import click

from daemon.app import now
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import reading
from daemon.usecases import health as usecase
from daemon.usecases.health import Gap
from daemon.usecases.notes import graph as graph_of
from daemon.usecases.search import SearchRequest
from daemon.usecases.search import search as search_in

_EXCLUDED = re.compile(r"-[^\s-]\S")  # a minus before a word: no option is called so
_SHOWN = 10


@click.command()
@common
def health(options: Options) -> None:
    """Show orphans, clusters, and the gaps worth researching."""
    with reading(options) as app:
        found = usecase.health(app, now=now())
    if options.json:
        emit(found.as_json())
        return

    def called(paths: Iterable[str]) -> list[str]:
        return [f"{found.names[path]} ({path})" if path in found.names else path for path in paths]

    say(f"{found.notes} notes, {found.links} links between them")
    _show("No link in or out", called(found.isolated))
    single = (path for path in found.unreferenced if path not in found.isolated)
    _show("No link in", called(single))
    _show("Not edited for long", called(found.stale))
    _show("Copies that a sync conflict left, to be merged", found.conflicts)
    _show("Not read whole", [f"{each.path}: {each.why}" for each in found.troubles])
    _show(
        "Named, but there is no such note",
        [
            f"{each.target} — from {', '.join(called(each.sources[:3]))}"
            for each in found.unresolved
        ],
    )
    _show(
        "Clusters",
        [
            f"{each.label} — {len(each.notes)} notes, {each.kind} ({each.density:.2f})"
            for each in found.clusters
        ],
    )
    _show_gaps(found.gaps)
    _show("Not proposed", [f"{each.topic} — {each.why}" for each in found.refused])


@click.command()
@common
def graph(options: Options) -> None:
    """Print the link graph: nodes, edges with counts, and what leads nowhere. Needs no model."""
    with reading(options, embed=False) as app:
        found = graph_of(app)
    if options.json:
        emit(found.as_json())
        return
    say(f"{len(found.nodes)} nodes, {len(found.edges)} edges")
    for edge in found.edges:
        say(f"{edge.source} -> {edge.target} ({edge.kind}, {edge.count})")
    for missing in found.unresolved:
        say(f"{missing.source} -> {missing.target} (no such note, {missing.count})")


class _Search(click.Command):
    """A command for which `-tag:#done` is a condition, not a row of options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        excluded = [each for each in args if _EXCLUDED.match(each)]
        others = [each for each in args if each not in excluded]
        return super().parse_args(ctx, [*others, *(["--", *excluded] if excluded else [])])


@click.command(cls=_Search)
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
    """Search the vault by words and by meaning.

    Conditions narrow it down, also with --like: status:open (any property), tag:#x, path:Folder,
    "a phrase" in quotation marks, and each of these, or a word, with a minus: -tag:#done.
    """
    words = " ".join(map(_quoted, query)).strip()
    if not words and like is None:
        raise click.UsageError("give something to search for, or --like NOTE")
    with reading(options) as app:
        found = search_in(app, SearchRequest(query=words, like=like, limit=limit))
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        place = f" › {each.heading}" if each.heading else ""
        name = f"{each.name} ({each.path})" if each.name is not None else each.path
        say(f"{name}{place}")
        say_folded(each.snippet, indent=6)
    if not found.root:
        say("No note matches.")


def _quoted(argument: str) -> str:
    """Return an argument with the quotation marks that the shell took from a phrase."""
    has_space = any(map(str.isspace, argument.strip()))
    begin, colon, value = argument.partition(":")
    if not has_space or '"' in argument:
        return argument
    if argument.startswith("-") and not colon:
        return f'-"{argument[1:]}"'
    if colon and not any(map(str.isspace, begin)):
        return f'{begin}:"{value}"'
    return argument


def _show_gaps(gaps: Sequence[Gap]) -> None:
    if not gaps:
        return
    say(f"\nWorth researching ({len(gaps)})")
    for each in gaps[:_SHOWN]:
        say(f"  {each.score:.2f}  {each.topic} ({each.kind})")
        say_folded(each.why, indent=8)
    _say_rest(len(gaps))


def _show(title: str, lines: Sequence[str]) -> None:
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
