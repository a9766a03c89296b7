"""`lacuna obsidian`: what it writes into a vault, and what it leaves alone."""

import json
from pathlib import Path

from tests.fakes.cli import Cli

FOLDER = ".obsidian/plugins/lacuna"
FILES = [f"{FOLDER}/{name}" for name in ("main.js", "manifest.json", "styles.css")]


def files_of(vault: Path) -> dict[str, bytes]:
    every = (path for path in vault.rglob("*") if path.is_file())
    return {path.relative_to(vault).as_posix(): path.read_bytes() for path in every}


def obsidian_folder(vault: Path) -> Path:
    config = vault / ".obsidian"
    config.mkdir(exist_ok=True)
    (config / "community-plugins.json").write_text('["dataview"]')
    return config


def test_the_plugin_is_installed_updated_and_removed_and_nothing_else_changes(
    ready: Cli, vault: Path
) -> None:
    obsidian_folder(vault)
    before = files_of(vault)
    assert ready("obsidian", "install", "--json").json == {"files": FILES}
    after = files_of(vault)
    assert {path: after[path] for path in before} == before
    assert sorted(set(after) - set(before)) == FILES
    assert ready("obsidian", "install", "--json").json == {"files": []}
    (vault / FILES[0]).write_text("// of an older version")
    assert ready("obsidian", "install", "--json").json == {"files": FILES[:1]}
    assert files_of(vault) == after
    settings = vault / FOLDER / "data.json"
    settings.write_text("{}")
    assert ready("obsidian", "remove", "--json").json == {"files": FILES}
    assert files_of(vault) == before | {f"{FOLDER}/data.json": b"{}"}
    assert ready("obsidian", "remove", "--json").json == {"files": []}


def test_its_state_says_which_version_is_installed_and_whether_it_is_on(
    ready: Cli, vault: Path
) -> None:
    config = obsidian_folder(vault)
    assert "not installed" in ready("obsidian").out
    ready("obsidian", "install")
    assert ready("obsidian", "status", "--json").json["enabled"] is False
    (config / "community-plugins.json").write_text('["lacuna"]')
    manifest = vault / FILES[1]
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": "0.0.1"}))
    shown = ready("obsidian", "status").out
    assert "Version 0.0.1, on in Obsidian." in shown
    assert "is available" in shown


def test_a_folder_of_another_plugin_and_a_link_are_refused(
    ready: Cli, vault: Path, tmp_path: Path
) -> None:
    folder = obsidian_folder(vault) / "plugins" / "lacuna"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"id": "somebody-else"}')
    assert "another plugin" in ready("obsidian", "install").complaint
    assert "another plugin" in ready("obsidian", "remove").complaint
    (folder / "manifest.json").unlink()
    folder.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    assert ready("obsidian", "install").complaint
    assert not list(elsewhere.iterdir())


def test_a_vault_that_obsidian_never_opened_is_refused(ready: Cli, vault: Path) -> None:
    assert not (vault / ".obsidian").exists()
    assert "open the vault in Obsidian once" in ready("obsidian", "install").complaint


def test_the_token_is_printed_on_request(ready: Cli) -> None:
    token = ready("obsidian", "token").out.strip()
    assert len(token) == 64
    assert ready("obsidian", "token", "--json").json == {"token": token}
