"""The lock of the one writer."""

import threading
from pathlib import Path

import pytest

from daemon.model.errors import LockedError
from daemon.store.lock import WriterLock


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
