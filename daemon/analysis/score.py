"""The importance of a gap: the table of weights, and the sum with its parts."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from daemon.model.agenda import Gap, GapShape

# Four questions are put to every gap; each answer is in [0, 1] and counts by its weight. need
# how much is missing (or, for a cluster to deepen, how much there is to build on) demand      how
# often the vault itself asks for it recency     how lately the user was there confidence  how sure
# it is that this is a subject, and not a slip of the pen A target that several notes name is the
# surest sign that something is missing, so it can reach the most. That a note stands alone may be
# how it is meant to be, so its need counts less. An old note's age is its need, but only being
# leaned on makes it matter. For a cluster that grows, recency is the point.
WEIGHTS: Mapping[GapShape, Mapping[str, float]] = {
    GapShape.DANGLING: {"need": 0.20, "demand": 0.50, "recency": 0.15, "confidence": 0.15},
    GapShape.THIN: {"need": 0.20, "demand": 0.50, "recency": 0.10, "confidence": 0.15},
    GapShape.SPARSE: {"need": 0.35, "demand": 0.20, "recency": 0.15, "confidence": 0.20},
    GapShape.STALE: {"need": 0.30, "demand": 0.35, "recency": 0.15, "confidence": 0.10},
    GapShape.ISOLATED: {"need": 0.30, "demand": 0.25, "recency": 0.15, "confidence": 0.15},
    GapShape.DENSE: {"need": 0.30, "demand": 0.25, "recency": 0.30, "confidence": 0.10},
}
Parts = tuple[float, float, float, float]  # need, demand, recency, confidence
_QUESTIONS = ("need", "demand", "recency", "confidence")
_IN_ORDER = {
    shape: tuple(weights[name] for name in _QUESTIONS) for shape, weights in WEIGHTS.items()
}
# The tenth gap of one shape is less informative than the first of another, so that none crowds out
# the rest.
CROWDING = 0.02
MAX_CROWDING = 0.20
COVERED_BY_CLUSTER = 0.10
MAX_PER_SHAPE = 25
FRESH_DAYS, OLD_DAYS = 30.0, 730.0
# Learning from decisions. An accepted finding counts for its topic's surroundings, a dismissed one
# against it; how much depends on how close a gap is to the finding's origin, and on the age of the
# decision. Together all decisions move a score by at most MAX_LESSON_WEIGHT; two fresh ones about
# the same note move it half as far.
MAX_LESSON_WEIGHT = 0.15
HALF_LESSON_WEIGHT = 2.0  # decisions of full weight that move it half of the way
HALF_LIFE_DAYS = 90.0  # after which a decision weighs half as much
SAME, LINKED, BESIDE = 1.0, 0.5, 0.25  # the same note or topic; linked, or one cluster; one folder
LESSONS = "your decisions"


def parts(
    shape: GapShape, *, need: float, demand: float, recency: float, confidence: float
) -> Parts:
    """Weigh the answers for one gap, each in [0, 1]."""
    weights = _IN_ORDER[shape]  # one by one: a large vault has many thousand gaps
    return (
        round(weights[0] * (0.0 if need < 0.0 else 1.0 if need > 1.0 else need), 4),
        round(weights[1] * (0.0 if demand < 0.0 else 1.0 if demand > 1.0 else demand), 4),
        round(weights[2] * (0.0 if recency < 0.0 else 1.0 if recency > 1.0 else recency), 4),
        round(
            weights[3] * (0.0 if confidence < 0.0 else 1.0 if confidence > 1.0 else confidence), 4
        ),
    )


def named(weighed: Parts) -> dict[str, float]:
    """Return the parts of a score by their names."""
    return dict(zip(_QUESTIONS, weighed, strict=True))


def saturating(count: float, half: float) -> float:
    """Return the weight of a count: 0 for none, 0.5 at `half`, never quite 1."""
    return count / (count + half) if count > 0 else 0.0


def recency(times: Iterable[datetime | None], now: datetime) -> float:
    """Return 1 if the latest of `times` is within a month, falling to 0 at two years; 0 if
    unknown.
    """
    latest = max(filter(None, times), default=None)
    if latest is None:
        return 0.0
    days = (now - latest).total_seconds() / 86_400
    return min(1.0, max(0.0, (OLD_DAYS - days) / (OLD_DAYS - FRESH_DAYS)))


def ranked(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Sort gaps by score, then path, with each shape reduced by how many of it came before."""
    seen: dict[GapShape, int] = {}
    kept: list[Gap] = []
    for gap in sorted(gaps, key=_order):
        place = seen[gap.shape] = seen.get(gap.shape, -1) + 1
        if place < MAX_PER_SHAPE:
            kept.append(_crowded(gap, place))
    return tuple(sorted(kept, key=_order))


def fading(decided_at: datetime, now: datetime) -> float:
    """Return the weight of a decision: 1 when fresh, halved every HALF_LIFE_DAYS."""
    days = max(0.0, (now - decided_at).total_seconds() / 86_400)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def with_lessons(gap: Gap, balance: float, why: str) -> Gap:
    """Weigh a gap by the decisions near it: `balance` is those for it minus those against it.

    `why` describes them in words, for its details.
    """
    by = MAX_LESSON_WEIGHT * balance / (abs(balance) + HALF_LESSON_WEIGHT)
    by = round(min(max(by, -gap.score), 1.0 - gap.score), 4)
    if not by:
        return gap
    parts_ = gap.parts | {LESSONS: by}
    score = min(1.0, max(0.0, round(sum(parts_.values()), 4)))
    return replace(gap, parts=parts_, score=score, details=f"{gap.details} {why}".strip())


def held_back(gap: Gap) -> Gap:
    """Lower a note's gap score if the gap of its whole cluster covers it."""
    return _reduced(gap, "covered by its cluster", COVERED_BY_CLUSTER)


def _crowded(gap: Gap, place: int) -> Gap:
    return _reduced(gap, "crowding", min(MAX_CROWDING, CROWDING * place))


def _reduced(gap: Gap, why: str, by: float) -> Gap:
    by = round(min(by, gap.score), 4)
    if not by:
        return gap
    changed = gap.parts | {why: -by}
    return replace(gap, parts=changed, score=max(0.0, round(sum(changed.values()), 4)))


def _order(gap: Gap) -> tuple[float, str, str]:
    return -gap.score, gap.notes[0] if gap.notes else "", gap.topic
