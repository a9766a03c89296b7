"""When a confined process has to be restarted."""

import shutil
from pathlib import Path

import pytest

from daemon.confinement.confine import Confinement, existing


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault" / "Inbox").mkdir(parents=True)
    return tmp_path / "vault"


@pytest.fixture
def confinement(vault: Path) -> Confinement:
    return confined_to(vault, vault / "Inbox")


def confined_to(vault: Path, inbox: Path) -> Confinement:
    found = inbox.stat()
    known = {inbox: (found.st_dev, found.st_ino)}
    return Confinement("", vault, known, frozenset(known))


def test_the_same_folders_with_other_notes_in_them_are_the_same(
    confinement: Confinement, vault: Path
) -> None:
    (vault / "Inbox" / "note.md").write_text("new")
    assert not confinement.is_stale(0.0)


def test_another_folder_of_the_same_name_is_another(confinement: Confinement, vault: Path) -> None:
    (vault / "Inbox").rename(vault / "Before")  # kept, or its number might be given out again
    (vault / "Inbox").mkdir()
    assert confinement.is_stale(0.0)


def test_a_folder_that_is_gone_is_waited_for_and_then_missed(
    confinement: Confinement, vault: Path
) -> None:
    (vault / "note.md").write_text("mine")
    (vault / "Inbox").rename(vault / "Elsewhere")
    assert [confinement.is_stale(now) for now in (100.0, 104.0, 105.1)] == [False, False, True]


def test_a_folder_that_comes_back_in_time_was_never_gone(
    confinement: Confinement, vault: Path
) -> None:
    (vault / "note.md").write_text("mine")
    (vault / "Inbox").rename(vault / "Elsewhere")
    assert not confinement.is_stale(100.0)
    (vault / "Elsewhere").rename(vault / "Inbox")
    assert not confinement.is_stale(200.0)
    (vault / "Inbox").rename(vault / "Elsewhere")
    assert not confinement.is_stale(300.0)


def test_while_the_whole_vault_is_away_its_inbox_is_not_missed(
    confinement: Confinement, vault: Path
) -> None:
    shutil.rmtree(vault)
    assert not confinement.is_stale(0.0)
    vault.mkdir()  # where its disk is mounted
    assert not confinement.is_stale(1000.0)


def test_the_inbox_of_an_empty_vault_is_missed_at_its_first_note(tmp_path: Path) -> None:
    inbox = tmp_path / "Inbox"
    confinement = Confinement("", tmp_path, {inbox: None}, frozenset({inbox}))
    assert not confinement.is_stale(1000.0)
    (tmp_path / "First.md").touch()
    assert confinement.is_stale(1000.0)


def test_what_could_not_be_made_at_first_counts_as_soon_as_it_is_there(vault: Path) -> None:
    inbox = vault / "Inbox" / "Research"
    confinement = Confinement("", vault, {inbox: None}, frozenset())
    assert not confinement.is_stale(1000.0)
    inbox.mkdir()
    assert confinement.is_stale(1000.0)


def test_what_is_not_confined_is_never_out_of_date(tmp_path: Path) -> None:
    assert not Confinement("turned off", tmp_path / "gone").is_stale(0.0)


def test_other_folders_that_may_be_written_to_are_those_that_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "cache").mkdir()
    assert existing(["~/cache", "~/nowhere"]) == (tmp_path / "cache",)
