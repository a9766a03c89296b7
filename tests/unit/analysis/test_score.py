from datetime import UTC, datetime, timedelta

import pytest

from daemon.analysis.score import (
    MAX_PER_SHAPE,
    WEIGHTS,
    named,
    parts,
    ranked,
    recency,
    saturating,
)
from daemon.model.agenda import GapShape
from tests.fakes.values import a_gap

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize("shape", WEIGHTS)
def test_no_shape_can_score_more_than_one(shape: GapShape) -> None:
    reported = parts(shape, need=9.0, demand=9.0, recency=9.0, confidence=9.0)

    assert named(reported) == WEIGHTS[shape]
    assert 0.8 <= sum(reported) <= 1.0
    assert parts(shape, need=-1.0, demand=0.0, recency=0.0, confidence=0.0) == (0, 0, 0, 0)


def test_counts_say_more_the_more_they_are_and_less_with_each() -> None:
    stated = [saturating(count, 3) for count in range(5)]

    assert stated[0] == 0.0
    assert stated[3] == 0.5
    assert stated == sorted(stated)
    assert stated[2] - stated[1] > stated[4] - stated[3]


def test_recency_falls_from_a_month_to_two_years_and_is_nothing_when_unknown() -> None:
    ago = [NOW - timedelta(days=days) for days in (3, 380, 800)]

    assert [recency([at], NOW) for at in ago] == [1.0, 0.5, 0.0]
    assert recency([None, ago[2], ago[0]], NOW) == 1.0
    assert recency([None], NOW) == recency([], NOW) == 0.0


def test_one_shape_does_not_drown_the_rest() -> None:
    alone = [
        a_gap(f"Alone {n:02}", 0.80, notes=(f"{n:02}.md",), parts={"need": 0.80}) for n in range(60)
    ]
    thin = a_gap("Thin", 0.72, shape=GapShape.THIN, parts={"need": 0.72})

    order = ranked([*alone, thin])

    assert 0 < order.index(thin) < 10
    assert len(order) == MAX_PER_SHAPE + 1
    for gap in order:
        assert gap.score == pytest.approx(sum(gap.parts.values()))
        assert 0.0 <= gap.score <= 1.0


def test_gaps_of_one_score_stand_in_path_order() -> None:
    gaps = [
        a_gap("C", 0.5, notes=("c.md",), shape=GapShape.STALE),
        a_gap("A", 0.5, notes=("a.md",), shape=GapShape.THIN),
        a_gap("B", 0.5, notes=("b.md",), shape=GapShape.DANGLING),
    ]

    assert [gap.topic for gap in ranked(gaps)] == ["A", "B", "C"]
    assert ranked(gaps) == ranked(gaps[::-1])
