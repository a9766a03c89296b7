"""A property fires once for each request, however it is written."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from daemon.agenda.research_request import (
    carried_over,
    newly_requested,
    questions,
    requested,
    with_tag,
)


@pytest.mark.parametrize(
    "written", ["true", '"true"', "yes", "'Yes'", "on", "1", '"1"', "True", "[true]", '["yes"]']
)
def test_a_yes_asks_for_the_note_itself(written: str) -> None:
    value = yaml.safe_load(f"research: {written}")["research"]
    wanted = requested(value)
    assert wanted == requested(True)
    assert wanted is not None
    assert questions(wanted) == ()


@pytest.mark.parametrize(
    "written",
    [
        "false",
        '"false"',
        "no",
        "off",
        "0",
        '""',
        '"  "',
        "",
        "null",
        "~",
        "[]",
        '[""]',
        "{a: b}",
        "2026-11-21",
        "3",
        "1.5",
        "[false]",
        "[null]",
    ],
)
def test_a_no_and_nonsense_ask_for_nothing(written: str) -> None:
    assert requested(yaml.safe_load(f"research: {written}")["research"]) is None


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("why is the sky blue", ("why is the sky blue",)),
        ('"  spaced   out  "', ("spaced out",)),
        ("[one, two]", ("one", "two")),
        ("[one, '', one, false, 7]", ("one",)),
        ("\n  - one\n  - two: not a text\n  - three", ("one", "three")),
        ("[[Rust async]]", ("Rust async",)),
        ("[true, a question]", ("a question",)),
    ],
)
def test_texts_are_questions(written: str, asked: tuple[str, ...]) -> None:
    wanted = requested(yaml.safe_load(f"research: {written}")["research"])
    assert wanted is not None
    assert questions(wanted) == asked


def test_there_are_not_endless_questions() -> None:
    deep: list[object] = ["too deep"]
    for _ in range(100_000):
        deep = [deep]
    assert requested(deep) is None
    wanted = requested(["x" * 10_000, *(f"question {number}" for number in range(1000))])
    assert wanted is not None
    assert len(questions(wanted)) == 20
    assert len(wanted) < 2000


def test_a_request_fires_once_and_again_when_it_changes_or_is_repeated() -> None:
    seen: dict[str, str] = {}
    fired, seen = newly_requested(seen, {"b.md": "[]", "a.md": "[]"})
    assert fired == ("b.md", "a.md")
    fired, seen = newly_requested(seen, {"b.md": "[]", "a.md": "[]"})
    assert fired == ()
    fired, seen = newly_requested(seen, {"b.md": '["why"]', "a.md": "[]"})
    assert fired == ("b.md",)
    fired, seen = newly_requested(seen, {"a.md": "[]"})
    assert fired == ()
    fired, seen = newly_requested(seen, {"a.md": "[]", "b.md": '["why"]'})
    assert fired == ("b.md",)
    assert seen == {"a.md": "[]", "b.md": '["why"]'}


def test_another_spelling_of_the_same_request_does_not_fire() -> None:
    first, second = requested("yes"), requested(True)
    assert first is not None
    assert second is not None
    assert newly_requested({"a.md": first}, {"a.md": second})[0] == ()


def test_a_request_that_disappears_and_reappears_elsewhere_has_moved() -> None:
    seen = carried_over(
        {"a.md": "[]", "b.md": '["why"]'}, {"c.md": "[]", "b.md": '["why"]'}, {"a.md"}
    )
    assert seen == {"c.md": "[]", "b.md": '["why"]'}


@pytest.mark.parametrize(
    ("previous", "current", "gone"),
    [
        ({"a.md": "[]"}, {"c.md": '["why"]'}, {"a.md"}),
        ({"a.md": "[]"}, {"c.md": "[]"}, set()),
        ({"a.md": "[]", "b.md": "[]"}, {"c.md": "[]"}, {"a.md", "b.md"}),
        ({"a.md": "[]"}, {"c.md": "[]", "d.md": "[]"}, {"a.md"}),
    ],
    ids=["another wish", "taken back", "two gone", "two new"],
)
def test_an_ambiguous_request_has_not_moved(
    previous: dict[str, str], current: dict[str, str], gone: set[str]
) -> None:
    assert carried_over(previous, current, gone) == previous


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_any_property_value_is_a_request_or_none(value: object) -> None:
    wanted = requested(value)
    if wanted is not None:
        assert requested(list(questions(wanted)) or True) == wanted


@pytest.mark.parametrize("typed", ["t", "tr", "tru", "ye", "o", "f", "fal", "nul"])
def test_a_partially_typed_word_requests_nothing(typed: str) -> None:
    assert requested(typed) is None
    assert requested(["Why?", typed]) == requested("Why?")


def test_the_tag_is_a_request_of_its_own() -> None:
    tagged, asked = with_tag(None, tagged=True), with_tag('["why"]', tagged=True)
    assert with_tag(None, tagged=False) is None
    assert (tagged, asked) == ("#", '["why"]#')
    assert (questions("#"), questions('["why"]#')) == ((), ("why",))
    for before, now, fires in [
        ({}, "#", True),
        ({"a.md": "#"}, "#", False),
        ({"a.md": "[]"}, "[]#", True),
        ({"a.md": "[]#"}, "[]", False),
        ({"a.md": "[]#"}, "#", False),
        ({"a.md": "#"}, '["why"]#', True),
    ]:
        assert newly_requested(before, {"a.md": now})[0] == (("a.md",) if fires else ())
