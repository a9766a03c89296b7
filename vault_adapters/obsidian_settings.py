"""The settings in a vault's `.obsidian` folder, read-only; anything may be missing or broken."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault_adapters.moment import date_pattern
from vault_adapters.roles import DailyFolder, clean_folder

_MAX_BYTES = 8 * 1024 * 1024
_PERIODS = {
    "daily": "YYYY-MM-DD",
    "weekly": "gggg-[W]ww",
    "monthly": "YYYY-MM",
    "quarterly": "YYYY-[Q]Q",
    "yearly": "YYYY",
}


@dataclass(frozen=True, slots=True)
class ObsidianSettings:
    """The settings about the roles of files, and how links are written.

    `link_format` is `shortest`, `relative` or `absolute`: how Obsidian writes a new link. It does
    not affect where a link points.
    """

    link_format: str = "shortest"
    attachments: str = ""
    ignore_filters: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    daily: tuple[DailyFolder, ...] = ()


def read_settings(root: Path) -> ObsidianSettings:
    """Read the settings of the vault at `root`; an unreadable setting counts as not set."""
    config = root / ".obsidian"
    app = _json(config / "app.json")
    link_format = _text(app, "newLinkFormat")
    return ObsidianSettings(
        link_format=link_format if link_format in ("relative", "absolute") else "shortest",
        attachments=_text(app, "attachmentFolderPath"),
        ignore_filters=tuple(_texts(app.get("userIgnoreFilters"))),
        templates=tuple(_templates(config)),
        daily=tuple(_daily(config)),
    )


def _templates(config: Path) -> Iterator[str]:
    for file, key in (
        ("templates.json", "folder"),
        ("plugins/templater-obsidian/data.json", "templates_folder"),
    ):
        # Plugins store the root as the templates folder if there is none.
        if folder := clean_folder(_text(_json(config / file), key)):
            yield folder


def _daily(config: Path) -> Iterator[DailyFolder]:
    core = _json(config / "daily-notes.json")
    if core:
        yield _period(core, _PERIODS["daily"])
    periodic = _json(config / "plugins/periodic-notes/data.json")
    for name, date_format in _PERIODS.items():
        period = periodic.get(name)
        if isinstance(period, dict) and period.get("enabled", True) and any(period.values()):
            yield _period(period, date_format)


def _period(settings: dict[str, Any], date_format: str) -> DailyFolder:
    # The format may contain folders (`YYYY/MM/YYYY-MM-DD`).
    name = clean_folder(_text(settings, "format")) or date_format
    return DailyFolder(clean_folder(_text(settings, "folder")), date_pattern(name))


def _text(settings: dict[str, Any], key: str) -> str:
    value = settings.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, str) and item)


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES or not path.is_file():
            return {}
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
