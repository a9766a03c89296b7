"""`lacuna doctor`: what it looks at, and that each hint is one that helps."""

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.model.errors import ModelError
from daemon.model_files import ModelFiles
from tests.fakes.cli import Cli, contents


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.app.find_model", lambda *_: ModelFiles(Path("/m"), "package"))


@pytest.fixture
def doctor(ready: Cli, with_model: None) -> Cli:
    ready("index")
    return ready


def checks(lacuna: Cli) -> dict[str, dict[str, Any]]:
    """The last check of each name."""
    return {check["name"]: check for check in json.loads(lacuna("doctor", "--json").out)}


def test_everything_is_looked_at_and_nothing_is_changed(doctor: Cli, vault: Path) -> None:
    before = contents(vault)
    found = checks(doctor)
    assert set(found) >= {
        "python", "settings", "vault", "inbox", "state", "index", "model", "source", "daemon",
        "clock",
    }  # fmt: skip
    assert all(list(check) == ["name", "verdict", "what", "hint"] for check in found.values())
    assert found["model"]["what"].endswith("64 dimensions, from the package")
    assert contents(vault) == before


def test_a_vault_that_is_well_is_told_line_by_line(doctor: Cli) -> None:
    done = doctor("doctor")
    assert done.code == 0
    marks = {line[:4] for line in done.out.splitlines() if not line.startswith(" ")}
    assert marks <= {"ok  ", "off ", "warn"}
    assert "warn  vault       Broken.md: invalid YAML" in done.out
    assert "warn  daemon      not running\n                   try: lacuna run" in done.out


def test_before_the_first_step_it_names_the_first_step(lacuna: Cli) -> None:
    found = checks(lacuna)
    assert found["settings"]["verdict"] == "fail"
    assert "lacuna init VAULT" in found["settings"]["what"]
    assert lacuna("doctor").code == 1


def test_what_keeps_the_vault_from_opening_is_a_finding_and_no_crash(
    ready: Cli, tmp_path: Path
) -> None:
    ready.settings(vault=tmp_path / "gone")
    assert checks(ready)["vault"]["verdict"] == "fail"
    ready.settings(vlt="x")
    assert "did you mean vault?" in checks(ready)["settings"]["what"]


def test_an_index_that_is_missing_or_not_whole(ready: Cli, with_model: None) -> None:
    assert checks(ready)["index"]["hint"] == "lacuna index"
    ready("index", "--no-embed")
    assert "chunks are not embedded yet" in checks(ready)["index"]["what"]
    ready("index")
    assert checks(ready)["index"]["verdict"] == "ok"


@pytest.mark.parametrize("shape", ["file", "link", "file on the way"])
def test_an_inbox_that_cannot_be_written(
    doctor: Cli, vault: Path, tmp_path: Path, shape: str
) -> None:
    way = vault / "Inbox"
    if shape == "link":
        way.symlink_to(tmp_path)
    elif shape == "file":
        way.mkdir()
        (way / "Research").write_text("mine")
    else:
        way.write_text("mine")
    check = checks(doctor)["inbox"]
    assert check["verdict"] == "fail"
    assert ("is a link" if shape == "link" else "is a file") in check["what"]
    assert doctor("research", "why does bread go stale").code == 1


def test_a_model_that_is_not_here_is_not_fetched_just_to_look(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.app.find_model", lambda *_: None)
    check = checks(ready)["model"]
    assert (check["verdict"], check["hint"]) == ("warn", "pip install 'lacuna-daemon[offline]'")
    ready.environment(LACUNA_MODEL="somebody/another")
    assert checks(ready)["model"]["hint"] == ""


def test_a_model_that_is_broken_fails(ready: Cli, tmp_path: Path) -> None:
    ready.environment(LACUNA_MODEL_PATH=str(tmp_path))
    check = checks(ready)["model"]
    assert check["verdict"] == "fail"
    assert check["what"].startswith(f"model_path {tmp_path} holds no model")


def test_a_library_that_is_gone_or_never_was(ready: Cli, vault: Path, tmp_path: Path) -> None:
    ready.settings(vault=vault, library=tmp_path / "gone")
    lines = ready("doctor").out
    assert f"FAIL  source      library: there is no folder {tmp_path / 'gone'}" in lines
    ready.settings(vault=vault)
    lines = ready("doctor").out
    assert "off   source      library: no folder of unread documents is set" in lines
    assert f"try: lacuna init '{vault}' --library FOLDER" in lines
    assert "warn  source      none is on" in lines


def test_a_variable_that_is_no_setting_is_pointed_out(doctor: Cli) -> None:
    doctor.environment(LACUNA_VUALT="/x", LACUNA_BRAVE_API_KEY="k")
    out = doctor("doctor").out
    assert "no setting is called LACUNA_VUALT; did you mean LACUNA_VAULT?" in out
    assert "no setting is called LACUNA_BRAVE_API_KEY" not in out


def test_state_in_the_vault_is_a_failure(doctor: Cli, vault: Path) -> None:
    doctor.environment(LACUNA_STATE=str(vault / "state"))
    check = checks(doctor)["state"]
    assert check["verdict"] == "fail"
    assert check["what"] == (
        f"{vault / 'state'} is in the vault {vault}: state is kept outside of it"
    )


def test_a_model_that_will_not_load_is_told_in_its_own_words(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_what: object) -> None:
        raise ModelError("the embedding process ended: killed by signal 9")

    monkeypatch.setattr("tests.fakes.embedder.FakeEmbedder.embed", refuse)
    assert checks(doctor)["model"]["what"] == "the embedding process ended: killed by signal 9"
