"""The objects of JSON-LD that a page states about itself. All of them are claims."""

import json
from collections.abc import Iterator
from typing import Any

_MAX_LENGTH = 500_000  # characters of a script
_MAX_OBJECTS = 500
_MAX_TEXT = 400  # characters of a value


def objects_of(tree: Any) -> Iterator[dict[str, Any]]:
    """Iterate over the JSON-LD objects of a page, and those in the graphs of others."""
    count = 0
    for script in tree.iter("script"):
        if (script.get("type") or "").strip().lower() != "application/ld+json":
            continue
        waiting = _loaded(script.text or "")
        while waiting and count < _MAX_OBJECTS:
            count += 1
            each = waiting.pop(0)
            if isinstance(each, list):
                waiting += each[:_MAX_OBJECTS]
            elif isinstance(each, dict):
                waiting += listed(each.get("@graph"))
                yield each


def _loaded(text: str) -> list[Any]:
    if len(text) > _MAX_LENGTH:
        return []
    try:
        return [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        return []


def kinds_of(each: dict[str, Any]) -> frozenset[str]:
    """Return the types of an object, in lower case."""
    return frozenset(str(kind).rsplit("/", 1)[-1].lower() for kind in listed(each.get("@type")))


def listed(value: object) -> list[Any]:
    """Return a value as a list; what is missing as an empty one."""
    if isinstance(value, list):
        return value[:_MAX_OBJECTS]
    return [] if value is None else [value]


def text_of(value: object) -> str:
    """Return a value, or the name of an object, as one line; "" if it has none."""
    value = next(iter(listed(value)), None)
    if isinstance(value, dict):
        value = value.get("name")
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split())[:_MAX_TEXT] if is_plain else ""
