"""`lacuna config`: looking at the settings, and changing them."""

from contextlib import closing
from pathlib import Path

import pytest

from daemon.composition import open_app
from daemon.config import load_settings
from daemon.host.socket_server import Server
from tests.fakes.cli import Cli


@pytest.fixture
def settled(ready: Cli) -> Cli:
    """A settings file with a comment in it."""
    ready.config.write_text(
        ready.config.read_text() + "\n# enough for me\nresearch.max_findings = 3\n"
    )
    return ready


def test_show_lists_each_setting_with_its_origin(
    settled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACUNA_WEEKLY_TIME", "10:30")
    out = settled("config").out
    assert "research.max_findings = 3\n" in out
    assert 'weekly.time = "10:30"  # environment variable LACUNA_WEEKLY_TIME\n' in out
    assert "stale_days" not in out
    assert "analysis.stale_days = 365  # default\n" in settled("config", "show", "--all").out
    shown = settled("config", "show", "--json").json
    assert shown["research.max_findings"] == {"value": 3, "from": str(settled.config)}
    assert shown["notes.exclude"] == {"value": [], "from": "default"}


def test_show_works_without_a_settings_file(lacuna: Cli) -> None:
    assert lacuna("config").out.startswith(f"# {lacuna.config} does not exist")


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("research.max_findings", "7", 7),
        ("weekly.enabled", "false", False),
        ("agenda.veto_hours", "1.5", 1.5),
        ("weekly.time", "10:30", "10:30"),
        ("notes.exclude", "Archive, Work/Clients", ["Archive", "Work/Clients"]),
        ("notes.exclude", '["One, and two"]', ["One, and two"]),
        ("embedding.model", "123", "123"),
    ],
)
def test_set_keeps_the_value_and_every_comment(
    settled: Cli, key: str, value: str, kept: object
) -> None:
    assert settled("config", "set", key, value).code == 0
    assert settled("config", "get", key, "--json").json == kept
    assert "# enough for me\n" in settled.config.read_text()


def test_set_keeps_line_endings_and_file_permissions(settled: Cli) -> None:
    lines = settled.config.read_text().splitlines()
    settled.config.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    settled.config.chmod(0o600)
    assert settled("config", "set", "research.max_findings", "7").code == 0
    assert settled("config", "set", "weekly.enabled", "false").code == 0
    wanted = [
        "research.max_findings = 7" if line == "research.max_findings = 3" else line
        for line in lines
    ]
    written = settled.config.read_bytes().decode()
    assert written == "".join(
        f"{line}\r\n" for line in [*wanted, "", "[weekly]", "enabled = false"]
    )
    assert settled.config.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in settled.config.parent.glob(".*")] == []


def test_a_byte_order_mark_is_accepted(settled: Cli) -> None:
    settled.config.write_bytes(b"\xef\xbb\xbf" + settled.config.read_bytes())
    assert settled("config", "get", "research.max_findings").out == "3\n"
    assert settled("config", "set", "weekly.enabled", "false").code == 0
    assert "# enough for me\n" in settled.config.read_text()
    assert settled("config", "check").code == 0


def test_a_relative_settings_path_names_the_same_file(
    settled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(settled.config.parent)
    name = settled.config.name
    out = settled("--config", name, "config", "set", "research.max_findings", "7").out
    assert out == "research.max_findings = 7\n"
    assert "research.max_findings = 7\n" in settled("--config", name, "config").out


def test_a_password_in_a_url_is_not_shown(settled: Cli) -> None:
    shown = settled("config", "set", "notifications.ntfy", "https://ada:geheim@example.org/news")
    assert (
        "notifications.ntfy = 'https://…@example.org/news': must be an address" in shown.complaint
    )
    assert "geheim" not in shown.out + shown.err


def test_set_default_removes_the_setting_from_the_file(settled: Cli) -> None:
    assert (
        settled("config", "set", "research.max_findings", "--default").out
        == "research.max_findings = 5\n"
    )
    assert "max_findings" not in settled.config.read_text()


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("max_finding", "7", "unknown setting max_finding; did you mean research.max_findings?"),
        ("max_findings", "lots", "research.max_findings = 'lots': must be a whole number"),
        ("max_findings", "0", "research.max_findings = 0: must be at least 1"),
        ("weekly_time", "9", "weekly.time = '9': must be a time of day such as 09:00"),
    ],
)
def test_an_invalid_value_is_reported_in_one_line_and_leaves_the_file_unchanged(
    settled: Cli, key: str, value: str, complaint: str
) -> None:
    before = settled.config.read_text()
    assert settled("config", "set", key, value).complaint.endswith(complaint)
    assert settled.config.read_text() == before


