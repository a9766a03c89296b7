"""`lacuna threads`: questions that belong together keep their context, and can be exported."""

from pathlib import Path

import pytest

from tests.fakes.cli import Cli

FIRST = "how much honey does a colony need for the winter?"


@pytest.fixture
def vault(vault: Path) -> Path:
    """The vault of the other tests, with a note about bees."""
    text = (
        "# Colony\n\nA colony needs twenty kilograms of honey for the winter.\n\n"
        "The honey of a colony is checked in October, by weighing the hive.\n"
    )
    (vault / "Colony.md").write_text(text, encoding="utf-8")
    return vault


def test_a_follow_up_is_understood_by_the_question_before_it(ready: Cli) -> None:
    first = ready("ask", FIRST, "--thread", "bees", "--json").json
    assert "understood" not in first
    then = ready("ask", "and when is it checked?", "--thread", "bees", "--json").json
    assert then["understood"] == "and when is it checked (honey colony winter)?"
    assert [each["path"] for each in then["citations"]] == ["Colony.md"]
    shown = ready("threads", "show", "bees").out
    assert FIRST in shown
    assert "twenty kilograms of honey" in shown


def test_a_thread_is_listed_exported_into_the_inbox_and_deleted(ready: Cli, vault: Path) -> None:
    ready("ask", FIRST, "--thread", "bees")
    ready("ask", "who was [[the]] first king of Norway?", "--thread", "bees")
    (listed,) = ready("threads", "--json").json
    assert (listed["name"], listed["questions"]) == ("bees", 2)
    path = ready("threads", "export", "bees", "--json").json["path"]
    assert path.startswith("Inbox/Research/Threads/Thread ")
    text = (vault / path).read_text("utf-8")
    assert "- [[Colony]]: “A colony needs twenty kilograms of honey for the winter." in text
    assert "Nothing in the notes or the library answered this." in text
    assert "[[the]]" not in text
    assert ready("threads", "delete", "bees", "--json").json == {"name": "bees", "questions": 2}
    assert "no thread is called “bees”" in ready("threads", "show", "bees").complaint


def test_a_running_daemon_keeps_threads_too(beside_daemon: Cli) -> None:
    beside_daemon("ask", FIRST, "--thread", "bees")
    then = beside_daemon("ask", "and when is it checked?", "--thread", "bees", "--json").json
    assert then["understood"] == "and when is it checked (honey colony winter)?"


def test_an_invalid_name_is_one_clear_line(ready: Cli) -> None:
    long = "at most 80 characters are allowed"
    assert ready("threads", "show", "a" * 81).complaint == f"name: {long}"
    assert ready("threads", "delete", " ").complaint == "name: at least 1 character is needed"
    assert ready("ask", FIRST, "--thread", "a" * 81).complaint == f"thread: {long}"
