"""The database: all or nothing, clear errors, and a way back from a corrupt file."""

import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.model.errors import NewerSchemaError, StoreError
from daemon.store.db import PAGE, Database
from daemon.store.schema import MIGRATIONS


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


def keep_topic(db: Database, topic: str) -> None:
    db.execute("INSERT INTO never_topics (topic, said_at) VALUES (?, '')", (topic,))


def topics(db: Database) -> list[str]:
    return [row["topic"] for row in db.rows("SELECT topic FROM never_topics ORDER BY topic")]


def test_what_was_written_is_there_when_opened_again(tmp_path: Path) -> None:
    first = Database(tmp_path / "deep" / "lacuna.db")
    first.set_meta("a", "1")
    first.set_meta("a", "2")
    first.close()
    second = Database(tmp_path / "deep" / "lacuna.db")
    assert second.get_meta("a") == "2"
    assert second.get_meta("b") is None
    second.close()


def test_a_failed_transaction_leaves_nothing(db: Database) -> None:
    def fail() -> None:
        with db.transaction():
            keep_topic(db, "bees")
            with db.transaction():
                keep_topic(db, "wasps")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert topics(db) == []


def test_an_error_of_the_caller_s_own_passes_through_a_transaction(db: Database) -> None:
    with pytest.raises(FileNotFoundError), db.transaction():
        raise FileNotFoundError


def test_a_wrong_statement_names_the_file(db: Database) -> None:
    with pytest.raises(StoreError, match=r"lacuna\.db: no such table: wasps"):
        db.rows("SELECT * FROM wasps")


def test_a_database_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(NewerSchemaError, match="update Lacuna"):
        Database(path)
    assert path.exists()


def test_a_folder_in_its_place_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "lacuna.db").mkdir()
    with pytest.raises(StoreError, match=r"lacuna\.db: (unable to open|Is a directory)"):
        Database(tmp_path / "lacuna.db")


def test_a_file_in_the_way_of_its_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(StoreError, match=r"(?i)not a directory|file exists"):
        Database(tmp_path / "state" / "lacuna.db")


def test_a_corrupt_database_is_set_aside_and_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "lacuna.db"
    rubbish = b"not a database, but long enough to look like one" * 100
    (tmp_path / "lacuna.db.corrupt-1").write_bytes(b"an older one")
    path.write_bytes(rubbish)
    with caplog.at_level(logging.ERROR):
        database = Database(path)
    assert topics(database) == []
    assert (tmp_path / "lacuna.db.corrupt-2").read_bytes() == rubbish
    assert "lacuna.db.corrupt-2" in caplog.text
    database.close()


def test_what_the_vault_cannot_restore_is_saved_from_a_corrupt_database(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    first = Database(path)
    first.executemany(
        "INSERT INTO embeddings (hash, model, vector) VALUES (?, 'm', ?)",
        ((str(n), b"x" * 2000) for n in range(200)),
    )
    keep_topic(first, "bees")
    page = first.value("SELECT max(rootpage) FROM sqlite_schema WHERE name LIKE '%embeddings%'")
    first.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * PAGE : page * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)
    second = Database(path)
    assert topics(second) == ["bees"]
    assert second.value("SELECT count(*) FROM embeddings") == 0
    assert (tmp_path / "lacuna.db.corrupt-1").exists()
    second.close()


def test_a_killed_writer_s_database_is_not_taken_for_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    first = Database(path)
    keep_topic(first, "bees")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("lacuna.db", "lacuna.db-wal"):  # what a killed process leaves behind
        (copy / name).write_bytes((tmp_path / name).read_bytes())
    first.close()
    second = Database(copy / "lacuna.db")
    assert topics(second) == ["bees"]
    assert list(copy.glob("*.corrupt-*")) == []
    second.close()


def test_corruption_found_at_work_is_mended_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    first = Database(path)
    first.executemany(
        "INSERT INTO never_topics (topic, said_at) VALUES (?, ?)",
        ((f"topic {n}", "x" * 500) for n in range(200)),
    )
    first.close()
    second = Database(path)
    data = bytearray(path.read_bytes())
    page = second.value("SELECT rootpage FROM sqlite_schema WHERE name = 'never_topics'")
    data[(page - 1) * PAGE : page * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"is corrupt .* restart"):
        second.rows("SELECT * FROM never_topics")
    second._connection.close()
    third = Database(path)
    assert topics(third) == []
    third.close()


def test_threads_share_a_connection(db: Database) -> None:
    def work(number: int) -> None:
        for n in range(20):
            with db.transaction():
                keep_topic(db, f"{number}-{n}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(topics(db)) == 80


def test_rows_can_be_gone_over_while_others_write(db: Database) -> None:
    for n in range(10):
        keep_topic(db, f"{n}")
    seen = 0
    for _ in db.each("SELECT * FROM never_topics", size=3):
        db.set_meta("seen", str(seen))
        seen += 1
    assert seen == 10


def test_a_database_that_is_opened_twice_stays_locked_for_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    first = Database(path)
    first.set_meta("one", "1")
    second = Database(path)  # as when the settings are reloaded
    first.close()
    read = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
        "print(db.execute(\"SELECT count(*) FROM meta WHERE key IN ('one', 'two')\").fetchone()[0])"
    )

    def seen_elsewhere() -> str:
        done = subprocess.run(
            [sys.executable, "-c", read, str(path)], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert seen_elsewhere() == "1"  # which closes the database, and must not take it for the last
    second.set_meta("two", "2")
    assert seen_elsewhere() == "2"
    second.close()