def test_set_says_when_the_environment_wins(settled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LACUNA_RESEARCH_MAX_FINDINGS", "9")
    done = settled("config", "set", "research.max_findings", "7")
    assert "environment variable LACUNA_RESEARCH_MAX_FINDINGS overrides it" in done.out


def test_get_prints_the_bare_value(settled: Cli) -> None:
    assert settled("config", "get", "research.max_findings").out == "3\n"
    assert settled("config", "get", "weekly.enabled").out == "true\n"
    assert settled("config", "get", "embedding.model_path").out == ""


def test_check_reports_errors_in_either_file(settled: Cli) -> None:
    assert settled("config", "check").out == f"{settled.config}: no errors\n"
    sources = settled.config.with_name("sources.yaml")
    kept = sources.read_text() if sources.exists() else ""
    sources.write_text("arxiv: {enabledd: true}\n")
    assert "enabledd" in settled("config", "check").complaint
    sources.write_text(kept)
    settled.config.write_text("research.max_findings = [\n")
    assert "not valid TOML" in settled("config", "check").complaint


def test_edit_opens_the_editor_and_validates_the_result(
    settled: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "max_finding = 1" >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    assert "did you mean research.max_findings?" in settled("config", "edit").complaint
    assert settled.config.read_text().endswith("max_finding = 1\n")


def test_settings_of_one_vault_are_set_shown_and_removed_with_comments_kept(
    settled: Cli, tmp_path: Path
) -> None:
    reported = settled("config", "set", "vaults.work.research.max_findings", "2").complaint
    assert reported == f"{settled.config}: vaults.work has no path, the folder of its notes"
    assert settled("config", "set", "vaults.work.path", str(tmp_path)).code == 0
    assert (
        settled("config", "set", "vaults.work.research.max_findings", "2").out
        == "research.max_findings = 2\n"
    )
    assert (
        settled("config", "set", "--vault", "work", "analysis.stale_days", "9").out
        == "analysis.stale_days = 9\n"
    )
    assert settled("config", "get", "vaults.work.research.max_findings").out == "2\n"
    assert settled("config", "get", "research.max_findings").out == "3\n"
    shown = settled("config", "--vault", "work").out
    assert f"research.max_findings = 2  # {settled.config} [vaults.work]\n" in shown
    assert f"# --vault work: {tmp_path}\n" in settled("config").out
    assert settled("config", "show", "--json").json["vaults"]["work"] == str(tmp_path)
    assert settled("config", "set", "vaults.work.research.max_findings", "--default").code == 0
    assert settled("config", "get", "vaults.work.research.max_findings").out == "3\n"
    assert "# enough for me\nresearch.max_findings = 3\n" in settled.config.read_text()
    assert "[vaults.work]" in settled.config.read_text()


@pytest.mark.parametrize(
    ("key", "reported"),
    [
        ("vaults.work.max_finding", "unknown setting vaults.work.max_finding; did you mean"),
        ("vaults.work", "vaults.work: a vault's settings are named vaults.NAME.key"),
        ("vaults.work.max_findings", "there is no [vaults.work]"),
    ],
)
def test_an_unknown_key_of_a_vault_is_reported(settled: Cli, key: str, reported: str) -> None:
    assert reported in settled("config", "get", key).complaint


def test_a_vault_missing_from_the_file_has_no_settings_of_its_own(settled: Cli) -> None:
    reported = settled(
        "config", "set", "--vault", "/elsewhere", "analysis.stale_days", "9"
    ).complaint
    assert reported == "no vault is named /elsewhere: the file has no [vaults.NAME]"


def test_schedules_are_shown_as_written(lacuna: Cli) -> None:
    lacuna.settings()
    lacuna.config.write_text('[schedules.papers]\ncron = "0  7 * * 1"\ntags = ["#health"]\n')
    shown = lacuna("config", "show", "--json").json["schedules"]["value"]
    assert shown == {"papers": {"cron": "0 7 * * 1", "tags": ["health"]}}
    lacuna.environment(LACUNA_SCHEDULES="x")
    reported = "environment variable LACUNA_SCHEDULES: tables are set in the settings file only"
    assert lacuna("config", "show").complaint == reported


def test_a_running_daemon_applies_a_setting_or_the_command_says_what_to_do(
    settled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.usecases.reloading.PATIENCE", 0.3)
    with closing(open_app(load_settings(settled.config, flags={}), config=settled.config)) as app:
        server = Server(app)
        with app.lock("lacuna run"):
            alone = settled("config", "set", "research.max_findings", "6").out.splitlines()
            assert alone[1].startswith("The running daemon could not be asked to reload: ")
            server.start()
            slow = settled("config", "set", "research.max_findings", "4").out.splitlines()
            assert slow[1] == "The running daemon applies it when its current work has ended."
            later = settled("config", "set", "inbox.folder", "Else").out.splitlines()
            assert later[1].startswith("The running daemon uses the old value until it is started")
            server.stop()
        (request,) = app.stores.requests.unanswered()
        assert request.kind == "reload"
    assert (
        settled("config", "set", "research.max_findings", "5").out == "research.max_findings = 5\n"
    )
