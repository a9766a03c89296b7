"""Search the vault: by the running daemon, whose model is loaded, or in this process.

Hardly anything is imported here: a daemon answers faster than the rest is loaded.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from daemon.cli import own_process
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded, shortened
from daemon.cli.process_start import process_start
from daemon.usecases.client import query
from daemon.usecases.state_places import recall, remember

_EXCLUDED = re.compile(r"-[^\s-]\S")  # a minus before a word: not an option


class _Search(click.Command):
    """A command for which `-tag:#done` is a filter, not a row of options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        excluded = [each for each in args if _EXCLUDED.match(each)]
        others = [each for each in args if each not in excluded]
        return super().parse_args(ctx, [*others, *(["--", *excluded] if excluded else [])])


@click.command(cls=_Search)
@click.argument("query", nargs=-1)
@click.option(
    "--like",
    metavar="NOTE",
    help="Show notes similar to this one that are not linked with it yet.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=10,
    show_default=True,
    help="Maximum number of notes.",
)
@click.option(
    "--web", is_flag=True, help="Also ask fast sources (the `search` layer), for up to 5 seconds."
)
@click.option("--save", is_flag=True, help="With --web: save the results into the inbox.")
@click.option("--deeper", is_flag=True, help="With --web: research the query afterwards.")
@click.option(
    "--follow",
    is_flag=True,
    help="With --web: show each event; with --json, one object per line.",
)
@common
def search(
    options: Options,
    *,
    query: tuple[str, ...],
    like: str | None,
    limit: int,
    web: bool,
    **ways: bool,
) -> None:
    """Search notes by words and by meaning; with --web, sources on the network, too.

    Filters, also with --like: status:open (any property), tag:#x, path:Folder, "a phrase" in
    quotation marks. A minus before a filter or a word excludes: -tag:#done.

    Example: lacuna search --web "why does bread go stale"
    """
    words = " ".join(map(_quoted, query)).strip()
    if not words and like is None:
        raise click.UsageError("give something to search for, or --like NOTE")
    if web or any(ways.values()):
        _search_web(options, words, like, limit, web=web, **ways)
        return
    found, by_daemon = _find(options, {"query": words, "like": like, "limit": limit})
    as_given = " ".join(query).strip()
    if not found and words != as_given:  # the quotation marks were around all of the query
        found, by_daemon = _find(options, {"query": as_given, "like": like, "limit": limit})
    _show(found, options)
    if by_daemon:
        own_process.end_at_once()


def _find(options: Options, request: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """Return what matches, and whether a daemon found it."""
    found = query_daemon(options, "search", request)
    if found is not None:
        return found, True
    return slow_part().find(options, request), False


def _show(found: list[dict[str, Any]], options: Options) -> None:
    if options.json:
        emit(found)
        return
    if any(hit.get("has_no_words") for hit in found):
        say("No note contains these words. Similar by meaning:")
    for hit in found:
        place = f" › {shortened(hit['heading'])}" if hit["heading"] else ""
        name = f"{hit['name']} ({hit['path']})" if hit.get("name") else hit["path"]
        say(f"{name}{place}")
        say_folded(hit["snippet"], indent=6)
    if not found:
        say("No note matches.")


def _search_web(
    options: Options,
    words: str,
    like: str | None,
    limit: int,
    *,
    web: bool,
    save: bool,
    deeper: bool,
    follow: bool,
) -> None:
    if not web:
        raise click.UsageError("--save, --deeper and --follow need --web")
    if like is not None:
        raise click.UsageError("give --web or --like, not both")
    began = process_start()
    run = slow_part().run_web_search
    run(options, words, limit, began, saves=save, deepens=deeper, follows=follow)


def query_daemon(
    options: Options,
    name: str,
    request: dict[str, Any],
    query: Callable[[Path, str, dict[str, Any]], Any] = query,
) -> Any:
    """Return the JSON of a query from a running daemon; None if none answers."""
    chosen = (options.vault, options.config, options.state)
    known = recall(*chosen, os.environ)
    found = query(known, name, request) if known is not None else None
    if found is None:
        state = slow_part().state_of(options)
        if known is None:
            found = query(state, name, request)
        if found is not None:
            remember(state, *chosen, os.environ)
    return found


def slow_part() -> ModuleType:
    """Return what is needed when no daemon answers."""
    from daemon.cli import search_here  # noqa: PLC0415 the settings alone take 100 ms to load

    return search_here


def _quoted(argument: str) -> str:
    """Return an argument with the quotation marks that the shell removed from a phrase."""
    has_space = any(map(str.isspace, argument.strip()))
    begin, colon, value = argument.partition(":")
    if not has_space or '"' in argument:
        return argument
    if argument.startswith("-") and not colon:
        return f'-"{argument[1:]}"'
    if colon and not any(map(str.isspace, begin)):
        return f'{begin}:"{value}"'
    return argument
