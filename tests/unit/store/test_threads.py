"""Threads are stored in order, whatever the case of their names, and not without bound."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.model import threads
from daemon.model.threads import ThreadSummary, Turn
from daemon.store.db import Database
from daemon.store.threads import ThreadStore

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


def turn(number: int) -> Turn:
    return Turn(NOW + timedelta(minutes=number), f"question {number}?", {"citations": []})


def test_a_thread_keeps_its_questions_in_order_until_it_is_deleted(tmp_path: Path) -> None:
    store = ThreadStore(Database(tmp_path / "lacuna.db"))
    for name, number in (("bees", 1), ("bread", 2), ("Bees", 3)):
        store.add(name, turn(number))
    assert store.turns("BEES") == [turn(1), turn(3)]
    assert store.summaries()[0] == ThreadSummary(
        "bees", 2, NOW + timedelta(minutes=1), NOW + timedelta(minutes=3)
    )
    assert store.delete("bees") == 2
    assert [each.name for each in store.summaries()] == ["bread"]


def test_the_case_and_the_accents_of_a_name_make_no_other_thread(tmp_path: Path) -> None:
    store = ThreadStore(Database(tmp_path / "lacuna.db"))
    for number, name in enumerate(("Bücher", "BÜCHER", "Bu\u0308cher", "bücher ")):
        store.add(name, turn(number))
    assert [(each.name, each.questions) for each in store.summaries()] == [("Bücher", 4)]
    assert (len(store.turns("bücher")), store.delete("BÜCHER")) == (4, 4)


def test_only_the_last_questions_of_a_long_thread_are_kept(tmp_path: Path) -> None:
    store = ThreadStore(Database(tmp_path / "lacuna.db"))
    for number in range(threads.MAX_TURNS + 2):
        store.add("bees", turn(number))
    kept = store.turns("bees")
    assert (len(kept), kept[0]) == (threads.MAX_TURNS, turn(2))
