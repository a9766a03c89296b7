"""Words of topics and queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.agenda.wording import QUERY_WORDS, commonest, is_near, is_same, query_for, telling


@pytest.mark.parametrize(
    ("topic", "area", "query"),
    [
        ("Rust async", ["tokio", "executor"], "Rust async tokio"),
        ("Rust", ["Rust", "async runtimes", "tokio"], "Rust async runtimes"),
        ("hives", ["varroa mites and wax moths", "queens"], "hives varroa mites wax moths"),
        ("rich-text CRDTs", ["Rich text", "Automerge"], "rich-text CRDTs Automerge"),
        (
            "What is the latency of cooperative scheduling in Rust?",
            [],
            "latency cooperative scheduling Rust",
        ),
        ("C++ move semantics", ["value categories"], "C++ move semantics"),
        ("why?", ["scheduler latency"], "scheduler latency"),
        ("why?", [], "why"),
        ("[[Rust async|async]] `await` **now**", [], "Rust async await"),
        ("#sourdough and C#", [], "sourdough C#"),
        ("see https://example.org/x for hives", [], "hives"),
    ],
)
def test_a_query_holds_the_words_that_say_something(
    topic: str, area: list[str], query: str
) -> None:
    assert query_for(topic, area) == query


@given(st.text(max_size=400), st.lists(st.text(max_size=40), max_size=5))
def test_a_query_is_one_short_line_without_markup(topic: str, area: list[str]) -> None:
    query = query_for(topic, area)
    assert len(query.split()) <= QUERY_WORDS
    assert len(query) <= 160
    assert not set(query) & set('[](){}<>|`*\n\r\\"')


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
    assert is_near(one, other)
    assert is_near(other, one)


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
    assert not is_near(one, other)
    assert not is_same(one, other)


def test_only_the_same_words_make_the_same_topic() -> None:
    assert is_same("The theory of knots", "knot theory")
    assert not is_same("Rust async", "Rust async runtimes")


def test_words_are_told_once_as_they_are_written() -> None:
    assert telling("The Tokio runtime, and tokio's own Runtime") == ["Tokio", "runtime", "tokio's"]


def test_the_commonest_words_are_those_that_come_again() -> None:
    text = "Hives swarm. The hives and bees; bees and hives, once the weather turns."
    assert commonest(text, 2) == ["hives", "bees"]
