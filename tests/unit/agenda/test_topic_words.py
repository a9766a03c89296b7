"""Words of topics and queries."""

import pytest

from daemon.agenda.topic_words import is_same, is_similar, significant_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rust async", "async Rust"),
        ("Rust async", "Rust async runtimes"),
        ("Sourdough starter", "sourdough starters"),
        ("The theory of knots", "knot theory"),
        ("???", "???"),
    ],
)
def test_topics_that_would_bring_the_same_results_are_near(one: str, other: str) -> None:
    assert is_similar(one, other)
    assert is_similar(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rust", "Rust async"),
        ("Sourdough starters", "sourdough hydration"),
        ("C", "C++"),
        ("C++", "C#"),
        ("", "Rust"),
    ],
)
def test_topics_that_share_a_word_are_still_two(one: str, other: str) -> None:
    assert not is_similar(one, other)
    assert not is_same(one, other)


def test_only_the_same_words_make_the_same_topic() -> None:
    assert is_same("The theory of knots", "knot theory")
    assert not is_same("Rust async", "Rust async runtimes")


def test_each_word_is_returned_once_as_written() -> None:
    assert significant_words("The Tokio runtime, and tokio's own Runtime") == [
        "Tokio",
        "runtime",
        "tokio's",
    ]
