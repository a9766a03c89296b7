"""`lacuna search` beside a running daemon: its index, its model, and hardly anything loaded."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

import pytest

from daemon import composition
from daemon.ports import Vectors
from daemon.usecases import search as usecase
from tests.fakes.cli import Cli
from tests.fakes.embedder import FakeEmbedder


class Loading(FakeEmbedder):
    """An embedder whose model is still being loaded, until it is interrupted."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._ended = threading.Event()

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        assert self._ended.wait(60)
        return super().embed(texts, progress)

    def interrupt(self) -> None:
        self._ended.set()


def test_a_running_daemon_answers_and_the_command_opens_nothing(beside_daemon: Cli) -> None:
    by_daemon = beside_daemon("search", "stale crumb", "--json").json
    text = beside_daemon("search", "stale crumb").out
    assert by_daemon
    assert text.startswith(by_daemon[0].get("name") or by_daemon[0]["path"])
    assert "Piano" in beside_daemon("search", "--like", "Piano").complaint


def test_a_query_whose_words_are_in_no_note_says_so(
    beside_daemon: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    remark = "No note contains these words. Similar by meaning:"
    assert remark not in beside_daemon("search", "stale crumb").out
    hit = {"path": "Keys.md", "heading": "8" * 4000, "score": 0.5, "snippet": "keys"}
    answer = [{**hit, "has_no_words": True}]
    monkeypatch.setattr("daemon.cli.search.query_daemon", lambda *_: answer)
    assert beside_daemon("search", "zzqqxv").out.splitlines()[:2] == [
        remark,
        f"Keys.md › {'8' * 200}…",
    ]


def test_a_filter_and_words_may_be_in_the_same_quotation_marks(beside_daemon: Cli) -> None:
    note = beside_daemon("search", "crumb", "--json").json[0]["path"]
    filtered = f"path:{note.split()[0].removesuffix('.md')}"
    apart = beside_daemon("search", filtered, "crumb", "--json").json
    assert apart
    assert beside_daemon("search", f"{filtered} crumb", "--json").json == apart


def test_the_daemon_is_queried_without_reading_the_settings_again(
    beside_daemon: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = beside_daemon("search", "stale crumb", "--json").json
    monkeypatch.setattr("daemon.usecases.place.load_settings", None)
    assert beside_daemon("search", "stale crumb", "--json").json == first


def test_the_answer_is_the_same_as_without_a_daemon(
    ready: Cli, request: pytest.FixtureRequest
) -> None:
    assert ready("index").code == 0
    alone = ready("search", "stale crumb", "--json").out
    beside_daemon: Cli = request.getfixturevalue("beside_daemon")
    assert beside_daemon("search", "stale crumb", "--json").out == alone


def test_a_command_that_uses_the_daemon_imports_little(beside_daemon: Cli) -> None:
    """Loading takes most of its time: see docs/architecture.md, "A search"."""
    slow = {
        *("asyncio", "difflib", "hashlib", "html", "logging", "platformdirs", "pydantic"),
        *("shutil", "sqlite3", "subprocess", "tempfile", "tomllib", "traceback", "yaml"),
        *("daemon.app", "daemon.config", "daemon.composition", "daemon.ports", "numpy"),
    }
    command = [sys.executable, "-X", "importtime", "-c", "import lacuna; lacuna.main()"]
    done = subprocess.run(
        [*command, "search", "stale crumb", "--json"], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert json.loads(done.stdout) == beside_daemon("search", "stale crumb", "--json").json
    assert "daemon.usecases.client" in loaded
    assert sorted(loaded & slow) == []


def test_without_a_daemon_words_answer_while_the_model_is_being_loaded(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ready("index").code == 0
    monkeypatch.setattr(
        composition, "_embedder", lambda settings, *_: Loading(settings.embedding.model)
    )
    monkeypatch.setattr(usecase, "MODEL_PATIENCE", 0.01)
    done = ready("search", "stale crumb", "--json")
    assert done.json[0]["path"] == "Wild yeast.md"
    assert done.err == (
        "lacuna: found by words alone: the model was not ready within 0.01 seconds;"
        " `lacuna run` keeps models loaded\n"
    )


def test_without_a_daemon_nothing_is_embedded_but_the_question(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = FakeEmbedder("multilingual")
    monkeypatch.setattr(composition, "_embedder", lambda *_: embedder)
    done = ready("search", "stale crumb", "--json")
    assert done.json
    assert done.err.endswith(" passages cannot be found by meaning yet: run `lacuna index`\n")
    assert ready("ask", "why does the crumb go stale?").code == 0
    assert not [text for text in embedder.asked if "Steam keeps the crust" in text]
    assert ready("index").code == 0
    assert ready("search", "stale crumb").err == ""


def test_a_search_beside_the_daemon_loads_neither_model_nor_settings(beside_daemon: Cli) -> None:
    beside_daemon("search", "stale crumb")  # after which the place of the state is known
    script = "import lacuna, sys; sys.argv = ['lacuna', 'search', 'stale crumb']; lacuna.main()"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "Lonely crumb" in done.stdout
    assert "daemon.usecases.client" in loaded
    assert not loaded & {"daemon.config", "numpy", "pydantic", "sqlite3", "torch"}
