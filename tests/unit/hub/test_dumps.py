"""Backup and restore: the whole hub comes back, and vaults send what it lacks."""

from pathlib import Path

import pytest
from sqlalchemy import text

from daemon.hub.database import Database
from daemon.hub.dumps import dump, restore
from daemon.hub.members import Grantee, People, Role
from daemon.hub.published import Vault
from daemon.hub.shared_search import SharedSearch
from daemon.model.errors import HubConflictError, HubError
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from tests.fakes.postgres import programs


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    """PostgreSQL's programs are on this machine."""
    monkeypatch.setenv("PATH", str(programs(server)), prepend=":")


def a_note(path: str) -> SharedNote:
    return SharedNote(path=path, hash="1", chunks=(SharedChunk(text="flour and water"),))


@pytest.mark.usefixtures("installed")
def test_a_restored_hub_has_everything_and_vaults_send_what_came_after(
    database: Database, empty: str, tmp_path: Path
) -> None:
    file = tmp_path / "hub.dump"
    with database.begin() as connection:
        people = People(connection, "test")
        ada, ben = people.add("ada"), people.add("ben")
        people.add_vault("V", "ada")
        people.grant("V", Grantee("ben"), Role.READER, folder="Open")
        Vault(connection, "V", ada).apply(Batch(revision=0, notes=(a_note("Open/A.md"),)))
        Vault(connection, "V", ada).apply(Batch(revision=1, notes=(a_note("B.md"),)))
    assert dump(database, file) == file.stat().st_size > 0
    assert file.stat().st_mode & 0o077 == 0
    with database.begin() as connection:  # after the backup
        Vault(connection, "V", ada).apply(Batch(revision=2, notes=(a_note("Open/C.md"),)))
    again = Database(empty)
    assert restore(again, file) == database.version()
    assert again.migrate()[0] == database.version()
    with again.as_person(ben.id) as connection:  # rights and row-level security are there
        assert [hit.path for hit in SharedSearch(connection).search("flour", None, 9)] == [
            "Open/A.md"
        ]
        assert connection.scalar(text("SELECT count(*) FROM notes")) == 1
    with again.begin() as connection:
        vault = Vault(connection, "V", ada)
        with pytest.raises(HubConflictError):  # what the vault takes to be the newest revision
            vault.apply(Batch(revision=3, notes=(a_note("D.md"),)))
        known = vault.published()
        assert known.revision == 2
        assert known.hashes.keys() == {"Open/A.md", "B.md"}
        vault.apply(Batch(revision=2, notes=(a_note("Open/C.md"),)))
    again.close()


@pytest.mark.usefixtures("installed")
def test_a_backup_replaces_no_file_and_is_restored_into_no_other_hub(
    database: Database, empty: str, tmp_path: Path
) -> None:
    file = tmp_path / "hub.dump"
    file.write_text("mine")
    with pytest.raises(HubError, match="file exists"):
        dump(database, file)
    assert file.read_text() == "mine"
    with pytest.raises(HubError, match="this database has tables"):
        restore(database, file)
    other = Database(empty)
    with pytest.raises(HubError, match="no tables yet"):
        dump(other, tmp_path / "none")
    with pytest.raises(HubError, match="pg_restore failed: error: "):
        restore(other, file)
    other.close()


def test_a_missing_program_is_named(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HubError, match="pg_dump is not installed"):
        dump(database, tmp_path / "hub.dump")
    assert list(tmp_path.iterdir()) == []
