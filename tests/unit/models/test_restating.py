"""A sentence restates a text in its words and their order, and drops no limit."""

import pytest

from daemon.models.restating import drops_limit, share_in_order

TEXT = (
    "In two trials (one without a control group), regular exercise significantly reduced blood"
    " pressure, but it did not reduce the weight of most adults."
)


@pytest.mark.parametrize(
    "sentence",
    [
        TEXT,
        "Exercise reduced blood pressure.",
        "In two trials, exercise reduced the blood pressure.",
        "Regular exercise significantly reduced blood pressure in two trials.",
        "The authors report that regular exercise reduced blood pressure.",
        "In this review, the studies found that exercise reduces blood pressure.",
    ],
)
def test_words_may_be_dropped_and_a_phrase_moved(sentence: str) -> None:
    assert share_in_order(sentence, TEXT) == 1
    assert not drops_limit(sentence, TEXT)


@pytest.mark.parametrize(
    "sentence",
    [
        "Blood pressure significantly reduced exercise.",
        "Regular exercise reduced blood sugar.",
        "Regular exercise reduced pressure of the blood in trials.",
        "Exercise was reduced by blood pressure.",
        "Regular exercise did not significantly reduce blood pressure.",
        "The authors of many trials regret that exercise reduced blood pressure.",
    ],
)
def test_other_words_and_another_order_are_noticed(sentence: str) -> None:
    assert share_in_order(sentence, TEXT) < 1


@pytest.mark.parametrize(
    "sentence",
    [
        "Exercise did reduce the weight of most adults.",
        "Exercise did not reduce the weight of adults.",
    ],
)
def test_a_limit_is_dropped_only_with_its_clause(sentence: str) -> None:
    assert share_in_order(sentence, TEXT) == 1
    assert drops_limit(sentence, TEXT)


def test_a_word_that_occurs_twice_may_be_either() -> None:
    text = "No exercise was planned in winter; exercise was planned in spring."

    assert not drops_limit("Exercise was planned in spring.", text)


def test_words_that_reports_use_alike_are_the_same() -> None:
    text = "We evaluated 40 adults, and the trial was performed in winter."

    assert share_in_order("The researchers assessed 40 adults.", text) == 1
    assert share_in_order("The trial was carried in winter.", text) == 1


def test_a_sentence_of_no_words_restates_nothing() -> None:
    assert share_in_order("It is.", TEXT) == 0


def test_texts_without_spaces_are_compared_by_words() -> None:
    text = "定期的な運動は成人の血圧を下げた。"

    assert share_in_order("運動は血圧を下げた。", text) == 1
    assert share_in_order("運動は体重を下げた。", text) < 1
