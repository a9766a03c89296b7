"""What is asked in the queue note, and how it is ticked."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.findings.queue_note import QueueEntry, entries_in, queue_text, ticked

HEAD = "---\ntype: queue\nlacuna_id: queue\n---\n"
NOTE = f"""{HEAD}For the nights. Not a question.

- [ ] Why does bread go stale?
* [ ]   the history of [[Places/Linz|the city of Linz]]
- [x] done already → [[Finding]]
- a plain line
1. [ ] https://example.org/a
https://example.org/b
- <https://example.org/c>
- [ ] [A page](https://example.org/d)
- [ ] All about bees (https://example.org/e).
- [ ] https://example.org/f and https://example.org/g
- [ ]
- [ ] why does bread  go stale
```
- [ ] not in code
https://example.org/code
```
> - [ ] not in a quote
"""


def _texts(note: str) -> list[str]:
    return [asked.text for asked in entries_in(note)]


def test_open_boxes_and_addresses_are_questions_each_once_in_order() -> None:
    assert _texts(NOTE) == [
        "Why does bread go stale?",
        "the history of the city of Linz",
        "https://example.org/a",
        "https://example.org/b",
        "https://example.org/c",
        "https://example.org/d",
        "https://example.org/e",
        "https://example.org/f and https://example.org/g",
    ]
    pages = [asked.text[-1] for asked in entries_in(NOTE) if asked.is_page]
    assert pages == ["a", "b", "c", "d", "e"]


def test_the_note_as_it_begins_asks_nothing() -> None:
    text = queue_text(datetime(2026, 11, 21, tzinfo=UTC), most=20, until="06:00", tz=UTC)
    assert text.startswith("---\ntype: queue\nlacuna_id: queue\n")
    assert _texts(text) == []
    assert _texts(text + "- [ ] bees") == ["bees"]


def test_what_is_answered_is_ticked_and_every_other_byte_stays() -> None:
    answers = {
        "why does bread go stale": "[[Staling]]",
        "https://example.org/b": "[[B]]",
        "https://example.org/c": "nothing new",
        "unknown": "x",
    }
    edited = ticked(NOTE, answers)
    changed = [
        (old, new)
        for old, new in zip(NOTE.splitlines(), edited.splitlines(), strict=True)
        if old != new
    ]
    assert changed == [
        ("- [ ] Why does bread go stale?", "- [x] Why does bread go stale? → [[Staling]]"),
        ("https://example.org/b", "- [x] https://example.org/b → [[B]]"),
        ("- <https://example.org/c>", "- [x] <https://example.org/c> → nothing new"),
        ("- [ ] why does bread  go stale", "- [x] why does bread  go stale → [[Staling]]"),
    ]
    assert ticked(edited, answers) == edited


def test_line_ends_of_other_systems_stay() -> None:
    note = "- [ ] bees\r\n- [ ] wasps"
    assert (
        ticked(note, {"bees": "[[B]]", "wasps": "[[W]]"})
        == "- [x] bees → [[B]]\r\n- [x] wasps → [[W]]"
    )


@given(st.text(st.sampled_from("-*[] x\n\r`~#>.1ahtps:/(){}|\t"), max_size=120))
def test_whatever_stands_in_it_nothing_is_lost_and_all_that_is_answered_is_done(text: str) -> None:
    assert ticked(text, {}) == text
    answers = {asked.key: "y" for asked in entries_in(text)}
    edited = ticked(text, answers)
    assert not {asked.key for asked in entries_in(edited)} & answers.keys()
    assert len(edited.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize("text", ["javascript:alert(1)", "file:///etc/passwd", "ftp://x.org/a"])
def test_only_pages_of_the_web_are_pages(text: str) -> None:
    assert entries_in(text) == []
    assert entries_in(f"- [ ] {text}") == [QueueEntry(text, is_page=False)]
