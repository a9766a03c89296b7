"""State that only its owner may use."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.store import permissions
from daemon.store.db import Database
from daemon.store.files import write_atomic
from daemon.store.lock import WriterLock


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    paths = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): oct(path.lstat().st_mode & 0o777) for path in paths}


def test_what_is_made_in_the_state_is_for_its_owner_alone(tmp_path: Path, open_umask: None) -> None:
    state = tmp_path / "states" / "vault"
    database = Database(state / "lacuna.db")
    database.set_meta("a", "b")  # with its journals
    with WriterLock(state / "daemon.lock", holder="a test"):
        write_atomic(state / "runs" / "1" / "run.json", b"{}")
    found = modes(state)
    database.close()
    found |= modes(state)
    assert {"lacuna.db", "lacuna.db-wal", "daemon.lock", "runs/1/run.json"} <= found.keys()
    assert {mode for name, mode in found.items() if (state / name).is_dir()} == {"0o700"}
    assert {mode for name, mode in found.items() if not (state / name).is_dir()} == {"0o600"}


def test_what_was_open_to_others_is_closed_with_one_message(
    tmp_path: Path, open_umask: None, caplog: pytest.LogCaptureFixture
) -> None:
    state, outside = tmp_path / "state", tmp_path / "outside"
    (state / "runs").mkdir(parents=True)
    (state / "runs" / "run.json").write_text("{}")
    outside.write_text("mine")
    (state / "link").symlink_to(outside)
    assert permissions.is_open(state)
    with caplog.at_level(logging.WARNING):
        permissions.close_to_others(state)
        permissions.close_to_others(state)
    (message,) = caplog.messages
    assert message.startswith("other users could use 3 files and folders of Lacuna's")
    assert not permissions.is_open(state)
    assert modes(state)["runs"] == "0o700"
    assert modes(state)["runs/run.json"] == "0o600"
    assert outside.stat().st_mode & 0o777 == 0o666
