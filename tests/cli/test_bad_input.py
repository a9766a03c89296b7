"""Each error is one clear line, and changes nothing in the vault."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.cli import Cli, contents, lay_out


@pytest.fixture(autouse=True)
def vault_is_untouched(vault: Path) -> Iterator[None]:
    before = contents(vault)
    yield
    assert contents(vault) == before


def test_a_missing_vault_is_an_error(lacuna: Cli, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    reported = f"the folder {nowhere} does not exist: check the path"
    assert lacuna("init", nowhere).complaint == reported
    for command in ("health", "run", "research"):
        assert lacuna(command, "--vault", nowhere).complaint == reported
    assert not lacuna.config.exists()


def test_a_vault_path_that_is_a_file_is_an_error(lacuna: Cli, vault: Path) -> None:
    note = vault / "Sourdough.md"
    reported = f"{note} is a file: a vault is a folder; use the folder that contains the file"
    assert lacuna("init", note).complaint == reported
    assert lacuna("index", "--vault", note).complaint == reported


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_vault_is_an_error(ready: Cli, vault: Path) -> None:
    vault.chmod(0)
    try:
        assert "cannot be read: permission denied" in ready("index").complaint
    finally:
        vault.chmod(0o755)


def test_notes_that_cannot_be_read_are_named_and_the_rest_is_indexed(
    ready: Cli, vault: Path, tmp_path: Path
) -> None:
    (vault / "out.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("secret")
    (vault / "bytes.md").write_bytes(b"\xff\xfe\x00 not text")
    try:
        done = ready("index", "--json")
        skipped = {entry["path"]: entry["why"] for entry in done.json["skipped"]}
        assert skipped["out.md"] == "is a symbolic link out of the vault"
        assert skipped["Broken.md"].startswith("invalid YAML: line ")
        assert done.json["notes"] >= 5
    finally:
        (vault / "out.md").unlink()
        (vault / "bytes.md").unlink()


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("vault is mine", "not valid TOML: Expected '=' after a key in a key/value pair"),
        ("inbx = 'In'", "unknown setting inbx; did you mean inbox.folder?"),
        (
            "[budget]\nday_money = 3",
            "unknown setting budget.day_money; did you mean budget.usd_per_day?",
        ),
        (
            "[hooks]\nerror = [['/bin/tell', 'a-token', 3]]",
            "hooks.error: must be a list of arguments, such as",
        ),
        (
            "inbox.folder = '../out'",
            "inbox.folder = '../out': must be a folder inside the vault, such as",
        ),
        (
            "inbox.folder = '/abs'",
            "inbox.folder = '/abs': must be a folder inside the vault, such as",
        ),
        ("inbox.folder = '.hidden/in'", "inbox.folder = '.hidden/in': must not be hidden"),
        (
            "inbox.folder = 'a|b'",
            "inbox.folder = 'a|b': must not contain '|': links cannot contain it",
        ),
        (
            "research.max_findings = 'many'",
            "research.max_findings = 'many': must be a whole number",
        ),
        ("research.max_findings = true", "research.max_findings = True: must be a whole number"),
        ("agenda.veto_hours = false", "agenda.veto_hours = False: must be a number"),
        ("research.max_findings = 0", "research.max_findings = 0: must be at least 1"),
        ("research.max_findings = 51", "research.max_findings = 51: must be at most 50"),
        ("network.timeout_seconds = 0", "network.timeout_seconds = 0: must be more than 0"),
        ("weekly.enabled = 'maybe'", "weekly.enabled = 'maybe': must be true or false"),
        ("weekly.day = 'sunday'", "weekly.day = 'sunday': must be 'mon', 'tue', "),
        ("weekly.time = '25:00'", "weekly.time = '25:00': must be a time of day such as 09:00"),
        ("notes.exclude = 'Old'", "notes.exclude = 'Old': must be a list, such as [\"Templates\"]"),
        (
            "agenda.approval = 'never'",
            "agenda.approval = 'never': must be 'veto', 'required' or 'none'",
        ),
        ("vault = ''", "vault = '': must be the path of a folder"),
        ("quiet_hours.start = '7'", "quiet_hours.start = '7': must be a time of day such as 09:00"),
        (
            "nightly.enabled = true\nquiet_hours.start = '22:00'\nquiet_hours.end = '07:00'",
            "quiet hours from 22:00 to 07:00 include nightly.start (02:00)",
        ),
        ("schedules = 3", "schedules = 3: must be tables such as [schedules.papers]"),
        ("[schedules]\na = 3", "schedules.a = 3: must be a table such as [schedules.papers]"),
        (
            "[schedules.a]\ncorn = '0 9 * * 1'",
            "unknown setting schedules.a.corn; did you mean schedules.a.cron?",
        ),
        (
            "[schedules.a]\ncron = '0 99 * * 1'",
            "schedules.a.cron = '0 99 * * 1': '0 99 * * 1' is wrong at the hour",
        ),
        ("[schedules.a]\ncron = 3", "schedules.a.cron = 3: must be text in quotes"),
        (
            "[schedules.a]\nday = 'mon'",
            "schedules.a = {'day': 'mon'}: must have either cron or time",
        ),
        (
            "[schedules.a]\ntime = '09:00'\nfolders = ['../out']",
            "schedules.a.folders = ['../out']: '../out' must be a folder inside the vault",
        ),
        (
            "[schedules.a]\ntime = '09:00'\nmax_findings = 0",
            "schedules.a.max_findings = 0: must be at least 1",
        ),
        (
            "[schedules.weekly]\ntime = '09:00'",
            "schedules = {'weekly': {'time': '09:00'}}: weekly ",
        ),
        ("vault = 3", "vault = 3: must be a path in quotes"),
    ],
)
def test_an_invalid_setting_is_reported_with_its_file_and_the_expected_value(
    lacuna: Cli, line: str, reported: str
) -> None:
    lacuna.settings()
    lacuna.config.write_text(line)
    for command in ("status", "run", "index"):
        assert lacuna(command).complaint.startswith(f"{lacuna.config}: {reported}")


def test_an_invalid_environment_variable_is_named_in_the_error(ready: Cli) -> None:
    ready.environment(LACUNA_RESEARCH_MAX_FINDINGS="x")
    name = "environment variable LACUNA_RESEARCH_MAX_FINDINGS"
    reported = f"{name}: research.max_findings = 'x': must be a whole number"
    assert ready("status").complaint == reported


def test_a_missing_or_binary_settings_file_is_an_error(ready: Cli, tmp_path: Path) -> None:
    gone = tmp_path / "gone.toml"
    complaint = ready("status", "--config", gone).complaint
    assert complaint == f"{gone}: the settings file does not exist"
    gone.write_bytes(b"\xff\xfe")
    assert ready("status", "--config", gone).complaint == f"{gone}: not UTF-8 text"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("arxiv: {", "not valid YAML (line 1)"),
        ("arxvi: {enabled: false}", "unknown source arxvi: did you mean arxiv?"),
        ("arxiv: {enabld: false}", "arxiv: unknown setting enabld; did you mean enabled?"),
        ("arxiv: 3", "arxiv: must be a mapping, such as `{enabled: false}`"),
        ("- arxiv", "begins with a dash: must be a mapping of names to settings"),
        ("arxiv: {base_url: x}", "arxiv: base_url: must begin with http:// or https://"),
    ],
)
def test_invalid_sources_are_reported_with_their_file(ready: Cli, text: str, reported: str) -> None:
    ready.sources.write_text(text)
    assert ready("sources").complaint.startswith(f"{ready.sources}: {reported}")


def test_unknown_and_disabled_sources_are_reported(ready: Cli) -> None:
    reported = ready("research", "--source", "libary", "bread").complaint
    assert reported == "unknown source libary: did you mean library?"
    reported = ready("research", "--source", "arxiv", "bread").complaint
    assert reported == "arxiv: turned off in sources.yaml"
    assert ready("sources", "test", "nope").complaint.startswith("unknown source nope: there are ")


def test_a_missing_key_is_reported_with_how_to_set_it(ready: Cli) -> None:
    ready.sources.write_text("brave: {enabled: true}\n")
    assert ready("research", "--source", "brave", "bread").complaint == (
        "brave: no key: lacuna secrets set brave"
    )


def test_unknown_and_ambiguous_ids_are_errors(ready: Cli) -> None:
    for command in (["findings", "show"], ["findings", "accept"], ["findings", "dismiss"]):
        reported = "zzz: no such finding; `lacuna findings list` shows them"
        assert ready(*command, "zzz").complaint == reported
    for command in (["agenda", "show"], ["agenda", "approve"], ["agenda", "cancel"]):
        for ref in ("zzz", "a", ""):
            reported = f"{ref}: no such agenda; `lacuna agenda` shows them"
            assert ready(*command, ref).complaint == reported.strip()
    reported = "zzz: no such run; a digest's `run` property names its run"
    assert ready("replay", "zzz").complaint == reported
    reported = ready("topics", "restore", "zzz").complaint
    assert reported == "zzz: it is not blocked; `lacuna topics` lists those"
    for command in (["agenda", "new"], ["research"]):
        assert ready(*command, "--note", "zzz").complaint.startswith("zzz: no such note")


def test_an_ambiguous_note_name_is_an_error(ready: Cli, vault: Path) -> None:
    lay_out(vault, {"Twice/Staling.md": "# Staling\n", "Again/Staling.md": "# Staling\n"})
    try:
        reported = ready("agenda", "new", "--note", "Staling").complaint
        assert reported == "Staling: 2 notes match; give the path"
    finally:
        shutil.rmtree(vault / "Twice")
        shutil.rmtree(vault / "Again")


def test_a_note_that_gives_no_question_is_reported_with_the_reason(ready: Cli, vault: Path) -> None:
    why = "it has no name or phrase to search for. Write your question into the note"
    lay_out(vault, {"Time.md": "Here is nothing to say about it.\n"})
    try:
        assert ready("research", "--note", "Time").complaint.startswith(f"not researched: {why}")
        assert f"cancelled: {why}" in " ".join(ready("agenda", "new", "--note", "Time").out.split())
        assert f"Time — {why}" in " ".join(ready("health").out.split())
    finally:
        (vault / "Time.md").unlink()
        shutil.rmtree(vault / "Inbox")


def test_an_empty_query_is_an_error(ready: Cli) -> None:
    assert ready("research", "").complaint == "nothing to research: give a topic"


def test_a_database_of_a_newer_version_is_left_alone(ready: Cli) -> None:
    state = Path(ready("status", "--json").json["state"])
    with sqlite3.connect(state / "lacuna.db") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    before = (state / "lacuna.db").read_bytes()
    for command in ("status", "index", "run"):
        assert "was written by a newer Lacuna (schema 999" in ready(command).complaint
    assert (state / "lacuna.db").read_bytes() == before


def test_a_torn_vector_index_is_rebuilt_silently(ready: Cli) -> None:
    state = Path(ready("status", "--json").json["state"])
    ready("index")
    whole = ready("search", "bread", "--json").json
    file = state / "vectors.faiss"
    file.write_bytes(file.read_bytes()[:50])
    again = ready("search", "bread", "--json")
    assert again.json == whole
    assert again.err == ""


def test_a_state_path_that_is_a_file_is_an_error(ready: Cli, tmp_path: Path) -> None:
    place = tmp_path / "state"
    place.write_text("mine")
    reported = f"{place} is a file: state is kept in a folder"
    assert ready("status", "--state", place).complaint == reported
    assert place.read_text() == "mine"


def test_a_full_disk_for_the_output_is_reported(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_what: object, **_how: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("daemon.cli.status.say", refuse)
    assert ready("status").complaint == "no space left on device"


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libfaiss.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        SystemError("error return without exception set"),
    ],
)
def test_out_of_memory_is_reported_in_one_line(
    ready: Cli, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr("daemon.cli._invoke", fail)
    assert ready("search", "steam").complaint.startswith("not enough memory: ")
