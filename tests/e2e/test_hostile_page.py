"""A page that wants to do something in the vault ends up as inert text in a safely named note."""

import re
import shutil
from pathlib import Path

import pytest

from tests.fakes.process import WITH_WORDS_CHILD, Lacuna

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

ROOT = Path(__file__).resolve().parents[2]
LIVE = re.compile(r"!\[|<%|<iframe|<img|<script|dataviewjs|obsidian://|^\s*```|%%", re.M | re.I)


@pytest.fixture
def lacuna(tmp_path: Path) -> Lacuna:
    vault, library = tmp_path / "vault", tmp_path / "library"
    vault.mkdir()
    library.mkdir()
    shutil.copy(ROOT / "sample_vault" / "Local-first" / "Local-first map.md", vault)
    shutil.copy(ROOT / "sample_library" / "encrypted-sync.html", library)
    settings = {"library.folder": str(library), "weekly.enabled": False, "embedding.model": "words"}
    return Lacuna(vault, tmp_path / "home", settings, program=WITH_WORDS_CHILD)


def test_a_hostile_page_is_inert_text_in_a_safely_named_note(lacuna: Lacuna) -> None:
    page = (Path(lacuna.settings["library.folder"]) / "encrypted-sync.html").read_text()
    assert "[[" in page
    assert "<%" in page
    assert "dataviewjs" in page

    found = lacuna.json("research", "End-to-end encrypted sync")

    (finding,) = found["findings"]
    path = lacuna.vault / finding["path"]
    assert path.resolve().parent == (lacuna.vault / "Inbox" / "Research").resolve()
    assert not re.search(r'[\\/:*?"<>|#^\[\]]', path.name)
    text = path.read_text()
    body = text.split("\n---\n", 1)[1]
    assert not LIVE.search(body)
    assert "ignore previous" not in body.lower()
    assert set(re.findall(r"\[\[([^\]|]+)", body)) <= {"Local-first map"}
    assert body.count("\n---") == 0
    assert "contains instructions for an AI assistant" in body
    assert sorted(path.name for path in lacuna.vault.iterdir()) == ["Inbox", "Local-first map.md"]
