"""Researching at once, and making a run's notes again."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, moment, say
from daemon.cli.session import ask, opened
from daemon.cycle.ran import BY_USER
from daemon.model.agenda import Depth
from daemon.model.errors import LacunaError
from daemon.model.evidence import NO_NETWORK

_DEPTHS = click.Choice([depth.value for depth in Depth])


@click.command()
@click.argument("topics", nargs=-1, metavar="[TOPIC]...")
@click.option("--note", help="Research what this note leaves open: its path, name or title.")
@click.option("--depth", type=_DEPTHS, help="How far to go, instead of the settings'.")
@click.option("--source", "sources", multiple=True, help="Ask only this source; may be repeated.")
@common
def research(
    options: Options,
    *,
    topics: tuple[str, ...],
    note: str | None,
    depth: str | None,
    sources: tuple[str, ...],
) -> None:
    """Research at once: topics, one note, or what the whole vault is missing.

    Each TOPIC is one question; put it in quotes. Answers and findings are told as they come.
    Ctrl-C makes findings of what has been answered by then, and exits with 130; a second Ctrl-C
    stops at once, and the same command goes on from there. When no source can be reached the
    command says why and exits with 1: nothing is queued, repeat it when the network is back.
    """
    if topics and note:
        raise click.UsageError("give topics or --note, not both")
    body = {"topics": list(topics), "note": note, "depth": depth, "sources": list(sources)}
    found = ask(options, "research", body)
    if options.json:
        emit(found)
    else:
        tell_run(found)
    check_reached(found)
    if found["stopped_early"] and found.get("stopped_why", BY_USER) == BY_USER:
        sys.exit(130)


def tell_run(found: dict[str, Any]) -> None:
    """Print a run for a person."""
    cut_off = [each for each in found["sources"] if each["why"] == NO_NETWORK]
    told = [each for each in found["sources"] if each not in cut_off]
    width = max([10, *(len(each["name"]) for each in told)])
    for source in told:
        why = f" — {source['why']}" if source["why"] else ""
        results = counted(source["results"], "result")
        say(f"{source['name']:<{width}} {source['status']}, {results}{why}")
    if cut_off:
        say(f"{NO_NETWORK}: {counted(len(cut_off), 'source')} unavailable")
    if found["stopped_early"]:
        why = found.get("stopped_why", BY_USER)  # a daemon of an older version does not say
        by = "" if why == BY_USER else f" as {why}"
        say(f"\nStopped early{by}: these are the findings of what had come by then.")
    left_out = counted(len(found["skipped"]), "document")
    say(f"\n{counted(len(found['findings']), 'finding')}, {left_out} skipped")
    for finding in found["findings"]:
        say(f"  {finding['path']} ({finding['credibility']:.2f})")
        say(f"      {finding['source']}")
    for known in found.get("answered", ()):  # a daemon of an older version does not say
        say(f"  “{known['question']}” is already answered in {known['path']}")
    if found["digest"]:
        say(f"\nDigest: {found['digest']}")
    elif not found.get("unreached"):
        say(f"\nNothing new: no note was written. `lacuna runs show {found['run']}` says more.")


def check_reached(found: dict[str, Any]) -> None:
    """Raise LacunaError when a run reached nothing: why, and whether it is tried again."""
    why = found.get("unreached")  # of which a daemon of an older version knows nothing
    if not why:
        return
    if found["retries_at"]:
        again = f"the daemon tries again {moment(datetime.fromisoformat(found['retries_at']))}"
    else:
        again = "nothing is tried again by itself: repeat the command later"
    raise LacunaError(f"nothing was researched: {why}; {again}")


@click.command()
@click.argument("run")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="An empty folder outside the vault to write to.  [default: one in the state folder]",
)
@common
def replay(options: Options, *, run: str, into: Path | None) -> None:
    """Make a run's notes again from its folder, without network, byte for byte.

    RUN is the `run` property of a finding or a digest, or the beginning of it. Exit 1 when a note
    came out different.
    """
    with opened(options) as app:
        if into is not None:
            _refuse(into.absolute(), app.adapter.root)
        target = into or app.state / "replays" / Path(run).name
        written = app.runs.replay(run, target)
    if options.json:
        notes = [{"path": str(path), "identical": same} for path, same in written]
        emit({"run": run, "notes": notes})
    else:
        for path, same in written:
            say(f"{'identical' if same else 'DIFFERENT'}  {path}")
    if not all(same for _, same in written):
        sys.exit(1)


def _refuse(into: Path, vault: Path) -> None:
    """Raise LacunaError for a folder in which something could be written over."""
    if into.resolve().is_relative_to(vault.resolve()):
        raise LacunaError(f"{into} is in the vault: give a folder outside it")
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise LacunaError(f"{into} is not an empty folder: give another --into")
