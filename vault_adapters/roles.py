"""The role of a file in the vault, by its path and the vault's settings. Pure."""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass

from vault_adapters.conflicts import is_conflict
from vault_adapters.moment import date_pattern
from vault_adapters.note import Role

ISO_DATE = date_pattern("YYYY-MM-DD")
_MAX_DATE_LENGTH = 100  # characters of a name in the form of a date
_MAX_REPEATS = 3  # in a pattern of the vault's settings
# Escapes and character classes.
_NO_REPEATS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_REPEAT = re.compile(r"[*+]|\{\d*,\d*\}")
_GROUP = re.compile(r"\(([^()]*)\)([*+{]?)")
_log = logging.getLogger(__name__)


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
        for folder in self.templates:
            if _is_below(lower, folder):
                return Role.TEMPLATE
        if self.excluded and any(pattern.search(path) for pattern in self.excluded):
            return Role.EXCLUDED
        if lower.endswith(".canvas"):
            return Role.CANVAS
        return Role.DAILY if self._is_daily(path, lower) else Role.NOTE

    def _is_daily(self, path: str, lower: str) -> bool:
        if self.daily:
            folders = [daily for daily in self.daily if _is_below(lower, daily.folder)]
            return any(_is_daily_in(daily, path) for daily in folders)
        return ISO_DATE.fullmatch(_stem(path).rpartition("/")[2]) is not None


def exclusions(filters: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Turn Obsidian's excluded files (`Folder/`, a prefix, or `/a pattern/`) into patterns.

    Patterns are searched for anywhere in the path, prefixes at its start; case does not matter. A
    pattern that is not valid in Python, or that could run forever, excludes nothing.
    """
    patterns = []
    for text in filters:
        try:
            if len(text) > 2 and text.startswith("/") and text.endswith("/"):
                if not _is_quick(text[1:-1]):
                    _log.warning(
                        "ignoring an invalid excluded file in the vault's settings: %s", text
                    )
                    continue
                patterns.append(re.compile(text[1:-1], re.IGNORECASE))
            elif text.strip("/"):
                patterns.append(re.compile(r"\A" + re.escape(text.lstrip("/")), re.IGNORECASE))
        except re.error:
            continue
    return tuple(patterns)


def _is_quick(pattern: str) -> bool:
    """Return whether a pattern has few repeats, and none of a choice or of another repeat.

    The settings come with the vault, from anybody, and a backtracking search cannot be interrupted:
    one pattern could block the process forever.
    """
    rest = _NO_REPEATS.sub("a", pattern)
    if len(_REPEAT.findall(rest)) > _MAX_REPEATS:
        return False
    while (group := _GROUP.search(rest)) is not None:
        inside, repeated = group[1].removeprefix("?:"), bool(group[2])
        if repeated and ("|" in inside or _REPEAT.search(inside)):
            return False
        # A group is replaced by its content, so that one around it sees that.
        kept = "a*" if _REPEAT.search(inside) or repeated else "a|a" if "|" in inside else "a"
        rest = rest[: group.start()] + kept + rest[group.end(1) + 1 + len(group[2]) :]
    return True


def folder_exclusions(folders: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Return patterns for whole folders (or single files), however their names are written."""
    clean = filter(None, (clean_folder(folder) for folder in folders))
    return tuple(re.compile(rf"\A{re.escape(folder)}(?:/|\Z)", re.IGNORECASE) for folder in clean)


def clean_folder(folder: str) -> str:
    """Return a folder's path without a `/`, `./` and spaces around it."""
    return folder.strip().removeprefix("./").strip("/")


def _is_daily_in(daily: DailyFolder, path: str) -> bool:
    stem = _stem(path)
    name = stem.rpartition("/")[2]
    if daily.name is None or ISO_DATE.fullmatch(name):
        return True
    below = stem[len(daily.folder) + 1 :] if daily.folder else stem
    if len(below) > _MAX_DATE_LENGTH:
        return False
    return daily.name.fullmatch(below) is not None or daily.name.fullmatch(name) is not None


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


def _is_below(lower: str, folder: str) -> bool:
    """Return whether a path in lower case is below `folder`; all are below the root."""
    return not folder or lower.startswith(f"{folder.lower()}/")
