"""A follow-up question takes its subject from the questions before it, and no other does."""

from datetime import UTC, datetime

import pytest

from daemon.asking.follow_up import context_of, in_thread
from daemon.asking.recent import RecentAnswers
from daemon.model.threads import Turn

FIRST = "How does ibuprofen work against migraine?"
NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("earlier", "question", "whole"),
    [
        ([FIRST], "and what about its side effects?",
         "and what about its side effects (ibuprofen migraine)?"),
        ([FIRST, "and what about its side effects?"], "in children?",
         "in children (ibuprofen migraine side effects)?"),
        (["When should I treat against varroa?"], "why?", "why (treat varroa)?"),
        (["Who is Ada Lovelace?"], "when was she born?", "when was she born (ada lovelace)?"),
        ([FIRST, "how often should I water the ficus?"], "and in winter?",
         "and in winter (water ficus)?"),
    ],
)  # fmt: skip
def test_a_follow_up_gets_the_subject_of_its_thread(
    earlier: list[str], question: str, whole: str
) -> None:
    assert in_thread(question, earlier).whole.casefold() == whole


@pytest.mark.parametrize(
    "question",
    [
        "how often should I water the ficus?",
        "Is it true that cats sleep all day?",
        "how long does it take to fly to Oslo?",
        "rye flour price",
        "Wer war Goethe?",
        "水在多少度沸腾？",
    ],
)
def test_a_question_that_stands_for_itself_gets_none(question: str) -> None:
    assert in_thread(question, [FIRST]).whole == question


def test_the_first_question_of_a_thread_has_no_context() -> None:
    assert context_of("and its side effects?", []).asked.whole == "and its side effects?"


def test_the_notes_that_were_cited_before_are_checked_again() -> None:
    cited = [
        {"origin": "note", "path": "Ibuprofen.md"},
        {"origin": "library", "path": "/lib/a.pdf"},
        {"origin": "note", "path": "Ibuprofen.md"},
    ]
    turn = Turn(NOW, FIRST, {"citations": cited, "route": {"mode": "direct", "people": []}})
    assert context_of("and its side effects?", [turn]).notes == ("Ibuprofen.md",)
    assert context_of("how often should I water the ficus?", [turn]).notes == ()


def test_a_whole_answer_is_given_again_for_fifteen_minutes_and_not_of_another_index() -> None:
    seconds, made = [0.0], list[float]()
    recent = RecentAnswers[int](lambda: seconds[0])

    def answer(*key: object, is_whole: bool = True) -> int:
        def make() -> int:
            made.append(seconds[0])
            return len(made)

        return recent.answer(key, make, is_whole=lambda _answer: is_whole)

    assert [answer("q", 1), answer("q", 1)] == [1, 1]
    assert [answer("q", 2, is_whole=False), answer("q", 2)] == [2, 3]
    seconds[0] = 15 * 60 + 1
    assert answer("q", 1) == 4
