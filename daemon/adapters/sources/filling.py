"""Placeholders such as `{query}` in what is sent to a service."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLACE = re.compile(r"\{([A-Za-z0-9_-]+)\}")


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """Put `values` where they are named; alone, a number stays a number.

    Each text is gone through once: a question may hold braces of its own.
    """
    if isinstance(value, dict):
        return {key: filled(each, values) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [filled(each, values) for each in value]
    if not isinstance(value, str):
        return value
    alone = _PLACE.fullmatch(value)
    if alone and alone[1] in values:
        return values[alone[1]]
    return _PLACE.sub(lambda found: str(values.get(found[1], found[0])), value)


def named_in(value: object) -> Iterator[str]:
    """Return the names of all placeholders in nested lists and mappings."""
    for text in texts_in(value):
        yield from _PLACE.findall(text)


def texts_in(value: object) -> Iterator[str]:
    """Return all texts in nested lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
