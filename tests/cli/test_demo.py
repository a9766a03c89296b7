"""`lacuna demo`: the whole path on the samples, in a folder of its own."""

from pathlib import Path

import pytest

from daemon import composition
from tests.fakes.cli import Cli
from tests.fakes.only_library import ONLY_LIBRARY


@pytest.fixture
def offline(lacuna: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The demo asks every source that is on; here none but the library is."""
    sources = tmp_path / "sources.yaml"
    sources.write_text(ONLY_LIBRARY)
    monkeypatch.setattr(composition, "sources_path", lambda _config: sources)
    return lacuna


def test_the_demo_shows_each_step_and_recreates_its_folder(offline: Cli, tmp_path: Path) -> None:
    done = offline("demo")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("Indexed 60 notes, ")
    assert lines[1] == "Library: 24 documents."
    assert lines[2].startswith("Health: ")
    assert lines[lines.index("Questions:") + 1].startswith("  [x] library: ")
    assert any(line.startswith("library ") and " ok, " in line for line in lines)
    inbox = tmp_path / "lacuna-demo" / "vault" / "Inbox" / "Research"
    assert f"The notes are in {inbox}" in lines
    assert len(list(inbox.glob("*.md"))) >= 3
    typed = [line.split("  ")[1] for line in lines[lines.index("Next commands:") + 1 :]]
    assert typed[0] == "lacuna findings --config lacuna-demo/config.toml"
    for line in typed[:2]:
        assert offline(*line.split()[1:]).code == 0
    mine = tmp_path / "lacuna-demo" / "vault" / "Mine.md"
    mine.write_text("a note of the demo before")
    assert offline("demo", "--json").code == 0
    assert not mine.exists()


def test_the_demo_does_not_touch_user_files(ready: Cli, offline: Cli, tmp_path: Path) -> None:
    before = ready.config.read_text()
    ready.environment(LACUNA_INBOX_FOLDER="Elsewhere", LACUNA_RESEARCH_MAX_FINDINGS="1")
    found = ready("demo", "--into", tmp_path / "a b", "--json").json
    assert len(found["findings"]) > 1
    assert found["digest"].startswith("Inbox/Research/")
    assert ready.config.read_text() == before
    assert not (offline.home / ".local").exists()


def test_the_demo_does_not_replace_another_folder(offline: Cli, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    reported = offline("demo", "--into", "letters").complaint
    assert reported == (
        f"{tmp_path / 'letters'} already exists and is not from a demo; give another --into"
    )
    assert list((tmp_path / "letters").iterdir()) == []
