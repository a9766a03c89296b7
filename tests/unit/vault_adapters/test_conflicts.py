import pytest

from vault_adapters.conflicts import is_conflict
from vault_adapters.ignored import evicted_name, is_ignored


@pytest.mark.parametrize(
    "path",
    [
        "a/Note.sync-conflict-20261121-101112-ABCDEFG.md",
        "Note (Ann's conflicted copy 2026-11-21).md",
        "Note (conflicted copy 2026-11-21 101112).md",
        "Note (Conflicted copy iPhone 202611211011).md",
        "Note (Ann's CONFLICTED COPY).md",
        "Note (In Konflikt stehende Kopie von Ann 2026-11-21).md",
        "Note (Copie en conflit de Ann 2026-11-21).md",
        "Note (SFConflict ann@b.c 2026-11-21-10-11-12).md",
        "Note (conflict 2026-11-21-10-11-12).md",
        "Note_PC_Nov-21-101112-2026_Conflict.md",
        "Note.conflict2.md",
        "Note.md.conflict1",
        "Folder (Ann's conflicted copy 2026-11-21)/Note.md",
        "picture (conflicted copy).png",
    ],
)
def test_each_program_names_its_copies_so(path: str) -> None:
    assert is_conflict(path)


@pytest.mark.parametrize(
    "path",
    [
        *("Conflict.md", "The conflict (2026).md", "Konflikt (Roman).md", "a (copy).md"),
        *("conflicted copy.md", "Merge conflicts in git.md", "sync-conflict.md", "Note 2.md"),
    ],
)
def test_notes_about_conflicts_are_none(path: str) -> None:
    assert not is_conflict(path)


@pytest.mark.parametrize(
    ("name", "kept"), [(".Note.md.icloud", "Note.md"), ("Note.icloud", ""), (".icloud", "")]
)
def test_a_placeholder_says_what_it_stands_for(name: str, kept: str) -> None:
    assert evicted_name(name) == kept


@pytest.mark.parametrize(
    "path",
    ["Note (Case Conflict).md", "A/Note (Case Conflict 1).md", "Note (Unsynced copy).md"],
)
def test_copies_of_case_and_of_what_was_not_synced_are_conflicts(path: str) -> None:
    assert is_conflict(path)


def test_what_synology_keeps_of_each_folder_is_not_of_the_vault() -> None:
    assert is_ignored("@eaDir/Note.md/SYNOINDEX_MEDIA_INFO.md")
    assert is_ignored("A/@eaDir/Note.md")
    assert not is_ignored("@eaDirectory/Note.md")
