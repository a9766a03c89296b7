"""New documents of the drop folder are queued once, and taken in by the loop."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from daemon.app import App
from daemon.config import Settings
from daemon.config.ingest_section import IngestSettings
from daemon.host.drop_folder import DropFolder
from daemon.host.due import Due
from daemon.store.db import Database
from daemon.store.requests import RequestStore

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Dropped:
    """A drop folder, a clock, and the queue."""

    def __init__(self, root: Path) -> None:
        self.time, self.folder = NOON, root / "drop"
        self.folder.mkdir()
        self.requests = RequestStore(Database(root / "lacuna.db"))
        self.vault = root / "vault"
        (self.vault / "Inbox/Research/Ingest").mkdir(parents=True)
        settings = Settings(vault=self.vault, ingest=IngestSettings(folder=self.folder))
        app = SimpleNamespace(settings=settings, stores=SimpleNamespace(requests=self.requests))
        self.due = Due(requests=False)
        self.watched = DropFolder(cast(App, app), lambda: self.time, self.due)

    def put(self, name: str, age: float) -> None:
        path = self.folder / name
        path.write_text(f"# {name}\n")
        at = (self.time - timedelta(seconds=age)).timestamp()
        os.utime(path, (at, at))

    def check(self, seconds: float = 60) -> list[Any]:
        """Scan some time later; return the names of the files that were queued."""
        self.time += timedelta(seconds=seconds)
        before = len(self.requests.unanswered())
        self.watched.check()
        asked = self.requests.unanswered()[before:]
        return [Path(each).name for request in asked for each in request.body["inputs"]]


def test_new_and_changed_files_are_queued_once(tmp_path: Path) -> None:
    dropped = Dropped(tmp_path)
    dropped.put("a.md", 100)
    dropped.put(".hidden.md", 100)
    assert dropped.check() == []  # the next scan shows that it is complete
    assert dropped.check() == ["a.md"]
    assert dropped.due.requests
    assert dropped.check() == []
    dropped.put("a.md", 20)
    dropped.put("b.md", 20)
    assert dropped.check() + dropped.check() == ["a.md", "b.md"]


def test_a_file_that_is_still_being_written_waits(tmp_path: Path) -> None:
    dropped = Dropped(tmp_path)
    dropped.put("a.md", 100)
    assert dropped.check() == []
    assert dropped.check(9) == []  # not scanned yet
    dropped.put("a.md", 5)
    assert dropped.check(10) == []
    assert dropped.check(10) == ["a.md"]


def test_a_clock_that_is_behind_delays_no_file(tmp_path: Path) -> None:
    dropped = Dropped(tmp_path)
    dropped.put("a.md", -1e6)
    assert dropped.check() + dropped.check() == ["a.md"]


def test_partial_downloads_and_pipes_are_ignored(tmp_path: Path) -> None:
    dropped = Dropped(tmp_path)
    for name in ("a.pdf.crdownload", "b.md.PART", "c.tmp", "d.md~", "~$e.docx", "f.md"):
        dropped.put(name, 100)
    (dropped.folder / "g.pdf.download").mkdir()
    dropped.put("g.pdf.download/g.pdf", 100)
    os.mkfifo(dropped.folder / "h.md")
    assert dropped.check() + dropped.check() == ["f.md"]
    (dropped.folder / "b.md.PART").rename(dropped.folder / "b.md")
    assert dropped.check() + dropped.check() == ["b.md"]


def test_a_file_that_left_and_returned_is_queued_again(tmp_path: Path) -> None:
    dropped = Dropped(tmp_path)
    dropped.put("a.md", 100)
    assert dropped.check() + dropped.check() == ["a.md"]
    path = dropped.folder / "a.md"
    path.rename(tmp_path / "a.md")
    assert dropped.check() == []
    (tmp_path / "a.md").rename(path)
    assert dropped.check() + dropped.check() == ["a.md"]


def test_a_missing_folder_is_empty(tmp_path: Path) -> None:
    dropped = Dropped(tmp_path)
    dropped.folder.rmdir()
    assert dropped.check() == []


def test_documents_in_the_folder_of_the_inbox_are_queued_and_its_notes_are_not(
    tmp_path: Path,
) -> None:
    dropped = Dropped(tmp_path)
    dropped.folder = dropped.vault / "Inbox/Research/Ingest"
    for name in ("paper.pdf", "2026-11-21 A note of Lacuna.md"):
        dropped.put(name, 100)
    assert dropped.check() + dropped.check() == ["paper.pdf"]
