"""The vaults that Obsidian knows on this machine, from its own list."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_NAME = "obsidian.json"
_MAX_BYTES = 4 * 1024 * 1024


def known_vaults(
    home: Path, *, environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> list[Path]:
    """Return the existing folders in Obsidian's list: open ones first, then the most recently used.
    Its help and sandbox vaults are not in the list.
    """
    found: dict[Path, tuple[bool, float]] = {}
    for registry in _registries(home, environ, platform):
        for entry in _entries(registry / _NAME):
            path, used = Path(str(entry.get("path", ""))), entry.get("ts")
            if not path.is_absolute() or not path.is_dir() or path.is_relative_to(registry):
                continue
            latest = float(used) if isinstance(used, int | float) else 0.0
            known = found.get(path.resolve(), (False, 0.0))
            found[path.resolve()] = max(known, (bool(entry.get("open")), latest))
    return sorted(found, key=lambda path: (*(-part for part in found[path]), str(path)))


def _registries(home: Path, environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Yield the folders in which Obsidian stores its list, for each kind of installation."""
    if platform == "darwin":
        yield home / "Library" / "Application Support" / "obsidian"
        return
    yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "obsidian"
    yield home / ".var" / "app" / "md.obsidian.Obsidian" / "config" / "obsidian"
    # A confined snap has a home of its own, one for each version; `current` is a link.
    yield home / "snap" / "obsidian" / "current" / ".config" / "obsidian"
    yield home / "snap" / "obsidian" / "common" / ".config" / "obsidian"


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    try:
        if file.stat().st_size > _MAX_BYTES:
            return
        listed = json.loads(file.read_bytes())["vaults"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return  # no Obsidian here, or an unknown format: there is nothing to offer
    if isinstance(listed, dict):
        yield from (entry for entry in listed.values() if isinstance(entry, dict))
