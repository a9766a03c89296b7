"""Where settings come from: the file, the environment, and options anywhere on the line."""

import os
from pathlib import Path

import pytest

from tests.fakes.cli import NOTES, Cli, lay_out


def test_an_empty_settings_file_means_all_defaults(lacuna: Cli, vault: Path) -> None:
    lacuna.settings()
    assert lacuna("status", "--vault", vault, "--json").json["vault"] == str(vault)


def test_a_vault_needs_no_init(lacuna: Cli, vault: Path) -> None:
    assert lacuna("index", "--vault", vault, "--json").json["notes"] == len(NOTES)
    assert not lacuna.config.exists()


def test_without_a_vault_the_first_step_is_named(lacuna: Cli) -> None:
    for command in (["status"], ["health"], ["search", "x"], ["run"], ["agenda"], ["research"]):
        reported = lacuna(*command).complaint
        assert reported == "no vault is configured: run `lacuna init VAULT`, or give --vault"


def test_the_environment_names_a_vault_and_an_option_overrules_it(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    other = lay_out(tmp_path / "other", {"One.md": "# One\n"})
    lacuna.environment(LACUNA_VAULT=str(other))
    assert lacuna("status", "--json").json["vault"] == str(other)
    assert lacuna("status", "--json", "--vault", vault).json["vault"] == str(vault)


def test_the_environment_names_settings_and_state(lacuna: Cli, vault: Path, tmp_path: Path) -> None:
    config = tmp_path / "elsewhere.toml"
    config.write_text(f'vault = "{vault}"\ninbox = "Neu"\n')
    lacuna.environment(LACUNA_CONFIG=str(config), LACUNA_STATE=str(tmp_path / "state"))
    found = lacuna("init", vault, "--json").json
    assert (found["inbox"], found["config"]) == ("Neu", str(config))
    assert lacuna("status", "--json").json["state"] == str(tmp_path / "state")
    assert (tmp_path / "state" / "lacuna.db").is_file()


def test_a_setting_that_is_set_to_nothing_in_the_environment_is_not_set(
    ready: Cli, vault: Path
) -> None:
    ready.environment(LACUNA_VAULT="", LACUNA_LIBRARY_FOLDER="")
    found = ready("status", "--json").json
    assert (found["vault"], found["sources"]) == (str(vault), ["library"])


def test_common_options_may_stand_before_the_command_or_inside_a_group(
    lacuna: Cli, vault: Path
) -> None:
    everywhere: tuple[list[str | Path], ...] = (
        ["--json", "--vault", vault, "findings", "list"],
        ["findings", "--json", "--vault", vault, "list"],
        ["--vault", vault, "findings", "list", "--json"],
        ["findings", "--vault", vault, "--json"],
    )
    for arguments in everywhere:
        assert lacuna(*arguments).json == []


def test_the_last_of_two_options_wins(lacuna: Cli, vault: Path, tmp_path: Path) -> None:
    other = lay_out(tmp_path / "other", {"One.md": "# One\n"})
    found = lacuna("--vault", other, "status", "--vault", vault, "--json").json
    assert found["vault"] == str(vault)


def test_paths_in_the_settings_are_relative_to_the_settings_file(
    lacuna: Cli, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "lacuna.toml"
    config.write_text(f'vault = "{vault.relative_to(tmp_path)}"\n')
    monkeypatch.chdir(lacuna.home)
    assert lacuna("status", "--config", config, "--json").json["vault"] == str(vault)


def test_a_vault_has_one_state_however_it_is_reached(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(vault)
    os.chdir(vault)
    detours = (vault, link, Path(), Path("..") / vault.name, vault / "Baking" / "..")
    states = {lacuna("status", "--json", "--vault", each).json["state"] for each in detours}
    assert len(states) == 1
    assert Path(states.pop()).name.startswith("kuche-garten-")
