"""`lacuna init`: the settings file, and nothing in the vault."""

import tomllib
from pathlib import Path

from tests.fakes.cli import NOTES, Cli, contents, lay_out


def test_init_writes_the_settings_and_nothing_into_the_vault(lacuna: Cli, vault: Path) -> None:
    before = contents(vault)
    done = lacuna("init", vault)
    assert done.code == 0
    assert done.out.splitlines()[0] == f"{vault}: {len(NOTES)} notes (plain)"
    assert tomllib.loads(lacuna.config.read_text()) == {"vault": str(vault)}
    assert contents(vault) == before


def test_init_tells_a_script_what_it_found(lacuna: Cli, vault: Path, library: Path) -> None:
    found = lacuna("init", vault, "--library", library, "--inbox", "Neu", "--json").json
    assert found == {
        "vault": str(vault),
        "kind": "plain",
        "notes": len(NOTES),
        "config": str(lacuna.config),
        "state": found["state"],
        "inbox": "Neu",
    }
    settings = tomllib.loads(lacuna.config.read_text())
    assert settings == {"vault": str(vault), "inbox": "Neu", "library": str(library)}


def test_a_second_vault_is_put_beside_the_first_with_comments_kept(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    first = lay_out(tmp_path / "first", {"One.md": "# One\n"})
    lacuna("init", first, "--inbox", "Neu")
    lacuna.config.write_text(lacuna.config.read_text() + "max_findings = 3  # enough for me\n")
    out = lacuna("init", vault, "--inbox", "Anders").out
    assert "Name:       kuche-garten (`--vault kuche-garten` means this one)\n" in out
    assert "`lacuna run --vault kuche-garten` starts the daemon." in out
    assert "max_findings = 3  # enough for me" in lacuna.config.read_text()
    assert tomllib.loads(lacuna.config.read_text()) == {
        "vault": str(first),
        "inbox": "Neu",
        "max_findings": 3,
        "vaults": {"kuche-garten": {"path": str(vault), "inbox": "Anders"}},
    }
    assert lacuna("status", "--json").json["vault"] == str(first)
    assert lacuna("status", "--vault", "kuche-garten", "--json").json["vault"] == str(vault)
    for again in (first, vault):
        assert lacuna("init", again, "--json").code == 0
    settings = tomllib.loads(lacuna.config.read_text())
    assert (settings["vault"], list(settings["vaults"])) == (str(first), ["kuche-garten"])


def test_init_writes_to_the_settings_file_that_is_named_and_reads_no_other(
    ready: Cli, vault: Path, tmp_path: Path
) -> None:
    ready.settings(inbox="Usual")
    named = tmp_path / "new folder" / "mine.toml"
    found = ready("init", vault, "--config", named, "--json").json
    assert (found["config"], found["inbox"]) == (str(named), "Inbox/Research")
    assert "vault" not in ready.config.read_text()


def test_init_keeps_settings_that_are_a_link(lacuna: Cli, vault: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles.toml"
    dotfiles.write_text("")
    lacuna.config.parent.mkdir(parents=True)
    lacuna.config.symlink_to(dotfiles)
    assert lacuna("init", vault).code == 0
    assert lacuna.config.is_symlink()
    assert tomllib.loads(dotfiles.read_text())["vault"] == str(vault)


def test_init_takes_the_vault_as_an_option_too(lacuna: Cli, vault: Path) -> None:
    assert lacuna("init", "--vault", vault, "--json").json["vault"] == str(vault)


def test_init_refuses_a_library_that_is_not_there(lacuna: Cli, vault: Path, tmp_path: Path) -> None:
    told = lacuna("init", vault, "--library", tmp_path / "no").complaint
    assert told == f"library: there is no folder {tmp_path / 'no'}"
    assert not lacuna.config.exists()
