"""What happens in the vault while a run waits for a source that does not answer."""

from pathlib import Path

import pytest

from tests.fakes.http_server import Reply, serving
from tests.fakes.only_library import only_arxiv
from tests.fakes.process import WITHOUT_MODEL, Lacuna

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

QUESTION = "---\nresearch: {}\nresearch_sources: {}\n---\n# {}\n\nSomething about it.\n"


def test_edits_and_tags_are_handled_while_a_run_waits(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "A.md").write_text(QUESTION.format("Why do bees dance?", "[arXiv]", "A"))
    with serving() as server:
        server.fallback = lambda _: Reply(silent=True)
        settings = {
            "network.allow_origins": [server.origin],
            "index.debounce_seconds": 0.2,
            "agenda.tagged_veto_seconds": 1.0,
            "weekly.enabled": False,
        }
        lacuna = Lacuna(
            vault, tmp_path / "home", settings, only_arxiv(server.origin), WITHOUT_MODEL
        )
        daemon = lacuna.start("run")
        try:
            inbox = vault / "Inbox" / "Research"
            first = daemon.wait_until(lambda: _agenda(inbox, "[[A]]"), "an agenda")
            daemon.wait_until(lambda: "status: running" in first.read_text(), "the run")
            (vault / "B.md").write_text(QUESTION.format("How do wasps build?", "arxiv", "B"))
            second = daemon.wait_until(lambda: _agenda(inbox, "[[B]]"), "its agenda")
            second.write_text(second.read_text().replace("status: proposed", "status: cancelled"))
            archived = daemon.wait_until(lambda: _agenda(inbox / "Archive", "[[B]]"), "the veto")
            assert "Cancelled" in archived.read_text()
            assert "status: running" in first.read_text()
        finally:
            daemon.kill()


def test_a_note_limited_to_disabled_sources_is_sent_nowhere(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    with serving() as server:
        settings = {
            "network.allow_origins": [server.origin],
            "weekly.enabled": False,
            "agenda.tagged_veto_seconds": 0.0,
        }
        lacuna = Lacuna(
            vault, tmp_path / "home", settings, only_arxiv(server.origin), WITHOUT_MODEL
        )
        (vault / "A.md").write_text(QUESTION.format("My private question", "[Libary]", "A"))
        made = lacuna.json("agenda", "new", "--note", "A")
        assert made["status"] == "cancelled"
        assert "research_sources names none that is on" in (vault / made["path"]).read_text()
        assert server.asked == []


def _agenda(inbox: Path, note: str) -> Path | None:
    found = (path for path in inbox.glob("Agenda *.md") if note in path.read_text())
    return next(found, None)
