"""Words of questions and passages."""

import pytest

from daemon.adapters.sources.word_index import WordIndex, stems

LIBRARY = [
    "The tide turns twice a day.",
    "Bread goes stale in the fridge because starch crystallises.",
    "Tides and tidal currents in harbours; the harbour's tide tables.",
]


def test_words_are_compared_without_case_and_endings() -> None:
    assert stems("Tides") == stems("tide") == stems("TIDE")
    assert stems("scheduling") == stems("schedules") == stems("scheduled")
    assert stems("studies") == stems("study")
    assert stems("the of and") == []


def test_writing_without_spaces_is_compared_in_pairs() -> None:
    assert set(stems("潮汐发电")) & set(stems("关于潮汐"))
    assert not set(stems("潮汐")) & set(stems("面包"))


def test_the_passage_that_says_it_most_comes_first() -> None:
    scores, covered = WordIndex(LIBRARY).score("harbour tides")
    assert int(scores.argmax()) == 2
    assert covered[2] == pytest.approx(1)
    assert scores[1] == covered[1] == 0


def test_words_that_no_passage_holds_keep_the_coverage_low() -> None:
    _, covered = WordIndex(LIBRARY).score("tide of quantum chromodynamics research")
    assert float(covered.max()) < 0.3


@pytest.mark.parametrize("question", ["", "the of", "???"])
def test_a_question_without_words_scores_nothing(question: str) -> None:
    scores, covered = WordIndex(LIBRARY).score(question)
    assert scores.sum() == covered.sum() == 0


def test_an_empty_index_answers_nothing() -> None:
    scores, covered = WordIndex([]).score("tide")
    assert (len(scores), len(covered)) == (0, 0)
