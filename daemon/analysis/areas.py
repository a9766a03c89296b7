"""Gaps of a whole cluster: unlinked, outdated, or worth deepening."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import partial
from math import comb
from statistics import median

from daemon.analysis.drafts import Draft, Words
from daemon.analysis.health import Cluster, ClusterKind
from daemon.analysis.score import parts, recency, saturating
from daemon.analysis.view import View
from daemon.model.agenda import GapKind, GapShape
from daemon.model.wording import counted, quoted, sentence_start

MAX_DATED_SHARE = 0.3  # a series of journals or releases needs no links
MIN_DEEPEN_NOTES = 5  # notes before a cluster is worth deepening
MIN_STALE_NOTES = 4  # stale notes before the whole cluster is stale
STALE_SHARE = 0.6
GROWING_DAYS = 90
MIN_GROWING_NOTES = 2  # notes of a cluster that changed recently
CLOSER = 1.15  # times the usual links per note, before a cluster counts as closely linked
MIN_WORDS = 25  # in half of a cluster's notes, before only its text can be missing


def sparse_gaps(view: View) -> Iterator[Draft]:
    """Clusters whose notes are similar and hardly linked."""
    for area in view.clusters:
        if area.kind is not ClusterKind.SPARSE or _is_series(area, view):
            continue
        unlinked = area.near - area.near_linked
        words = median(view.notes[path].words for path in area.notes)
        if unlinked < 2 or words < MIN_WORDS:
            continue
        yield _draft(
            GapKind.GAP,
            GapShape.SPARSE,
            area,
            partial(_why_sparse, area, view),
            need=unlinked / area.near,
            demand=saturating(len(area.notes), 6),
            recency=recency(view.times(area.notes), view.now),
            confidence=min(1.0, area.near / len(area.notes)),
        )


def _why_sparse(area: Cluster, view: View) -> tuple[str, str]:
    many, about = counted(len(area.notes), "note"), quoted(area.label)
    why = f"You have {many} about {about} that are hardly linked to each other."
    return why, f"{view.names(area.notes)} are similar, but {_linked_of(area)}."


def deep_gaps(view: View) -> Iterator[Draft]:
    """Clusters that are more closely linked than usual in this vault: worth deepening."""
    dense = [area for area in view.clusters if area.kind is ClusterKind.DENSE]
    close = CLOSER * median(map(_links_per_note, dense)) if dense else 0.0
    usual = median(map(_links_per_note, view.clusters)) if dense else 0.0
    since = view.now - timedelta(days=GROWING_DAYS)
    for area in dense:
        links = _links_per_note(area)
        if len(area.notes) < MIN_DEEPEN_NOTES or _is_series(area, view):
            continue
        growing = sum(at is not None and at >= since for at in view.times(area.notes))
        if links < close and growing < MIN_GROWING_NOTES:
            continue
        yield _draft(
            GapKind.DEEPEN,
            GapShape.DENSE,
            area,
            partial(_why_deepen, area, view, growing, usual),
            need=saturating(links, 2),
            demand=saturating(len(area.notes), 12),
            recency=saturating(growing, 3),
            confidence=min(1.0, area.near / len(area.notes)),
        )


def _why_deepen(area: Cluster, view: View, growing: int, usual: float) -> tuple[str, str]:
    about, count = quoted(area.label), len(area.notes)
    why = f"{about} is one of your most closely linked subjects, with {count} notes."
    if growing >= MIN_GROWING_NOTES:
        many = f"{count} closely linked notes, {growing} changed this quarter"
        why = f"You are writing a lot about {about}: {many}."
    return why, _links_of(area, view, usual)


def _links_of(area: Cluster, view: View, usual: float) -> str:
    """Describe how closely a cluster is linked, compared with all clusters."""
    why = f"{_pairs(area.links)} of these notes {_are(area.links)} linked"
    links = _links_per_note(area)
    if links >= CLOSER * usual > 0:
        why += f" ({links:.1f} a note; {usual:.1f} a note is usual for a cluster of this vault)"
    return f"{why}, with {view.name(area.notes[0])} in the middle."


def stale_areas(view: View) -> Iterator[tuple[Cluster, Draft]]:
    """Clusters of which most notes are stale, each with its gap."""
    stale = set(view.stale)
    for area in view.clusters:
        old = [path for path in area.notes if path in stale]
        if len(old) < max(MIN_STALE_NOTES, STALE_SHARE * len(area.notes)):
            continue
        edited = [at for path in old if (at := view.ages[path].edited_at) is not None]
        leaning = {source for path in old for source in view.graph.into[path]} - set(old)
        days = (view.now - max(edited)).days
        yield (
            area,
            _draft(
                GapKind.GAP,
                GapShape.STALE,
                area,
                partial(_why_stale, area, view, len(old), max(edited), leaning),
                need=saturating(days - view.stale_days, 365),
                demand=saturating(len(leaning) + len(old), 6),
                recency=recency(view.times(leaning), view.now),
                confidence=len(old) / len(area.notes),
            ),
        )


def _why_stale(
    area: Cluster, view: View, old: int, edited: datetime, leaning: Collection[str]
) -> tuple[str, str]:
    all_of_it = f"{counted(len(area.notes), 'note')} about {quoted(area.label)}"
    why = f"{old} of your {all_of_it} have not been edited since {edited:%Y-%m-%d}."
    return why, f"{sentence_start(view.linking(leaning, 'other '))} to them."


def _is_series(area: Cluster, view: View) -> bool:
    dated = len(view.dated.intersection(area.notes))
    return dated > MAX_DATED_SHARE * len(area.notes)


def _linked_of(area: Cluster) -> str:
    """Return how few of a cluster's pairs are linked; if not all are similar, of the similar
    ones.
    """
    unlinked, possible = area.near - area.near_linked, comb(len(area.notes), 2)
    if area.near == possible:
        few = f"only {area.links}" if area.links else "none"
        return f"{few} of their {_pairs(possible)} {_are(area.links or 1)} linked"
    few = f"only {_pairs(area.links)}" if area.links else "no pair"
    return (
        f"{few} of them {_are(area.links or 1)} linked, and of the"
        f" {counted(area.near, 'similar pair')} {unlinked} {_are(unlinked)} not"
    )


def _pairs(count: int) -> str:
    return counted(count, "pair")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _links_per_note(area: Cluster) -> float:
    return area.links / len(area.notes)


def _draft(kind: GapKind, shape: GapShape, area: Cluster, words: Words, **answers: float) -> Draft:
    weighed = parts(shape, **answers)
    score = round(sum(weighed), 4)
    return Draft(kind, shape, area.label, area.notes, weighed, score, words, area.keywords)
