"""What a file in the vault is for, by its path and the vault's settings. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from vault_adapters.conflicts import is_conflict
from vault_adapters.moment import date_pattern
from vault_adapters.note import Role

ISO_DATE = date_pattern("YYYY-MM-DD")


@dataclass(frozen=True, slots=True)
class DailyFolder:
    """A folder of daily notes (`""`: the root) and the pattern of their names, None for all."""

    folder: str
    name: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Roles:
    """The folders and patterns that give a file its role."""

    suffixes: tuple[str, ...] = (".md",)
    templates: tuple[str, ...] = ()
    daily: tuple[DailyFolder, ...] = ()
    excluded: tuple[re.Pattern[str], ...] = ()

    def of(self, path: str) -> Role:
        """Return the role of a vault-relative path."""
        if is_conflict(path):
            return Role.CONFLICT
        lower = path.lower()
        if not lower.endswith((*self.suffixes, ".canvas")):
            return Role.ATTACHMENT
        if self.templates and any(_below(path, each) is not None for each in self.templates):
            return Role.TEMPLATE
        if self.excluded and any(pattern.search(path) for pattern in self.excluded):
            return Role.EXCLUDED
        if lower.endswith(".canvas"):
            return Role.CANVAS
        return Role.DAILY if self._is_daily(path) else Role.NOTE

    def _is_daily(self, path: str) -> bool:
        stem = path.rpartition(".")[0]
        name = stem.rpartition("/")[2]
        if not self.daily:
            return ISO_DATE.fullmatch(name) is not None
        return any(_in_daily_folder(daily, stem, name) for daily in self.daily)


def exclusions(filters: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Turn Obsidian's excluded files (`Folder/`, a prefix, or `/a pattern/`) into patterns.

    Patterns are searched for anywhere in the path, prefixes at its start; case does not matter. A
    pattern that Python does not understand excludes nothing.
    """
    patterns = []
    for text in filters:
        try:
            if len(text) > 2 and text.startswith("/") and text.endswith("/"):
                patterns.append(re.compile(text[1:-1], re.IGNORECASE))
            elif text.strip("/"):
                patterns.append(re.compile(r"\A" + re.escape(text.lstrip("/")), re.IGNORECASE))
        except re.error:
            continue
    return tuple(patterns)


def folder_exclusions(folders: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Patterns for whole folders (or single files), however their names are written."""
    clean = filter(None, (clean_folder(folder) for folder in folders))
    return tuple(re.compile(rf"\A{re.escape(folder)}(?:/|\Z)", re.IGNORECASE) for folder in clean)


def clean_folder(folder: str) -> str:
    """A folder's path without the `/`, `./` and spaces that people write around it."""
    return folder.strip().removeprefix("./").strip("/")


def _in_daily_folder(daily: DailyFolder, stem: str, name: str) -> bool:
    rest = _below(stem, daily.folder)
    if rest is None:
        return False
    if daily.name is None or ISO_DATE.fullmatch(name):
        return True
    return daily.name.fullmatch(rest) is not None or daily.name.fullmatch(name) is not None


def _below(path: str, folder: str) -> str | None:
    """What of `path` is below `folder`, None when it is not in it."""
    if not folder:
        return path
    if path.lower().startswith(f"{folder.lower()}/"):
        return path[len(folder) + 1 :]
    return None
