"""The settings in a Dendron workspace's `dendron.yml`, read-only; it may be missing or broken.

Its keys are those of Dendron's own types (packages/common-all/src/types/configs/workspace and
DVault.ts in github.com/dendronhq/dendron): `workspace.vaults` (before version 3 of the settings
`vaults`, at the top), each with `fsPath`, and maybe `name`, `selfContained`, `workspace`, `seed`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from typing import Any

import yaml

from vault_adapters.yaml_core import load_yaml

SETTINGS = "dendron.yml"
_MAX_BYTES = 1024 * 1024
# Where the notes are without settings: the folder that contains the root of their hierarchy.
_DEFAULT = ("", "notes", "vault")
# Date formats in `dendron.yml` are Luxon's; in a hierarchy only the numeric ones are useful.
_DATE_TOKEN = re.compile(r"y+|M+|d+|H+|m+|s+|S+")


@dataclass(frozen=True, slots=True)
class Vault:
    """One vault of a workspace: its name in links, and the folder that contains its notes."""

    name: str
    folder: str


@dataclass(frozen=True, slots=True)
class DendronSettings:
    """The settings that determine which files are notes, and their roles.

    `names` are those of all vaults, including those outside of the workspace's folder; without any,
    every name stands for the only vault.
    """

    vaults: tuple[Vault, ...]
    names: frozenset[str] = frozenset()
    templates: str = "template"
    daily: re.Pattern[str] = re.compile(r"daily\.journal\.\d+\.\d+\.\d+")


def read_settings(root: Path) -> DendronSettings:
    """Read the settings of the workspace at `root`; an unreadable setting counts as not set."""
    settings = _load(root / SETTINGS)
    workspace = _mapping(settings.get("workspace"))
    listed = list(_listed(workspace.get("vaults") or settings.get("vaults")))
    found = tuple(vault for vault in listed if not vault.folder.startswith(".."))
    return DendronSettings(
        vaults=found or (Vault("", _default_folder(root)),),
        names=frozenset(vault.name for vault in listed),
        templates=_templates(settings),
        daily=_daily(_mapping(workspace.get("journal"))),
    )


def _listed(vaults: object) -> Iterator[Vault]:
    for value in vaults if isinstance(vaults, list) else ():
        vault = _mapping(value)
        path = vault.get("fsPath")
        if not isinstance(path, str):
            continue
        above, below = "", ""
        if vault.get("selfContained") is True:
            below = "notes"
        elif isinstance(vault.get("workspace"), str):
            above = vault["workspace"]
        elif isinstance(vault.get("seed"), str):
            above = f"seeds/{vault['seed']}"
        folder = normpath("/".join(filter(None, (above, path, below))))
        name = vault.get("seed") or vault.get("name") or normpath(path).rpartition("/")[2]
        yield Vault(str(name), "" if folder == "." else folder.lstrip("/"))


def _templates(settings: Mapping[str, Any]) -> str:
    commands = _mapping(settings.get("commands"))
    return _text(commands.get("templateHierarchy")) or "template"


def _daily(journal: Mapping[str, Any]) -> re.Pattern[str]:
    domain, name = _text(journal.get("dailyDomain")), _text(journal.get("name"))
    date_format, date, at = _text(journal.get("dateFormat")) or "y.MM.dd", "", 0
    for token in _DATE_TOKEN.finditer(date_format):
        date += re.escape(date_format[at : token.start()]) + r"\d+"
        at = token.end()
    date += re.escape(date_format[at:])
    return re.compile(rf"{re.escape(domain or 'daily')}\.{re.escape(name or 'journal')}\.{date}")


def _default_folder(root: Path) -> str:
    return next((folder for folder in _DEFAULT if (root / folder / "root.md").is_file()), "")


def _load(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            return {}
        settings, _ = load_yaml(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, yaml.YAMLError):
        return {}
    return _mapping(settings)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
