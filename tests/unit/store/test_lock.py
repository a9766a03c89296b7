"""The lock of the one writer."""

import fcntl
import os
import threading
from pathlib import Path

import pytest

from daemon.model.errors import LockedError
from daemon.store import lock
from daemon.store.lock import WriterLock, held_by


def test_a_daemon_waits_for_a_command_and_not_for_another_daemon(tmp_path: Path) -> None:
    path = tmp_path / "daemon.lock"
    command = WriterLock(path, holder="lacuna search")
    command.acquire()
    with pytest.raises(LockedError, match="lacuna search"):
        WriterLock(path, holder="lacuna run").acquire()
    done = threading.Timer(0.1, command.release)
    done.start()
    with WriterLock(path, holder="lacuna run", patience=60):
        done.join()
        with pytest.raises(LockedError, match=r"lacuna run \(pid \d+\) has locked this vault"):
            WriterLock(path, holder="lacuna run", patience=60).acquire()


def test_who_only_looks_whether_it_is_free_keeps_no_writer_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "daemon.lock"
    looking = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)

    def meanwhile(asked: Path) -> str | None:
        monkeypatch.undo()
        os.close(looking)
        return held_by(asked)

    monkeypatch.setattr(lock, "held_by", meanwhile)
    with WriterLock(path, holder="lacuna index"):
        assert held_by(path) == f"lacuna index (pid {os.getpid()})"


def test_a_holder_that_has_not_written_its_name_yet_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "daemon.lock"
    holder = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    monkeypatch.setattr("time.sleep", lambda _seconds: os.pwrite(holder, b"lacuna run 7", 0))
    assert held_by(path) == "lacuna run (pid 7)"
    os.close(holder)
