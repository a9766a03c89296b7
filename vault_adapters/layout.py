"""Guess what the folders of a vault are for, by their names. Pure; only ever a proposal."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_TEMPLATES = {"template", "templates", "vorlagen", "modèles", "plantillas", "modelli"}
_DAILY = {
    "daily", "daily notes", "daily note", "dailies", "journal", "journals", "diary", "tagebuch",
    "tagesnotizen", "journal de bord", "diario",
}  # fmt: skip
_ATTACHMENTS = {
    "attachments", "attachment", "assets", "files", "images", "media", "resources", "anhänge",
    "dateien", "bilder", "pièces jointes", "adjuntos", "allegati",
}  # fmt: skip
_INBOX = {
    "inbox", "fleeting", "fleeting notes", "eingang", "posteingang", "bandeja de entrada",
    "boîte de réception",
}  # fmt: skip
# Prefixes that people use to sort names: `00 Inbox`, `+ Inbox`, `_templates`, `1. Inbox`.
_SORTED_BY = re.compile(r"^[\W\d_]+")
_DATED = re.compile(r"(?:19|20)\d\d[-._ ]?[01]\d[-._ ]?[0-3]\d")
_MIN_DATED = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """Vault-relative folders by purpose; `inbox` is an existing one."""

    templates: tuple[str, ...] = ()
    daily_notes: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    inbox: str = ""


def guess(paths: Iterable[str]) -> Layout:
    """Guess from the paths of all files. Of nested folders of one kind, the outer one.

    A folder is for daily notes only if most notes in it have a date in their name: a journal may
    also contain essays. A folder for attachments has no more notes than other files.
    """
    notes, dated, files = Counter[str](), Counter[str](), Counter[str]()
    folders: dict[str, None] = {}
    for path in sorted(paths):
        *above, name = path.split("/")
        for depth in range(1, len(above) + 1):
            folder = "/".join(above[:depth])
            folders[folder] = None
            files[folder] += 1
            if name.lower().endswith(".md"):
                notes[folder] += 1
                dated[folder] += _DATED.search(name) is not None
    mostly_dated = [
        folder
        for folder in _named(folders, _DAILY)
        if dated[folder] >= _MIN_DATED and 2 * dated[folder] > notes[folder]
    ]
    # `Resources` is a folder of notes in PARA, and a folder of pictures elsewhere.
    attached = [
        folder for folder in _named(folders, _ATTACHMENTS) if 2 * notes[folder] <= files[folder]
    ]
    inboxes = sorted(_named(folders, _INBOX), key=lambda folder: (folder.count("/"), folder))
    return Layout(
        _outermost(_named(folders, _TEMPLATES)),
        _outermost(mostly_dated),
        _outermost(attached),
        inboxes[0] if inboxes else "",
    )


def _named(folders: Iterable[str], names: set[str]) -> list[str]:
    return [folder for folder in folders if _plain(folder.rpartition("/")[2]) in names]


def _plain(name: str) -> str:
    return _SORTED_BY.sub("", name).strip().casefold()


def _outermost(folders: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for folder in sorted(folders):
        if not any(folder.startswith(f"{outer}/") for outer in kept):
            kept.append(folder)
    return tuple(kept)
