"""Ctrl-C while research runs: once to finish with what has come, twice to leave it for later."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.cli.session import stoppable
from tests.fakes.cli import LIBRARY, NOTES, lay_out
from tests.fakes.http_server import HttpServer, Reply, serving
from tests.fakes.only_library import only_arxiv
from tests.fakes.process import WITHOUT_MODEL, Lacuna, Running

QUESTION = "why does bread go stale in the fridge"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.fixture
def lacuna(tmp_path: Path, server: HttpServer) -> Lacuna:
    """The library, which answers, and arXiv, which does not."""
    server.fallback = Reply(silent=True)
    library = lay_out(tmp_path / "to read", LIBRARY)
    settings = {
        "library.folder": str(library),
        "network.allow_origins": [server.origin],
        "weekly.enabled": False,
    }
    sources = only_arxiv(server.origin).replace("library: {enabled: false}\n", "")
    vault = lay_out(tmp_path / "vault", NOTES)
    return Lacuna(vault, tmp_path / "home", settings, sources, WITHOUT_MODEL)


@pytest.fixture
def waiting(lacuna: Lacuna, server: HttpServer) -> Iterator[Running]:
    """A run of which all has come but arXiv's answer."""
    running = lacuna.start("research", QUESTION)
    try:
        running.wait_until(lambda: server.asked, "the question to arXiv")
        running.wait_until(lambda: "library: ok" in running.logged(), "the library's answer")
        yield running
    finally:
        running.kill()


def press(running: Running) -> None:
    """Press Ctrl-C: the terminal tells every process of the command."""
    os.killpg(running.process.pid, signal.SIGINT)


def notes(lacuna: Lacuna, pattern: str) -> list[Path]:
    return list((lacuna.vault / "Inbox" / "Research").glob(pattern))


@pytest.mark.e2e
@pytest.mark.timeout(400)
def test_ctrl_c_writes_findings_from_the_results_so_far_and_says_so(
    waiting: Running, lacuna: Lacuna
) -> None:
    press(waiting)
    assert waiting.process.wait(120) == 130
    assert "finishing with what was found" in waiting.logged()
    (digest,) = notes(lacuna, "Digest*.md")
    assert "You stopped it early. These are partial results." in digest.read_text()
    assert "the run was stopped before that" in digest.read_text()
    run = lacuna.json("status")["last_run"]
    again = lacuna.json("replay", run)["notes"]
    assert [note["identical"] for note in again] == [True] * len(again)
    assert lacuna.json("agenda") == []


def test_the_first_ctrl_c_finishes_a_run_early_and_the_second_stops_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable() as stop:
        stop.can_conclude = True
        signal.raise_signal(signal.SIGINT)
        assert (stop.enough, stop.is_requested) == (True, False)
        signal.raise_signal(signal.SIGINT)
        assert stop.is_requested
    assert signal.getsignal(signal.SIGINT) is before
    first, second = capsys.readouterr().err.splitlines()
    assert first == "finishing with what was found; press Ctrl-C again to stop now"
    assert second == "stopping; press Ctrl-C again to stop at once"


def test_ctrl_c_before_a_run_stops_at_once() -> None:
    with stoppable() as stop:
        signal.raise_signal(signal.SIGINT)
        assert (stop.enough, stop.is_requested) == (False, True)
