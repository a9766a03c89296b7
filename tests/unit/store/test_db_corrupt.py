"""A corrupt database is set aside whatever interrupts that, and what can be read is saved."""

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daemon.model.errors import (
    CorruptStoreError,
    NewerSchemaError,
    StoppedError,
    StoreError,
    UnreadableStoreError,
)
from daemon.ports import Stop
from daemon.store import db as module
from daemon.store import integrity, marks
from daemon.store.announcements import AnnouncementStore
from daemon.store.db import PAGE, Database
from daemon.store.findings import FindingStore
from daemon.store.integrity import translated
from daemon.store.lock import WriterLock
from daemon.store.salvage import salvage
from daemon.store.schema import MIGRATIONS
from daemon.store.troubles import TroubleStore
from tests.fakes.indexed_vault import IndexedVault

TOPICS = 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database whose table of topics spans many pages, of which one in the middle is zeroed."""
    path = tmp_path / "lacuna.db"
    database = Database(path)
    database.executemany(
        "INSERT INTO never_topics (topic, said_at) VALUES (?, ?)",
        ((f"topic {n:04}", "x" * 300) for n in range(TOPICS)),
    )
    database.execute("INSERT INTO job_runs (job, last_run_at) VALUES ('weekly', '2026-11-21')")
    database.close()
    zero_page_with(path, b"topic 0200")
    return path


def zero_page_with(path: Path, text: bytes) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(text) // PAGE * PAGE
    data[at : at + PAGE] = bytes(PAGE)
    path.write_bytes(data)


def topics(database: Database) -> set[str]:
    return {row["topic"] for row in database.rows("SELECT topic FROM never_topics")}


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def test_what_lies_on_both_sides_of_a_bad_page_is_saved(path: Path) -> None:
    database = Database(path)
    saved = topics(database)
    assert {"topic 0000", "topic 0399"} <= saved
    assert len(saved) > TOPICS - 2 * PAGE // 300
    assert database.value("SELECT count(*) FROM job_runs") == 1
    assert database.get_meta("to_learn") == "1"
    database.close()
    assert names(path) == ["daemon.lock", "lacuna.db", "lacuna.db.closed", "lacuna.db.corrupt-1"]


def test_it_is_reported_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        with caplog.at_level(logging.WARNING):
            Database(path).close()
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"{path} was corrupt (")
    assert "it is kept as lacuna.db.corrupt-1 and replaced" in caplog.messages[0]


STEPS = ("begin_setting_aside", "set_aside", "salvage", "end_setting_aside")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_a_kill_while_it_is_set_aside_loses_nothing(
    path: Path, step: str, is_done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Database(Path(shutil.copytree(path.parent, path.parent / "copy")) / path.name)
    with monkeypatch.context() as patch:
        patch.setattr(module if step == "salvage" else marks, step, killed_at(step, is_done))
        with pytest.raises(KeyboardInterrupt):
            Database(path)
    database = Database(path)
    assert topics(database) == topics(expected)
    assert len(list(path.parent.glob("*.corrupt-1"))) == 1
    assert not list(path.parent.glob("*.corrupt-2"))
    database.close()
    expected.close()
    Database(path).close()
    assert not list(path.parent.glob("*.aside"))


def killed_at(step: str, is_done: bool) -> Any:
    """Return what ends the process in the place of a step, or right after it."""
    really = getattr(module if step == "salvage" else marks, step)

    def killed(*args: Any) -> None:
        if is_done:
            really(*args)
        raise KeyboardInterrupt

    return killed


def test_rows_of_a_journal_that_was_left_are_saved_too(tmp_path: Path) -> None:
    writer = Database(tmp_path / "lacuna.db")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.execute("INSERT INTO never_topics (topic, said_at) VALUES ('bees', '')")
    killed = tmp_path / "killed"
    killed.mkdir()
    for ending in ("", "-wal", "-shm"):
        shutil.copy(tmp_path / f"lacuna.db{ending}", killed)
    writer.close()
    marks.mark_corrupt(killed / "lacuna.db")
    database = Database(killed / "lacuna.db")
    assert topics(database) == {"bees"}
    database.close()


def test_a_journal_without_its_database_does_no_harm(tmp_path: Path) -> None:
    writer = Database(tmp_path / "lacuna.db")
    writer.execute("INSERT INTO never_topics (topic, said_at) VALUES ('bees', '')")
    left = tmp_path / "left"
    left.mkdir()
    for ending in ("-wal", "-shm"):
        shutil.copy(tmp_path / f"lacuna.db{ending}", left)
    writer.close()
    database = Database(left / "lacuna.db")
    assert topics(database) == set()
    assert database.value("PRAGMA integrity_check") == "ok"
    database.close()


def test_a_database_in_use_by_another_process_is_not_replaced(path: Path) -> None:
    marks.mark_corrupt(path)
    before = path.read_bytes()
    with (
        WriterLock(path.with_name("daemon.lock"), holder="lacuna run"),
        pytest.raises(CorruptStoreError, match=r"about to be repaired: lacuna run .*; try again"),
    ):
        Database(path)
    assert path.read_bytes() == before


def test_corrupt_words_are_remembered_although_they_look_whole(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    first = Database(path)
    first.execute("INSERT INTO chunk_words (rowid, title, heading, text) VALUES (1, 'a', 'b', 'c')")
    first.execute("UPDATE chunk_words_data SET block = X'ffffffffffff' WHERE id > 10")
    first.close()
    first = Database(path)
    with pytest.raises(CorruptStoreError):
        first.rows("SELECT rowid FROM chunk_words WHERE chunk_words MATCH 'c'")
    first.close()
    second = Database(path)
    assert second.rows("SELECT rowid FROM chunk_words WHERE chunk_words MATCH 'c'") == []
    second.close()
    assert path.with_name("lacuna.db.corrupt-1").exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE chunk_words_data SET block = X'ffffffffffff' WHERE id > 10",
        "UPDATE chunk_words_content SET c2 = 'wasps' WHERE id = 7",
        "DELETE FROM chunk_words_docsize WHERE id = 7",
    ],
    ids=["a block", "a text", "a size"],
)
def test_corruption_in_the_text_index_is_found_by_the_integrity_check(
    damage: str, tmp_path: Path
) -> None:
    database = Database(tmp_path / "lacuna.db")
    database.executemany(
        "INSERT INTO chunk_words (rowid, title, heading, text) VALUES (?, '', '', ?)",
        ((n, f"bees {n}") for n in range(20)),
    )
    database.check_integrity(Stop())
    another = sqlite3.connect(database.path, isolation_level=None)
    another.execute(damage)
    another.close()
    database.check()
    with pytest.raises(CorruptStoreError):
        database.check_integrity(Stop())
    with pytest.raises(CorruptStoreError):  # so that whoever is at work on it takes notice, too
        database.check()
    database.close()


def test_malformed_text_is_found_by_the_integrity_check(tmp_path: Path) -> None:
    database = Database(tmp_path / "lacuna.db")
    database.execute("INSERT INTO digests (id, path) VALUES ('digest-1', CAST(X'4469E0' AS TEXT))")
    with pytest.raises(CorruptStoreError, match="decode"):
        database.check_integrity(Stop())
    database.close()


def test_a_full_check_ends_when_a_stop_is_asked_for_and_finds_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "_STEPS", 1)
    database = Database(tmp_path / "lacuna.db")
    with pytest.raises(StoppedError):
        database.check_integrity(Stop(is_requested=True))
    database.check()
    database.check_integrity(Stop())
    database.close()


def test_a_bad_page_is_found_though_this_connection_remembers_the_good_one(tmp_path: Path) -> None:
    database = Database(tmp_path / "lacuna.db")
    rows = ((f"topic {n:04}", "x" * 300) for n in range(TOPICS))
    database.executemany("INSERT INTO never_topics (topic, said_at) VALUES (?, ?)", rows)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert len(topics(database)) == TOPICS
    zero_page_with(database.path, b"topic 0200")
    assert len(topics(database)) == TOPICS
    with pytest.raises(CorruptStoreError):
        database.check_integrity(Stop())
    database.close()


@pytest.mark.parametrize("is_replaced", [False, True], ids=["taken away", "replaced"])
def test_a_database_whose_file_is_another_one_is_not_gone_on_with(
    is_replaced: bool, tmp_path: Path
) -> None:
    path = tmp_path / "lacuna.db"
    database = Database(path)
    database.check()
    path.rename(tmp_path / "elsewhere.db")
    if is_replaced:
        Database(path).close()
    with pytest.raises(CorruptStoreError, match="was replaced by another file: restart"):
        database.check()
    database.close()
    again = Database(path)
    again.check()
    again.close()
    assert not list(tmp_path.glob("*.corrupt-*"))


def test_a_malformed_row_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    first = Database(path)
    for id_, status in (("good", "pending"), ("bad", "p\x00nding")):
        first.execute(
            "INSERT INTO findings (id, run, path, status, title, source, key, topic, credibility,"
            " created_at) VALUES (?, 'r', 'p', ?, 't', 's', 'k', 'x', 0.5, '2026-11-21T09:30:00')",
            (id_, status),
        )
    with pytest.raises(CorruptStoreError, match="malformed row"):
        FindingStore(first).all()
    first.close()
    second = Database(path)
    assert [record.id for record in FindingStore(second).all()] == ["good"]
    second.close()


@pytest.mark.parametrize(
    "change",
    [
        "notes SET role = 'nope'",
        'notes SET tags = \'["a" "b"]\'',
        "notes SET names = '[\"a'",
        "notes SET headings = '[1]'",
        "notes SET frontmatter = '{'",
        "notes SET changed_at = '2026-99-01'",
        "notes SET words = 'many'",
        "links SET kind = 'wikj'",
        "embeddings SET vector = 'text'",
        "embeddings SET vector = x'00'",
    ],
)
def test_a_row_of_the_index_that_a_flipped_bit_changed_has_the_index_rebuilt(
    tmp_path: Path, change: str
) -> None:
    vault = IndexedVault(tmp_path)
    vault.write("Tides.md", "# Tides\n\n#sea Tides follow the [[Moon]], as all who row know.\n")
    vault.sync()
    vault.db.execute(f"UPDATE {change}")
    with pytest.raises(CorruptStoreError):
        read_all(vault)
    vault.db.close()
    vault.open()
    vault.sync()
    read_all(vault)
    assert [row.path for row in vault.notes.all()] == ["Tides.md"]
    vault.db.close()


def read_all(vault: IndexedVault) -> None:
    notes = vault.notes
    for read in (notes.all, notes.links, notes.stamps, notes.names, notes.aliases):
        read()
    notes.note_vectors(vault.embedder.model)


def test_a_newer_database_is_not_touched_by_a_single_byte(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    Database(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    for _ in range(2):
        with pytest.raises(NewerSchemaError, match="was written by a newer Lacuna"):
            Database(path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def flip_a_bit_that_the_quick_check_misses(path: Path, text: bytes) -> None:
    """Flip one bit of a text where an index keeps it, and not the table."""
    data, at = bytearray(path.read_bytes()), -1
    while (at := data.find(text, at + 1)) >= 0:
        data[at + len(text) - 1] ^= 1
        path.write_bytes(data)
        with closing(sqlite3.connect(path)) as connection:
            quick, full = (
                connection.execute(f"PRAGMA {check}_check").fetchone()[0]
                for check in ("quick", "integrity")
            )
        if quick == "ok" != full:
            return
        data[at + len(text) - 1] ^= 1
    raise AssertionError("no such bit")


@pytest.fixture
def flipped(tmp_path: Path) -> Path:
    """A database that was closed in good order, of which one bit of an index is another since."""
    path = tmp_path / "lacuna.db"
    database = Database(path)
    for name in ("Ants", "Bees", "Crickets"):
        database.execute(
            "INSERT INTO notes (path, role, size, mtime_ns, changed_at)"
            " VALUES (?, 'note', 1, 1, '')",
            (f"Insects/{name}.md",),
        )
    database.execute("INSERT INTO job_runs (job, last_run_at) VALUES ('weekly', '2026-11-21')")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    flip_a_bit_that_the_quick_check_misses(path, b"Insects/Bees.md")
    marks.mark_closed(path)  # as a disk would do it, behind our back
    return path


def test_a_flipped_bit_in_an_index_is_found_by_the_integrity_check(flipped: Path) -> None:
    database = Database(flipped)
    with pytest.raises(CorruptStoreError):
        database.check_integrity(Stop())
    database.close()


def test_a_rule_that_a_flipped_bit_breaks_has_the_database_rebuilt_and_reported(
    flipped: Path,
) -> None:
    database = Database(flipped)
    with pytest.raises(CorruptStoreError):
        database.execute(
            "INSERT INTO notes (path, role, size, mtime_ns, changed_at)"
            " VALUES ('Insects/Ants.md', 'note', 1, 1, '')"
        )
    database.close()
    database = Database(flipped)
    assert database.value("SELECT count(*) FROM job_runs") == 1
    (trouble,) = TroubleStore(database).last()
    assert trouble.part == "database"
    assert "rebuilt" in trouble.line
    assert trouble.over_at is not None
    database.execute(
        "INSERT INTO notes (path, role, size, mtime_ns, changed_at)"
        " VALUES ('Insects/Ants.md', 'note', 1, 1, '')"
    )
    database.close()


def test_a_broken_rule_in_a_sound_file_is_rebuilt_once_and_not_again_and_again(
    tmp_path: Path,
) -> None:
    row = "INSERT INTO job_runs (job, last_run_at) VALUES ('weekly', '2026-11-21')"
    database = Database(tmp_path / "lacuna.db")
    database.execute(row)
    with pytest.raises(CorruptStoreError):
        database.execute(row)
    database.close()
    database = Database(tmp_path / "lacuna.db")
    with pytest.raises(StoreError) as raised:
        database.execute(row)
    assert type(raised.value) is StoreError
    database.close()


def test_an_unresponsive_disk_is_not_corruption(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | (1 << 8)  # SQLITE_IOERR_READ
    with pytest.raises(UnreadableStoreError, match="check the disk"), translated(tmp_path):
        raise error


def test_what_could_not_be_written_may_be_written_later(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    with (
        pytest.raises(StoreError, match="whether it is full") as raised,
        translated(tmp_path),
    ):
        raise error
    assert type(raised.value) is StoreError


def test_a_reader_of_events_whose_position_is_lost_repeats_and_misses_nothing(
    tmp_path: Path,
) -> None:
    aside, new = tmp_path / "aside.db", tmp_path / "lacuna.db"
    for path in (aside, new):
        Database(path).close()
    with closing(sqlite3.connect(aside)) as old, old:
        old.execute("INSERT INTO announcements (id, line) VALUES (7, '{}')")
        old.execute("INSERT INTO event_readers (name, position, part) VALUES ('notices', 900, 2)")
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        salvage(aside, connection)
    with closing(Database(new)) as database:
        store = AnnouncementStore(database)
        assert store.next("hooks") is None
        assert store.next("notices") is None
        database.execute("INSERT INTO announcements (line) VALUES ('{}')")
        for reader in ("hooks", "notices"):
            unread = store.next(reader)
            assert unread is not None
            assert (unread.id, unread.part) == (8, 0)
