"""A vault, or a part of it, that is away for a while is not taken for deleted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.indexed_vault import IndexedVault
from vault_adapters.base import EmptiedVaultError, UnreadableVaultError, VaultNotFoundError

NOTES = 12


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    vault = IndexedVault(tmp_path)
    for number in range(NOTES):
        vault.write(f"Folder {number % 3}/{number}.md", f"note {number}, see [[{number + 1}]]\n")
    vault.sync()
    yield vault
    vault.db.close()


@contextmanager
def closed(folder: Path, error: OSError) -> Iterator[None]:
    """Let nobody look into `folder`, as a disk with trouble does; permissions do not stop root."""
    look = os.scandir

    def scandir(path: Any = ".") -> Any:
        if Path(path) == folder:
            raise error
        return look(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "scandir", scandir)
        yield


def everything(vault: IndexedVault) -> list[Any]:
    return [vault.notes.all(), vault.notes.links(), vault.notes.chunks(), len(vault.vectors)]


def test_a_vault_that_is_not_there_is_no_empty_vault(vault: IndexedVault) -> None:
    before = everything(vault)
    away = vault.root.rename(vault.folder / "away")
    with pytest.raises(VaultNotFoundError):
        vault.sync()
    away.rename(vault.root)
    assert vault.sync().removed == 0
    assert everything(vault) == before


def test_an_empty_folder_in_its_place_is_refused(vault: IndexedVault) -> None:
    before = everything(vault)
    away = vault.root.rename(vault.folder / "away")
    vault.root.mkdir()
    (vault.root / ".hidden").write_text("a mount point is seldom quite empty")
    with pytest.raises(EmptiedVaultError, match=rf"is empty, and {NOTES} files were in it"):
        vault.sync()
    assert everything(vault) == before
    (vault.root / ".hidden").unlink()
    vault.root.rmdir()
    away.rename(vault.root)
    assert vault.sync().removed == 0


def test_a_vault_that_was_emptied_on_purpose_is_taken_so_after_a_new_note(
    vault: IndexedVault,
) -> None:
    for note in vault.notes.all():
        vault.delete(note.path)
    vault.write("A new beginning.md", "hello\n")
    assert vault.sync().removed == NOTES


def test_a_vault_of_a_few_notes_may_be_emptied(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path / "small")
    vault.write("only.md", "hello\n")
    vault.sync()
    vault.delete("only.md")
    assert vault.sync().removed == 1
    vault.db.close()


def test_notes_below_an_unreadable_folder_are_kept(vault: IndexedVault) -> None:
    before = everything(vault)
    with closed(vault.root / "Folder 1", PermissionError(13, "Permission denied")):
        report = vault.sync()
    assert [entry.path for entry in report.skipped] == ["Folder 1"]
    assert report.removed == 0
    assert everything(vault) == before
    vault.delete("Folder 1/1.md")
    assert vault.sync().removed == 1


def test_links_to_kept_notes_still_lead_there(vault: IndexedVault) -> None:
    with closed(vault.root / "Folder 1", OSError(5, "Input/output error")):
        vault.write("New.md", "see [[4]]\n")
        vault.sync()
    assert [link.resolved for link in vault.notes.links() if link.source == "New.md"] == [
        "Folder 1/4.md"
    ]


def test_a_folder_that_is_gone_by_the_time_it_is_read_is_gone(vault: IndexedVault) -> None:
    with closed(vault.root / "Folder 1", FileNotFoundError(2, "No such file or directory")):
        assert vault.sync().removed == NOTES // 3


def test_a_root_that_cannot_be_read_is_no_empty_vault(vault: IndexedVault) -> None:
    before = everything(vault)
    with (
        closed(vault.root, OSError(107, "Transport endpoint is not connected")),
        pytest.raises(UnreadableVaultError),
    ):
        vault.sync()
    assert everything(vault) == before


def test_what_is_kept_by_a_note_s_path_moves_in_the_same_step(vault: IndexedVault) -> None:
    def fail(_old: str, _new: str) -> None:
        raise ZeroDivisionError

    vault.move("Folder 1/1.md", "Folder 2/1.md")
    with pytest.raises(ZeroDivisionError):
        vault.sync(moved=fail)
    reported: list[tuple[str, str]] = []
    vault.sync(moved=lambda old, new: reported.append((old, new)))
    assert reported == [("Folder 1/1.md", "Folder 2/1.md")]


def test_what_is_kept_by_a_note_s_path_follows_a_note_that_was_moved_and_edited(
    vault: IndexedVault,
) -> None:
    vault.move("Folder 1/1.md", "Folder 2/1.md")
    with (vault.root / "Folder 2/1.md").open("a") as file:
        file.write("more words\n")
    reported: list[tuple[str, str]] = []
    report = vault.sync(moved=lambda old, new: reported.append((old, new)))
    assert reported == [("Folder 1/1.md", "Folder 2/1.md")]
    assert (report.changed, report.removed) == (("Folder 2/1.md",), 1)
