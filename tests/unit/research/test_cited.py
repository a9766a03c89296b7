from pathlib import Path

from daemon.research.cited import cited_by_notes, cited_in
from tests.fakes.indexed_vault import IndexedVault


def test_what_a_note_cites_is_known_by_all_its_keys() -> None:
    text = (
        "See [a page](https://www.example.org/a_(b)?utm_source=x), <https://example.org/c>. "
        "Also doi:10.1000/ABC. and 10.1000/def, https://doi.org/10.1000/ghi; arXiv:2101.00001v2 "
        "and https://export.arxiv.org/pdf/2101.00002v1.pdf."
    )
    found = cited_in([("a.md", text), ("b.md", "https://example.org/c again, 10.1000/only-b")])
    assert found["url:example.org/a_(b)"] == "a.md"
    assert found["url:example.org/c"] == "a.md"
    assert {key for key, path in found.items() if path == "b.md"} == {"doi:10.1000/only-b"}
    for key in ("doi:10.1000/abc", "doi:10.1000/def", "doi:10.1000/ghi"):
        assert found[key] == "a.md"
    for key in ("arxiv:2101.00001", "arxiv:2101.00002"):
        assert found[key] == "a.md"


def test_a_note_without_addresses_cites_nothing() -> None:
    assert cited_in([("a.md", "Version 10.2 of 3/4, see below.")]) == {}


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
