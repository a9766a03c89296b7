"""Obsidian's own list of its vaults, wherever it was installed from."""

import json
from pathlib import Path

import pytest

from vault_adapters.obsidian_registry import known_vaults

LINUX = (
    ".config/obsidian",
    ".var/app/md.obsidian.Obsidian/config/obsidian",
    "snap/obsidian/current/.config/obsidian",
)
MAC = "Library/Application Support/obsidian"


def write(home: Path, at: str, vaults: object) -> Path:
    folder = home / at
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "obsidian.json").write_text(json.dumps({"vaults": vaults, "frame": "native"}))
    return folder


def made(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


@pytest.mark.parametrize("at", LINUX)
def test_on_linux_it_is_found_however_obsidian_was_installed(tmp_path: Path, at: str) -> None:
    vault = made(tmp_path / "Notes")
    write(tmp_path, at, {"a1": {"path": str(vault), "ts": 1}})
    assert known_vaults(tmp_path, environ={}, platform="linux") == [vault]
    assert known_vaults(tmp_path, environ={}, platform="darwin") == []


def test_on_macos_it_is_in_application_support(tmp_path: Path) -> None:
    vault = made(tmp_path / "Notes")
    write(tmp_path, MAC, {"a1": {"path": str(vault), "ts": 1}})
    assert known_vaults(tmp_path, environ={}, platform="darwin") == [vault]


def test_another_folder_for_settings_is_read(tmp_path: Path) -> None:
    vault = made(tmp_path / "Notes")
    write(tmp_path, "elsewhere/obsidian", {"a1": {"path": str(vault), "ts": 1}})
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "elsewhere")}
    assert known_vaults(tmp_path, environ=environ, platform="linux") == [vault]


def test_the_open_one_comes_first_then_the_latest_used(tmp_path: Path) -> None:
    old, new, opened = (made(tmp_path / name) for name in ("old", "new", "opened"))
    listed = {
        "a": {"path": str(old), "ts": 100},
        "b": {"path": str(opened), "ts": 50, "open": True},
        "c": {"path": str(new), "ts": 200},
    }
    write(tmp_path, LINUX[0], listed)
    write(tmp_path, LINUX[1], {"d": {"path": str(old), "ts": 120}})  # known twice, listed once
    assert known_vaults(tmp_path, environ={}, platform="linux") == [opened, new, old]


def test_what_is_gone_and_obsidian_s_own_help_are_excluded(tmp_path: Path) -> None:
    registry = write(tmp_path, LINUX[0], {})
    help_vault = made(registry / "Obsidian Help")
    listed = {
        "a": {"path": str(tmp_path / "gone"), "ts": 1},
        "b": {"path": str(help_vault), "ts": 2},
        "c": {"path": "relative", "ts": 3},
        "d": {"ts": 4},
        "e": "no entry",
    }
    write(tmp_path, LINUX[0], listed)
    assert known_vaults(tmp_path, environ={}, platform="linux") == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"vaults": 3}', '{"vaults": null}', "[" * 9999])
def test_a_list_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path, LINUX[0], {})
    (folder / "obsidian.json").write_text(text)
    assert known_vaults(tmp_path, environ={}, platform="linux") == []
