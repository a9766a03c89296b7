"""`lacuna uninstall`: the service goes, the state if asked, and never anything of the vault."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.config import state_folder
from daemon.store.heartbeat import Heartbeat, beat
from daemon.store.lock import WriterLock
from tests.fakes.cli import Cli, contents

QUESTION = "why does bread go stale in the fridge"


@pytest.fixture
def systemctl(ready: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `systemctl` that only records its arguments; returns the file."""
    tool = ready.home / "bin" / "systemctl"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "$@" >> "$HOME/systemctl.log"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("sys.platform", "linux")
    return ready.home / "systemctl.log"


@pytest.fixture
def installed(ready: Cli, systemctl: Path) -> Cli:
    """A vault with a finding, a key, and a service."""
    assert ready("research", QUESTION, "--json").json["findings"]
    assert ready("secrets", "set", "brave", text="key").code == 0
    assert ready("service", "install").code == 0
    return ready


def times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_the_service_goes_and_the_vault_stays_byte_for_byte(
    installed: Cli, systemctl: Path, vault: Path
) -> None:
    notes, when = contents(vault), times(vault)
    state = state_folder(vault)
    kept = contents(state)
    done = installed("uninstall")
    assert done.code == 0
    assert "The service is stopped and removed.\n" in done.out
    assert "The key brave is still stored: `lacuna secrets delete brave`\n" in done.out
    unit = f"lacuna@{state.name}.service"
    assert f"--user disable --now {unit}" in systemctl.read_text()
    assert not list((installed.home / ".config" / "systemd").rglob(f"{unit}*"))
    assert (contents(vault), times(vault)) == (notes, when)
    assert contents(state) == kept
    assert "There was no service.\n" in installed("uninstall").out


def test_the_state_is_deleted_only_after_a_second_confirmation(installed: Cli, vault: Path) -> None:
    notes, when, state = contents(vault), times(vault), state_folder(vault)
    settings = contents(installed.config.parent)
    reported = installed("uninstall", "--delete-state").complaint
    assert reported == f"nothing was done: add --yes to delete {state}"
    assert state.is_dir()
    reported = installed("uninstall", "--delete-state", "--yes", "--json").json
    assert (reported["service"], reported["state_deleted"], reported["left"]) == (True, True, [])
    assert not state.exists()
    assert (contents(vault), times(vault)) == (notes, when)
    units = {path for path in contents(installed.config.parent) if path.endswith(".service")}
    assert contents(installed.config.parent) == {
        path: data for path, data in settings.items() if path not in units
    }


def test_foreign_files_in_a_folder_chosen_by_the_user_are_kept(
    ready: Cli, systemctl: Path, vault: Path, library: Path, tmp_path: Path
) -> None:
    state = tmp_path / "mine"
    state.mkdir()
    (state / "letters.txt").write_text("dear")
    ready.settings(vault=vault, library__folder=library, state=state)
    assert ready("research", QUESTION).code == 0
    now = datetime(2026, 11, 22, tzinfo=UTC)
    beat(
        state, Heartbeat(now, watching=True, polling="", doing="")
    )  # as a daemon that was killed leaves it
    (state / "tmp").mkdir()
    out = ready("uninstall", "--delete-state", "--yes").out
    assert f"{state}: deleted, except letters.txt, which Lacuna did not write\n" in out
    assert contents(state) == {"letters.txt": b"dear"}


def test_a_state_in_use_is_not_deleted(ready: Cli, vault: Path) -> None:
    assert ready("index", "--no-embed").code == 0
    state = state_folder(vault)
    with WriterLock(state / "daemon.lock", holder="lacuna run"):
        reported = ready("uninstall", "--delete-state", "--yes").complaint
    assert reported.startswith("lacuna run (pid ")
    assert (state / "lacuna.db").exists()


def test_a_vault_that_is_gone_can_be_uninstalled(
    ready: Cli, systemctl: Path, vault: Path, tmp_path: Path
) -> None:
    vault.rename(tmp_path / "elsewhere")
    assert ready("uninstall").code == 0
