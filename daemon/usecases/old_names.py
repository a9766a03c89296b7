"""Replacing old names in the settings file by new ones: comments move with their settings."""

from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.items import Comment, Null, Table

from daemon.config import RENAMED, RENAMED_OF_SCHEDULE
from daemon.model.errors import SettingsError

_HEADER = "# Lacuna's settings"  # begins the first line of a file that Lacuna made


def replace_old_names(target: MutableMapping[str, Any], key: str | None = None) -> None:
    """Replace old names in the document, or in a vault's table: all, or those in the way of `key`.

    In the way is an old name of the setting `key`, and one that is called as its section is.
    Where the new name is set as well, the old one is removed, since it had no effect.
    """
    for old, new in RENAMED.items():
        is_set = old in target and not isinstance(target[old], Mapping)
        if is_set and (key is None or key == new or key.partition(".")[0] == old):
            item, comments = _taken(target, old)
            section, _, name = new.rpartition(".")
            table = section_in(target, section)
            if name not in table:
                _add(table, name, item, comments)
    if key is None:
        _replace_in_schedules(target)


def section_in(target: MutableMapping[str, Any], name: str) -> MutableMapping[str, Any]:
    """Return a section of the document or of a vault's table; add it if it is missing."""
    if name not in target:
        target[name] = tomlkit.table()
    found = target[name]
    if not isinstance(found, MutableMapping):
        raise SettingsError(f"{name} must be a section: [{name}]")
    return found


def _replace_in_schedules(target: MutableMapping[str, Any]) -> None:
    schedules = target.get("schedules", {})
    for table in schedules.values() if isinstance(schedules, Mapping) else ():
        for old, new in RENAMED_OF_SCHEDULE.items():
            if isinstance(table, MutableMapping) and old in table:
                item, comments = _taken(table, old)
                if new not in table:
                    _add(table, new, item, comments)


def _taken(table: MutableMapping[str, Any], key: str) -> tuple[Any, list[Comment]]:
    """Remove a setting and the comment lines directly above it; return both."""
    container = table.value if isinstance(table, Table) else table
    body = container.body if hasattr(container, "body") else []
    place = next((at for at, (name, _) in enumerate(body) if name and name.key == key), 0)
    comments: list[Comment] = []
    for at in range(place - 1, -1, -1):
        item = body[at][1]
        if not isinstance(item, Comment) or item.as_string().startswith(_HEADER):
            break
        comments.insert(0, item)
        body[at] = (None, Null())
    item = container.item(key) if hasattr(container, "item") else table[key]
    del table[key]
    return item, comments


def _add(table: MutableMapping[str, Any], key: str, value: Any, comments: list[Comment]) -> None:
    """Add a setting below its comments, before the empty lines that end the section."""
    if not isinstance(table, Table):
        table[key] = value
        return
    for comment in comments:
        table.add(comment)
    table.add(key, value)
