from pathlib import Path

from daemon.cycle.cited import cited_by_notes
from tests.fakes.indexed_vault import IndexedVault


def test_notes_cite_in_their_text_and_in_their_properties(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path)
    vault.write("a.md", "Read [this](https://www.example.org/a?utm_source=x) on doi:10.1000/ABC.")
    vault.write("b.md", "---\ndoi: 10.1000/def\nlinks:\n  - https://example.org/b\n---\nText.")
    vault.sync()
    assert cited_by_notes(vault.notes) == {
        "url:example.org/a": "a.md",
        "doi:10.1000/abc": "a.md",
        "doi:10.1000/def": "b.md",
        "url:example.org/b": "b.md",
    }


def test_our_own_notes_cite_nothing(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path)
    ours = "---\ntype: finding\nlacuna_id: f1\nsource: https://example.org/a\n---\nhttps://b.org/b"
    vault.write("Inbox/ours.md", ours)
    vault.sync()
    assert cited_by_notes(vault.notes) == {}
