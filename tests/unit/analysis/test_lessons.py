"""What the user decided weighs areas up and down: by a bound, fading, and always the same."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from daemon.analysis.drafts import Draft, likely
from daemon.analysis.gaps import analyse
from daemon.analysis.health import Health
from daemon.analysis.score import (
    HALF_LIFE_DAYS,
    LESSONS,
    MAX_LESSON_WEIGHT,
    fading,
    ranked,
    with_lessons,
)
from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.model.finding import Lesson
from tests.fakes.rows import a_link, a_note, vectors_by_subject
from tests.fakes.values import a_gap

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HIVES = [f"Bees/Hive {n}.md" for n in range(6)]
NOTES = [a_note(path, words=200) for path in ("Bees/Varroa.md", "Tin/Solder.md", *HIVES)]
LINKS = [a_link(one, other) for one, other in pairwise(HIVES)]
VECTORS = vectors_by_subject({"bees": ["Bees/Varroa.md", *HIVES], "tin": ["Tin/Solder.md"]})


def lesson(note: str = "", *, accepted: bool = True, **values: Any) -> Lesson:
    reported: dict[str, Any] = {"topic": "", "became": "", "decided_at": NOW}
    return Lesson(note=note, is_accepted=accepted, **(reported | values))


def health(*lessons: Lesson, notes: Sequence[Any] = NOTES, now: datetime = NOW) -> Health:
    return analyse(
        notes, LINKS, VECTORS, {}, now=now, meaning_similarity=0.8, stale_days=365, lessons=lessons
    )


def gap(topic: str, *lessons: Lesson, **values: Any) -> Gap:
    (found,) = [each for each in health(*lessons, **values).gaps if each.topic == topic]
    return found


def moved(topic: str, *lessons: Lesson, **values: Any) -> float:
    """How far decisions move the score of a gap."""
    after = gap(topic, *lessons, **values)
    assert after.score == pytest.approx(sum(after.parts.values()))
    return after.parts.get(LESSONS, 0.0)


def test_accepted_findings_raise_a_score_and_dismissed_ones_lower_it() -> None:
    before = gap("Varroa")
    up, down = (gap("Varroa", lesson("Bees/Varroa.md", accepted=yes)) for yes in (True, False))
    assert down.score < before.score < up.score
    assert up.parts[LESSONS] == -down.parts[LESSONS] > 0
    assert LESSONS not in before.parts
    assert {up.why, down.why} == {before.why}
    assert up.details == f"{before.details} You accepted 1 finding on related topics."
    assert down.details == f"{before.details} You dismissed 1 finding on related topics."
    assert health().as_dict()["gaps"][0]["parts"] == health().gaps[0].parts


def test_one_acceptance_and_one_dismissal_cancel_out() -> None:
    both = lesson("Bees/Varroa.md"), lesson("Bees/Varroa.md", accepted=False)
    assert gap("Varroa", *both) == gap("Varroa")


def test_the_closer_it_was_the_more_it_teaches() -> None:
    same = moved("Varroa", lesson("Bees/Varroa.md"))
    beside = moved("Varroa", lesson("Bees/Hive 0.md"))
    apart = moved("Varroa", lesson("Tin/Solder.md"))
    assert same > beside > apart == 0.0


def test_a_note_that_a_finding_became_teaches_what_it_is_linked_with() -> None:
    became = a_note("Inbox/Research/Mites.md", words=200)
    link = a_link("Inbox/Research/Mites.md", "Tin/Solder.md")
    lessons = [lesson(became="Inbox/Research/Mites.md")]
    for linked in (False, True):
        found = analyse(
            [*NOTES, became, a_note("Tin/Flux.md")],
            [*LINKS, a_link("Tin/Flux.md", "Tin/Solder.md"), *([link] if linked else [])],
            VECTORS,
            {},
            now=NOW,
            meaning_similarity=0.8,
            stale_days=365,
            lessons=lessons,
        )
        reported = {each.notes[0]: each.parts.get(LESSONS, 0.0) for each in found.gaps}
        assert reported.get("Bees/Varroa.md") == 0.0
        if not linked:
            assert reported["Inbox/Research/Mites.md"] > 0.0


def test_a_topic_teaches_where_no_note_asked() -> None:
    assert moved("Varroa", lesson(topic="varroa")) > 0.0
    assert moved("Varroa", lesson(topic="solder")) == 0.0


def test_old_decisions_count_less_and_finally_not_at_all() -> None:
    ago = [NOW - timedelta(days=days) for days in (0, HALF_LIFE_DAYS, 400, 900)]
    stated = [moved("Varroa", lesson("Bees/Varroa.md", decided_at=at)) for at in ago]
    assert stated == sorted(stated, reverse=True)
    assert stated[0] > stated[1] > stated[2] > stated[3] == 0.0
    assert fading(NOW - timedelta(days=HALF_LIFE_DAYS), NOW) == 0.5
    assert fading(NOW + timedelta(days=5), NOW) == 1.0  # a clock that was set back


@pytest.mark.parametrize("accepted", [True, False])
def test_however_much_was_decided_it_moves_a_score_no_further_than_that(accepted: bool) -> None:
    many = [lesson("Bees/Varroa.md", accepted=accepted, topic=f"t{n}") for n in range(1000)]
    assert 0.9 * MAX_LESSON_WEIGHT < abs(moved("Varroa", *many)) <= MAX_LESSON_WEIGHT
    for score in (0.0, 0.05, 0.97, 1.0):
        weighed = with_lessons(
            a_gap(score=score, parts={"need": score}), 1e9 if accepted else -1e9, ""
        )
        assert 0.0 <= weighed.score <= 1.0
        assert weighed.score == pytest.approx(sum(weighed.parts.values()))


def test_the_same_decisions_teach_the_same_in_any_order() -> None:
    lessons = [
        lesson(path, accepted=n % 3 > 0, decided_at=NOW - timedelta(days=7 * n))
        for n, path in enumerate([*HIVES, "Bees/Varroa.md"])
    ]
    first = health(*lessons)
    shuffled = random.Random(5).sample(lessons, len(lessons))
    assert health(*shuffled, notes=NOTES[::-1]) == first
    assert health(*lessons) == first != health()


@pytest.mark.parametrize("seed", range(20))
def test_the_gaps_of_a_large_vault_are_those_of_weighing_every_draft(seed: int) -> None:
    chance = random.Random(seed)
    drafts = [_draft(f"{number}", chance) for number in range(300)]
    moved = {each.topic: chance.uniform(-50.0, 50.0) if seed % 2 else 0.0 for each in drafts}

    def best(some: Sequence[Draft]) -> tuple[Gap, ...]:
        return ranked(with_lessons(each.gap(), moved[each.topic], "") for each in some)

    few = likely(drafts, 2 * MAX_LESSON_WEIGHT if seed % 2 else 0.0)
    assert best(few) == best(drafts)
    assert len(few) < len(drafts)


def _draft(topic: str, chance: random.Random) -> Draft:
    shape = chance.choice((GapShape.STALE, GapShape.ISOLATED))
    reported = (round(chance.random() / 4, 4), 0.1, 0.0, round(chance.random() / 4, 4))
    score = round(sum(reported), 4)
    return Draft(GapKind.GAP, shape, topic, (f"{topic}.md",), reported, score, lambda: ("", ""))
