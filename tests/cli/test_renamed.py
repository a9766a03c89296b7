"""Old names of settings: they work, with a warning, and one command replaces them."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from daemon.config import KEYS, RENAMED, load_settings, value_of
from daemon.config.setting_names import variable
from daemon.model.errors import SettingsError
from tests.fakes.cli import Cli

NOTHING: dict[str, str] = {}
# A value for every old name, of which none is the default.
VALUES: dict[str, Any] = {
    "inbox": "Neu", "inbox_layout": "runs", "delete_grace_hours": 1.5, "templates": ["T"],
    "daily_notes": ["D"], "exclude": ["X"], "settle_seconds": 3.5, "reconcile_minutes": 9.5,
    "model": "own", "model_path": "/m", "model_backend": "onnx", "embed_idle_seconds": 7.5,
    "embed_threads": 3, "meaning_similarity": 0.7, "stale_days": 9, "library": "/l",
    "library_extra": ["/e"], "several_machines": False, "approval": "required", "veto_hours": 2.5,
    "veto_seconds": 8.5, "research_tag": "wissen", "research_waiting": 7, "depth": "deep",
    "max_findings": 9, "covered_similarity": 0.9, "reranker": "off", "retraction_watch": "/r.csv",
    "weekly": False, "weekly_day": "mon", "weekly_time": "10:30", "weekly_jitter_minutes": 5,
    "nightly": True, "nightly_from": "01:30", "nightly_until": "05:30",
    "nightly_jitter_minutes": 6, "nightly_most": 4, "quiet_from": "12:00", "quiet_to": "13:00",
    "battery_min_percent": 40, "metered_wait": False, "offline_wait": False,
    "allow_origins": ["http://127.0.0.1:8080"], "contact": "ada@example.org",
    "fetch_timeout": 11.5, "fetch_max_mb": 12.5, "budget_run_requests": 13,
    "budget_day_requests": 14, "budget_month_requests": 15, "budget_run_money": 1.25,
    "budget_day_money": 1.5, "budget_month_money": 1.75, "budget_run_mb": 16.5,
    "budget_day_mb": 17.5, "budget_month_mb": 18.5, "budget_day_findings": 19,
    "budget_month_findings": 21, "keep_runs_days": 22, "keep_runs_mb": 23.5,
    "keep_cache_mb": 24.5, "keep_ledger_days": 25, "keep_log_mb": 26.5, "confine": False,
    "confine_except": ["/c"], "hook_seconds": 27.5, "hook_failure": "drop",
    "notify_desktop": False, "notify_ntfy": "https://ntfy.example/t",
    "notify_webhook": "https://example.org/in", "notify_digest": False, "notify_agenda": False,
    "notify_error": False, "notify_budget": False, "notify_text": True, "telemetry": True,
    "telemetry_endpoint": "http://127.0.0.1:1", "secrets_in": "file", "log_level": "debug",
    "log_format": "json",
}  # fmt: skip
KEPT = """\
# Lacuna's settings.
vault = "/notes"  # mine
inbox = "Neu"
# not
# too many
max_findings = 3  # enough
weekly = false

[hooks]
error = ["logger", "lacuna"]

[schedules.papers]
cron = "0 7 * * 1"
on = false  # in summer
budget_mb = 5

[vaults.work]
path = "/work"
# for work
depth = "deep"
inbox = "Eingang"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def plain(value: object) -> object:
    return [*map(str, value)] if isinstance(value, tuple) else value


def test_there_is_a_value_for_every_old_name() -> None:
    assert set(VALUES) == set(RENAMED)
    assert set(RENAMED.values()) <= set(KEYS)


