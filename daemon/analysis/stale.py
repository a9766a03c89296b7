"""Outdated notes: old, still linked to, while their surroundings were edited."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from daemon.analysis.ages import Age
from daemon.analysis.graph import LinkGraph
from daemon.analysis.meaning import MeaningGraph

# A note's surroundings were edited "since" if that was at least this much later.
SINCE = timedelta(days=30)


def stale_notes(
    graph: LinkGraph, ages: Mapping[str, Age], now: datetime, stale_days: int, meaning: MeaningGraph
) -> dict[str, list[str]]:
    """Return the notes that were not edited for `stale_days` though others link to them, each with
    the notes around it that were touched since, latest first.

    A note without backlinks is archived, not stale. One whose whole surroundings are known to be as
    old as itself belongs to a finished subject. A note of unknown age is skipped.
    """
    limit = now - timedelta(days=stale_days)
    found = {}
    for path in graph.notes:
        edited = ages[path].edited_at
        if edited is None or edited > limit or not graph.into[path]:
            continue
        around = surroundings(path, graph, meaning)
        unknown = any(ages[other].since_at is None for other in around if other in ages)
        since = moved_on(edited, around, ages)
        if unknown or since:
            found[path] = since
    return found


def surroundings(path: str, graph: LinkGraph, meaning: MeaningGraph) -> set[str]:
    """Return the notes that are linked with a note, and those most similar to it."""
    found = graph.neighbours(path)
    found.update(other for other, _ in meaning.similar.get(path, ())[:3])
    return found


def moved_on(edited: datetime, around: Iterable[str], ages: Mapping[str, Age]) -> list[str]:
    """Return those of `around` that are known to have been touched well after `edited`, latest
    first.
    """
    later = [
        (since, path)
        for path in around
        if path in ages and (since := ages[path].since_at) is not None and since >= edited + SINCE
    ]
    return [path for since, path in sorted(later, key=lambda pair: (-pair[0].timestamp(), pair[1]))]
