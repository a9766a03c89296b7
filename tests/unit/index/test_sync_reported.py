"""A sync with the paths of edited notes reads nothing else, and misses nothing."""

import pytest

from tests.fakes.indexed_vault import IndexedVault


@pytest.fixture
def kept(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> IndexedVault:
    """A vault that was looked at once, and cannot be looked at as a whole again."""
    vault.write("A.md", "bees and [[B]]")
    vault.write("B.md", "wasps")
    vault.write("figure.png", b"")
    vault.sync()
    vault.sync()

    def scan() -> None:
        raise AssertionError("the whole vault was looked at")

    monkeypatch.setattr(vault.syncer._adapter, "scan", scan)
    return vault


def test_an_edited_note_is_read_by_itself(kept: IndexedVault) -> None:
    kept.write("A.md", "ants and [[B]] and [[C]]")
    report = kept.sync_reported()
    assert report.changed == ("A.md",)
    assert (report.notes, report.links, report.unresolved, report.embedded) == (2, 2, 1, 1)
    assert kept.search.search("ants")[0].path == "A.md"
    assert kept.notes.by_words("bees", 5) == []


def test_a_touched_note_is_only_restamped(kept: IndexedVault) -> None:
    kept.touch("A.md")
    assert kept.sync_reported().changed == ()
    assert kept.sync(among=["A.md"]).changed == ()


@pytest.mark.parametrize("deed", ["new", "delete", "move", "attachment gone", "folder", "nothing"])
def test_changes_other_than_an_edit_of_a_note_trigger_a_full_scan(
    kept: IndexedVault, deed: str
) -> None:
    if deed == "new":
        kept.write("C.md", "new")
    elif deed == "delete":
        kept.delete("A.md")
    elif deed == "move":
        kept.move("A.md", "one/A.md")
    elif deed == "attachment gone":
        kept.delete("figure.png")
    elif deed == "folder":
        kept.reported.add("one")
    with pytest.raises(AssertionError, match="whole vault"):
        kept.sync_reported()


def test_a_symbolic_link_in_place_of_a_note_triggers_a_full_scan(kept: IndexedVault) -> None:
    kept.delete("A.md")
    (kept.root / "A.md").symlink_to(kept.root / "B.md")
    with pytest.raises(AssertionError, match="whole vault"):
        kept.sync_reported()


def test_a_note_with_two_names_is_read_under_both(vault: IndexedVault) -> None:
    vault.write("A.md", "bees")
    (vault.root / "Two.md").symlink_to(vault.root / "A.md")
    vault.sync()
    vault.sync()
    vault.write("A.md", "wasps")
    vault.sync_reported()
    found = vault.search.search("wasps")
    assert [hit.path for hit in found[:2]] == ["A.md", "Two.md"]
    assert vault.notes.by_words("bees", 5) == []


def test_after_a_failed_sync_the_whole_vault_is_scanned(
    kept: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.write("A.md", "ants")
    with monkeypatch.context() as patch:
        patch.setattr(kept.notes, "put", lambda _batch: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            kept.sync_reported()
    kept.write("B.md", "flies")
    with pytest.raises(AssertionError, match="whole vault"):
        kept.sync_reported()


def test_the_first_sync_of_a_process_scans_the_whole_vault(vault: IndexedVault) -> None:
    vault.write("A.md", "bees")
    vault.sync()
    vault.write("A.md", "wasps")
    vault.write("B.md", "flies")
    vault.reopen()
    assert vault.sync(among=["A.md"]).changed == ("A.md", "B.md")


def test_what_is_to_be_read_again_is_read_along(kept: IndexedVault) -> None:
    kept.db.execute("UPDATE notes SET recheck = 1 WHERE path = 'B.md'")
    (kept.root / "B.md").write_text("flies")
    kept.reported.clear()
    kept.write("A.md", "ants")
    assert kept.sync_reported().changed == ("A.md", "B.md")
