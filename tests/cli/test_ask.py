"""`lacuna ask`: answers from notes and library, each with its place, or says that there is none."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from daemon.composition import open_app
from daemon.config import load_settings
from daemon.host.socket_server import Server
from tests.fakes.cli import Cli

QUESTION = "how long does the sourdough starter rest in the fridge before baking?"


@pytest.fixture
def asked(ready: Cli, vault: Path) -> Cli:
    (vault / "Starter.md").write_text(
        "# Starter\n\nThe sourdough starter rests in the fridge for three days before baking.\n"
        "I feed it on Thursdays.\n",
        encoding="utf-8",
    )
    return ready


@pytest.fixture
def beside(asked: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cli]:
    """The same beside a daemon that answers, which alone may open the vault."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert asked("index").code == 0
    with closing(open_app(load_settings(asked.config), config=asked.config)) as app:
        server = Server(app)
        server.start()
        with monkeypatch.context() as patch:
            patch.setattr("daemon.usecases.opening.open_app", None)
            yield asked
        server.stop()


def test_an_answer_names_its_note_and_its_line(asked: Cli) -> None:
    shown = asked("ask", QUESTION).out
    assert "Starter (Starter.md:3)" in shown
    assert "rests in the fridge for three days" in shown


def test_a_citation_opens_in_the_editor(asked: Cli, vault: Path) -> None:
    (vault / ".obsidian").mkdir(exist_ok=True)
    first = asked("ask", QUESTION, "--json").json["citations"][0]
    assert (first["origin"], first["path"], first["line"]) == ("note", "Starter.md", 3)
    assert first["uri"].startswith("obsidian://open?vault=K%C3%BCche%20%26%20Garten&file=Starter")


def test_a_question_without_an_answer_suggests_a_next_step(asked: Cli) -> None:
    shown = asked("ask", "who was the first king of Norway?").out
    assert "Nothing in your notes or your library answers this." in shown
    assert 'lacuna research "who was the first king of Norway?"' in shown


def test_a_running_daemon_answers_the_same(asked: Cli, beside: Cli) -> None:
    found = beside("ask", QUESTION, "--json").json
    assert [each["path"] for each in found["citations"]] == ["Starter.md"]


def test_a_pending_finding_is_not_used_as_an_answer(asked: Cli, vault: Path) -> None:
    (vault / "Starter.md").write_text(
        "---\nlacuna_id: f-1\nstatus: pending\n---\n"
        "The sourdough starter rests in the fridge for three days before baking.\n",
        encoding="utf-8",
    )
    assert not asked("ask", QUESTION, "--json").json["citations"]


def test_an_empty_question_is_refused(asked: Cli) -> None:
    assert "the question is empty" in asked("ask", "  ").complaint
