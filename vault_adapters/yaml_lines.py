"""The YAML that nearly all frontmatter uses: on each line a key and a value, or an item of a list.

A strict pattern recognises it, and it is read in a fraction of the time that a parser takes.
Anything with a sign that may mean more to YAML is left to the parser; see `yaml_core`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_MAX_LENGTH = 20_000  # characters of frontmatter that are read
_SHORT = 80  # characters of a line that is worth caching

# Control characters, and characters that YAML takes for a line end, or does not allow.
_NEVER = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_TEXT = (
    r"[^\x00-'*-/:-@\[-^`{-\xa0](?:[^\ :]"
    r"|:(?=[^\s:])"  # otherwise it ends a key
    r"|\ ++(?=[^\#:]))*+"  # otherwise a comment follows, or only spaces
)
_QUOTED = r"\"[^\"\\]*+\"|'[^']*+'"
_LISTED = r"(?:\w(?:[\w./-]|\ (?=[\w./-]))*+|\"[^\",\\]*+\"|'[^',]*+')"
_LINE = re.compile(
    rf"""(?:
    (?P<key>[^\W\d](?:[\w-]|\ (?=[\w-])){{0,60}}+):
      (?:\ ++(?:(?P<value>{_TEXT})|(?P<quoted>{_QUOTED})
               |(?P<flow>\[)\ *+(?P<listed>{_LISTED}(?:,\ *+{_LISTED})*+)?+\ *+\]))?+
    | (?P<indent>\ *+)-(?:\ ++(?:(?P<item>{_TEXT})|(?P<text>{_QUOTED})))?+
    )?+\ *+""",
    re.VERBOSE,
)
_OF_ITEMS = frozenset(("indent", "item", "text"))
_LISTS = frozenset(("flow", "listed"))
_NO_TEXT = frozenset(("true", "false", "null"))  # one of these as a key has another meaning

Scalar = Callable[[str], Any]  # a text without quotes


def read_lines(source: str, scalar: Scalar) -> dict[str, Any] | None:
    """Return the values of such YAML, and None for any other."""
    if len(source) > _MAX_LENGTH or _NEVER.search(source):
        return None
    values: dict[str, Any] = {}
    waits, depth = "", ""  # the key that has no value yet, and the indentation of its items
    items: list[Any] | None = None
    for line in source.split("\n"):
        found = _known_line(line, scalar) if len(line) <= _SHORT else _line(line, scalar)
        if found is None:
            return None
        kind, key, value = found
        if kind in _OF_ITEMS:
            if items is None and waits:
                values[waits] = items = []
                depth, waits = key, ""
            if items is None or key != depth:
                return None
            items.append(value)
        elif kind:
            if key in values or key.lower() in _NO_TEXT:
                return None
            values[key] = [*value] if kind in _LISTS else value
            items, waits = None, key if kind == "key" else ""
    return values or None


def _line(line: str, scalar: Scalar) -> tuple[str, str, Any] | None:
    """Return the kind of line, its key (for an item the indentation) and its value."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    kind = found.lastgroup
    if kind is None:  # an empty one
        return "", "", None
    return kind, found["indent" if kind in _OF_ITEMS else "key"], _value(found, kind, scalar)


# The notes of a vault have the same keys, and many have the same values.
_known_line = lru_cache(maxsize=2_048)(_line)


def _value(found: re.Match[str], kind: str, scalar: Scalar) -> Any:
    if kind in ("value", "item"):
        return scalar(found[kind])
    if kind in ("quoted", "text"):
        return found[kind][1:-1]
    if kind == "listed":
        pieces = (piece.strip(" ") for piece in found[kind].split(","))
        return tuple(piece[1:-1] if piece[0] in "\"'" else scalar(piece) for piece in pieces)
    return () if kind == "flow" else scalar("")