@pytest.mark.parametrize("old", RENAMED)
def test_every_old_name_works_in_the_file_and_in_the_environment_and_warns(
    old: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    new, value = RENAMED[old], VALUES[old]
    path = written(tmp_path, f"{old} = {json.dumps(value)}\n")
    found = plain(value_of(load_settings(path, environ=NOTHING), new))
    assert found in (value, Path(str(value)))
    assert f"{old} is now {new}. Update the file: `lacuna config migrate`" in caplog.text
    caplog.clear()
    typed = ",".join(value) if isinstance(value, list) else str(value)
    environ = {f"LACUNA_{old.upper()}": typed}
    assert plain(value_of(load_settings(None, environ=environ), new)) in (value, Path(str(value)))
    if variable(new) not in environ:
        assert f"LACUNA_{old.upper()} is now called {variable(new)}" in caplog.text


def test_an_old_name_in_a_schedule_and_in_a_vaults_table_works(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    work = load_settings(path, environ=NOTHING, flags={"vault": "work"})
    assert (work.inbox.folder, work.research.depth, work.research.max_findings) == (
        "Eingang", "deep", 3,
    )  # fmt: skip
    papers = work.schedules["papers"]
    assert (papers.enabled, papers.max_mb) == (False, 5)


def test_the_new_name_wins_over_the_old_one_in_the_same_file_and_that_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path, "veto_hours = 1\n[agenda]\nveto_hours = 2\n")
    assert load_settings(path, environ=NOTHING).agenda.veto_hours == 2
    assert "veto_hours is ignored, because agenda.veto_hours is set, too" in caplog.text
    caplog.clear()
    load_settings(path, environ=NOTHING)
    assert caplog.text == ""  # once per process
    environ = {"LACUNA_VETO_HOURS": "1", "LACUNA_AGENDA_VETO_HOURS": "3"}
    assert load_settings(path, environ=environ).agenda.veto_hours == 3


def test_an_old_setting_beside_the_section_of_its_name_is_explained(tmp_path: Path) -> None:
    path = written(tmp_path, 'inbox = "Neu"\n[inbox]\nlayout = "runs"\n')
    with pytest.raises(SettingsError, match=r"inbox is a section now: move `inbox = …` into"):
        load_settings(path, environ=NOTHING)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[resarch]\ndepth = 'deep'", "resarch; did you mean research?"),
        ("[research]\ndpeth = 'deep'", "research.dpeth; did you mean research.depth?"),
        ("[inbox]\nmax_findings = 1", "inbox.max_findings; did you mean research.max_findings?"),
        ("dpeth = 'deep'", "dpeth; did you mean research.depth?"),
        ("research = 'deep'", "research is a section: its settings are called research.tag"),
        ("[schedules.a]\ntime = '09:00'\nenabld = true", "did you mean schedules.a.enabled?"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, text), environ=NOTHING)
    assert hint in str(caught.value)


def test_migrate_writes_new_names_and_keeps_values_comments_and_a_copy(lacuna: Cli) -> None:
    lacuna.settings()
    lacuna.config.write_text(KEPT)
    lacuna.config.chmod(0o600)
    before = lacuna("config", "show", "--json", "--vault", "work").json
    done = lacuna("config", "migrate", "--json").json
    assert {"old": "vaults.work.depth", "new": "vaults.work.research.depth"} in done["renamed"]
    assert Path(done["backup"]).read_text() == KEPT
    text = lacuna.config.read_text()
    assert tomllib.loads(text) == {
        "vault": "/notes",
        "inbox": {"folder": "Neu"},
        "research": {"max_findings": 3},
        "weekly": {"enabled": False},
        "hooks": {"error": ["logger", "lacuna"]},
        "schedules": {"papers": {"cron": "0 7 * * 1", "enabled": False, "max_mb": 5}},
        "vaults": {
            "work": {
                "path": "/work", "research": {"depth": "deep"}, "inbox": {"folder": "Eingang"},
            }
        },
    }  # fmt: skip
    assert "# not\n# too many\nmax_findings = 3  # enough\n" in text
    assert "enabled = false  # in summer\n" in text
    assert "# for work\ndepth" in text
    assert lacuna.config.stat().st_mode & 0o777 == 0o600
    assert lacuna("config", "show", "--json", "--vault", "work").json == before
    again = lacuna("config", "migrate")
    assert (again.out, again.err) == (f"{lacuna.config}: no old names\n", "")
    assert lacuna("config", "check").err == ""


def test_every_old_name_is_migrated(lacuna: Cli) -> None:
    lacuna.settings(**VALUES)
    before = load_settings(lacuna.config, environ=NOTHING)
    assert lacuna("config", "migrate").code == 0
    assert not set(tomllib.loads(lacuna.config.read_text())) & (set(RENAMED) - set(KEYS)) - {
        "inbox", "library", "weekly", "nightly", "telemetry",
    }  # fmt: skip
    assert load_settings(lacuna.config, environ=NOTHING) == before


def test_setting_an_old_name_writes_the_new_one_and_says_so(lacuna: Cli) -> None:
    lacuna.settings()
    lacuna.config.write_text('inbox = "Neu"\n# enough\nmax_findings = 3\n')
    assert lacuna("config", "set", "max_findings", "7").out == "research.max_findings = 7\n"
    assert lacuna("config", "get", "max_findings").out == "7\n"
    lacuna("config", "set", "inbox.layout", "runs")
    assert tomllib.loads(lacuna.config.read_text()) == {
        "inbox": {"folder": "Neu", "layout": "runs"},
        "research": {"max_findings": 7},
    }
    assert "# enough\nmax_findings = 7\n" in lacuna.config.read_text()
    shown = lacuna("config", "show", "--json").json
    assert shown["max_findings"] == shown["research.max_findings"] | {
        "deprecated": "research.max_findings"
    }
