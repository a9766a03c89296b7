"""Old names of settings: they work, with a warning, and `lacuna config migrate` replaces them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daemon.config.setting_names import KEYS, flat

RENAMED: Mapping[str, str] = {
    "inbox": "inbox.folder",
    "inbox_layout": "inbox.layout",
    "delete_grace_hours": "inbox.delete_grace_hours",
    "templates": "notes.templates",
    "daily_notes": "notes.daily_notes",
    "exclude": "notes.exclude",
    "settle_seconds": "index.debounce_seconds",
    "reconcile_minutes": "index.rescan_minutes",
    "model": "embedding.model",
    "model_path": "embedding.model_path",
    "model_backend": "embedding.backend",
    "embed_idle_seconds": "embedding.idle_seconds",
    "embed_threads": "embedding.threads",
    "meaning_similarity": "analysis.similarity_threshold",
    "stale_days": "analysis.stale_days",
    "library": "library.folder",
    "library_extra": "library.extra",
    "several_machines": "machines.allow_others",
    "approval": "agenda.approval",
    "veto_hours": "agenda.veto_hours",
    "veto_seconds": "agenda.tagged_veto_seconds",
    "research_tag": "research.tag",
    "research_waiting": "research.max_queued",
    "depth": "research.depth",
    "max_findings": "research.max_findings",
    "covered_similarity": "research.coverage_threshold",
    "reranker": "research.reranker",
    "retraction_watch": "research.retraction_watch",
    "weekly": "weekly.enabled",
    "weekly_day": "weekly.day",
    "weekly_time": "weekly.time",
    "weekly_jitter_minutes": "weekly.jitter_minutes",
    "nightly": "nightly.enabled",
    "nightly_from": "nightly.start",
    "nightly_until": "nightly.end",
    "nightly_jitter_minutes": "nightly.jitter_minutes",
    "nightly_most": "nightly.max_items",
    "quiet_from": "quiet_hours.start",
    "quiet_to": "quiet_hours.end",
    "battery_min_percent": "conditions.min_battery_percent",
    "metered_wait": "conditions.wait_when_metered",
    "offline_wait": "conditions.wait_when_offline",
    "allow_origins": "network.allow_origins",
    "contact": "network.contact",
    "fetch_timeout": "network.timeout_seconds",
    "fetch_max_mb": "network.max_download_mb",
    "budget_run_requests": "budget.requests_per_run",
    "budget_day_requests": "budget.requests_per_day",
    "budget_month_requests": "budget.requests_per_month",
    "budget_run_money": "budget.usd_per_run",
    "budget_day_money": "budget.usd_per_day",
    "budget_month_money": "budget.usd_per_month",
    "budget_run_mb": "limits.mb_per_run",
    "budget_day_mb": "limits.mb_per_day",
    "budget_month_mb": "limits.mb_per_month",
    "budget_day_findings": "limits.findings_per_day",
    "budget_month_findings": "limits.findings_per_month",
    "keep_runs_days": "retention.runs_days",
    "keep_runs_mb": "retention.runs_mb",
    "keep_cache_mb": "retention.replays_mb",
    "keep_ledger_days": "retention.requests_days",
    "keep_log_mb": "log.max_mb",
    "confine": "confinement.enabled",
    "confine_except": "confinement.allow_write",
    "hook_seconds": "hooks.timeout_seconds",
    "hook_failure": "hooks.on_failure",
    "notify_desktop": "notifications.desktop",
    "notify_ntfy": "notifications.ntfy",
    "notify_webhook": "notifications.webhook",
    "notify_digest": "notifications.digest",
    "notify_agenda": "notifications.agenda",
    "notify_error": "notifications.error",
    "notify_budget": "notifications.budget",
    "notify_text": "notifications.include_text",
    "telemetry": "telemetry.enabled",
    "telemetry_endpoint": "telemetry.endpoint",
    "secrets_in": "secrets.store",
    "log_level": "log.level",
    "log_format": "log.format",
}
# In each [schedules.NAME].
RENAMED_OF_SCHEDULE: Mapping[str, str] = {
    "on": "enabled",
    "budget_money": "budget_usd",
    "budget_mb": "max_mb",
}


@dataclass(frozen=True, slots=True)
class Renamed:
    """An old name that a settings file uses, and what it is called now, both in full.

    With `is_ignored`, the file also sets the new name, which takes precedence.
    """

    old: str
    new: str
    is_ignored: bool


def current(key: str) -> str:
    """Return what a setting is called now: `key` itself unless that is an old name."""
    return key if key in KEYS else RENAMED.get(key, key)


def with_new_names(
    table: Mapping[str, Any], begin: str = ""
) -> tuple[dict[str, Any], list[Renamed]]:
    """Return new name → value of a table of settings, and which old names it uses.

    `begin` is what the full name of the table's keys starts with.
    """
    values = flat(table)
    found = {key: value for key, value in values.items() if _is_current(key)}
    renamed: list[Renamed] = []
    for old in values.keys() - found.keys():
        new = RENAMED[old]
        renamed.append(Renamed(begin + old, begin + new, new in found))
        found.setdefault(new, values[old])
    if isinstance(found.get("schedules"), Mapping):
        found["schedules"] = {
            name: _schedule(schedule, f"{begin}schedules.{name}.", renamed)
            for name, schedule in found["schedules"].items()
        }
    return found, sorted(renamed, key=lambda each: each.old)


def settings_in(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return new name → value of a table of settings."""
    return with_new_names(table)[0]


def _is_current(key: str) -> bool:
    return key in KEYS or key not in RENAMED


def _schedule(table: Any, begin: str, renamed: list[Renamed]) -> Any:
    if not isinstance(table, Mapping):
        return table
    found = {key: value for key, value in table.items() if key not in RENAMED_OF_SCHEDULE}
    for old in table.keys() - found.keys():
        new = RENAMED_OF_SCHEDULE[old]
        renamed.append(Renamed(begin + old, begin + new, new in found))
        found.setdefault(new, table[old])
    return found
