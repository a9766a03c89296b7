"""Outdated notes: old, still linked to, while their surroundings were edited."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from daemon.analysis.ages import Age
from daemon.analysis.graph import LinkGraph, ascending
from daemon.analysis.meaning import MeaningGraph

# A note's surroundings were edited "since" if that was at least this much later.
SINCE = timedelta(days=30)

_Ints = npt.NDArray[np.int64]
_UNKNOWN = np.iinfo(np.int64).min
_SECOND, _MICROSECOND = 1e6, timedelta(microseconds=1)


def stale_notes(
    graph: LinkGraph, ages: Mapping[str, Age], now: datetime, stale_days: int, meaning: MeaningGraph
) -> dict[str, list[str]]:
    """Return the notes that were not edited for `stale_days` though others link to them, each with
    the notes around it that were touched since, latest first.

    A note without backlinks is archived, not stale. One whose whole surroundings are known to be as
    old as itself belongs to a finished subject. A note of unknown age is skipped.
    """
    notes = graph.notes
    edited = _times(ages[path].edited_at for path in notes)
    touched = _times(ages[path].since_at for path in notes)
    limit = _times([now - timedelta(days=stale_days)])[0]
    is_old = (edited != _UNKNOWN) & (edited <= limit)
    is_old &= np.fromiter((bool(graph.into[path]) for path in notes), np.bool_, len(notes))
    one, other = _surroundings(graph, meaning, is_old)
    is_unknown = np.bincount(one[touched[other] == _UNKNOWN], minlength=len(notes)) > 0
    since = edited[one] + SINCE // _MICROSECOND
    later = (touched[other] != _UNKNOWN) & (touched[other] >= since)
    one, other = one[later], other[later]
    order = np.lexsort((other, -touched[other], one))
    ends = np.searchsorted(one[order], np.arange(len(notes) + 1)).tolist()
    paths = [notes[at] for at in other[order].tolist()]
    return {
        path: paths[start:end]
        for path, may_be, unknown, (start, end) in zip(
            notes, is_old.tolist(), is_unknown.tolist(), pairwise(ends), strict=True
        )
        if may_be and (unknown or start < end)
    }


def _times(times: Iterable[datetime | None]) -> _Ints:
    """Return times in microseconds, exactly; _UNKNOWN for None."""
    seconds = np.array([np.nan if at is None else at.timestamp() for at in times], np.float64)
    known = ~np.isnan(seconds)
    found = np.full(len(seconds), _UNKNOWN)
    found[known] = np.rint(seconds[known] * _SECOND).astype(np.int64)
    return found


def _surroundings(
    graph: LinkGraph, meaning: MeaningGraph, wanted: npt.NDArray[np.bool_]
) -> tuple[_Ints, _Ints]:
    """Return each wanted note with every note that it is linked with or most similar to, as
    indices.
    """
    count = max(len(graph.notes), 1)
    sources, targets = graph.ends()
    places = {path: at for at, path in enumerate(graph.notes)}
    near = meaning.similar
    of = np.fromiter(map(places.__getitem__, near.paths), np.int64, len(near.paths))
    rows, columns = np.nonzero(near.ids >= 0)
    one = np.concatenate([sources, targets, of[rows]])
    other = np.concatenate([targets, sources, of[near.ids[rows, columns]]])
    pairs = ascending((one * count + other)[wanted[one]])
    return pairs // count, pairs % count
