"""A disk that fails to read the database: not taken for a damaged file, whatever SQLite reports."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.model.errors import UnreadableStoreError
from daemon.store import marks
from daemon.store.db import Database
from daemon.store.integrity import corrupt, translated

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="only Linux lists the open files of a process"
)


def fail(*_: object) -> bytes:
    raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR_CORRUPTFS])
def test_a_failed_read_of_an_open_database_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    with closing(Database(tmp_path / "lacuna.db")) as db:
        db.set_meta("a", "b")
        monkeypatch.setattr("os.pread", fail)
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = code
        with pytest.raises(UnreadableStoreError, match="check the disk"), translated(db.path):
            raise error
        assert not marks.is_marked_corrupt(db.path)


def test_a_failed_read_at_the_start_leaves_the_database_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise corrupt("database disk image is malformed")

    with closing(Database(tmp_path / "lacuna.db")) as db:
        db.set_meta("a", "b")
    with monkeypatch.context() as patch:
        patch.setattr("os.pread", fail)
        patch.setattr("daemon.store.db.migrate", damaged)
        with pytest.raises(UnreadableStoreError, match="Input/output error"):
            Database(tmp_path / "lacuna.db")
    with closing(Database(tmp_path / "lacuna.db")) as db:
        assert db.get_meta("a") == "b"
    assert not list(tmp_path.glob("*.corrupt-*"))
