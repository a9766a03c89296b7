"""The settings in a Logseq graph's `logseq/config.edn`, read-only; it may be missing or broken.

Keys and defaults are those of the template that Logseq writes
(deps/common/resources/templates/config.edn in github.com/logseq/logseq).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault_adapters.edn import EdnError, load_edn

SETTINGS = "logseq/config.edn"
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LogseqSettings:
    """The settings that determine the names of pages and which files are pages.

    `plain_names` is the format of file names in which `___` is a `/`; without it, as in old
    versions, a dot is one. `listed` are the properties whose values are page names separated by
    commas, `silent` those whose values contain no links.
    """

    pages: str = "pages"
    journals: str = "journals"
    hidden: tuple[str, ...] = ()
    triple_lowbar: bool = False
    title_format: str = "MMM do, yyyy"
    file_format: str = "yyyy_MM_dd"
    listed: frozenset[str] = frozenset({"tags", "alias"})
    silent: frozenset[str] = frozenset()


def read_settings(root: Path) -> LogseqSettings:
    """Read the settings of the graph at `root`; an unreadable setting counts as not set."""
    path, found = root / SETTINGS, {}
    try:
        if path.stat().st_size <= _MAX_BYTES:
            found = load_edn(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, EdnError):
        found = {}
    found = found if isinstance(found, dict) else {}
    usual = LogseqSettings()
    return LogseqSettings(
        pages=_folder(found.get("pages-directory")) or usual.pages,
        journals=_folder(found.get("journals-directory")) or usual.journals,
        hidden=tuple(filter(None, map(_folder, _list(found.get("hidden"))))),
        triple_lowbar=found.get("file/name-format") == "triple-lowbar",
        title_format=_text(found.get("journal/page-title-format")) or usual.title_format,
        file_format=_text(found.get("journal/file-name-format")) or usual.file_format,
        listed=usual.listed | _names(found.get("property/separated-by-commas")),
        silent=_names(found.get("ignored-page-references-keywords")),
    )


def hidden_patterns(hidden: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return whether a path is hidden, by how it begins (`hidden?` in Logseq's
    frontend/util/fs.cljs).
    """
    return tuple(re.compile(rf"\A{re.escape(begin)}") for begin in hidden)


def _folder(value: object) -> str:
    return _text(value).strip().lstrip("/")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _names(value: object) -> frozenset[str]:
    return frozenset(str(name).lower().replace("_", "-") for name in _list(value))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
