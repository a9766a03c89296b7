"""EDN, the data format of Clojure, as used in settings."""

import re
from typing import Any

# Deeper or larger data is not a settings file.
MAX_DEPTH = 100

_TOKEN = re.compile(
    r"""
    (?:[\s,]++|;[^\n]*+)*+
    (?:(?P<string>"(?:\\.|[^"\\])*+")
      |(?P<open>\#\{|\#\??@?\(|[\[({])
      |(?P<close>[\])}])
      |(?P<discard>\#_)
      |(?P<tag>\#[a-zA-Z][\w./-]*+)
      |(?P<quote>['`~@^]|\#")
      |(?P<atom>\\.[^\s,;"()\[\]{}]*+|[^\s,;"()\[\]{}]++))
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_WORDS = {"true": True, "false": False, "nil": None}


class EdnError(ValueError):
    """The text is not EDN."""


class Keyword(str):
    """`:name`, distinct from a string with the same letters; without its colon."""

    __slots__ = ()


def load_edn(source: str) -> Any:
    """Return the first value in `source`: maps are dicts, all other collections lists.

    Tags of values are ignored. A map's keys are texts; a key that is a collection is skipped with
    its value. Raises EdnError.
    """
    return _Reader(source).value()


class _Reader:
    """Reads one value after the other."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    def value(self, depth: int = 0) -> Any:
        found = self._next()
        if found.lastgroup == "close":
            raise EdnError("a closing bracket has no opening one")
        return self._value(found, depth)

    def _next(self) -> re.Match[str]:
        found = _TOKEN.match(self._source, self._at)
        if found is None:
            raise EdnError("the text ends too early")
        self._at = found.end()
        return found

    def _value(self, found: re.Match[str], depth: int) -> Any:
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if depth > MAX_DEPTH:
            raise EdnError("nested too deeply")
        if kind == "discard":
            self.value(depth + 1)
            return self.value(depth + 1)
        if kind in ("tag", "quote"):
            return self.value(depth + 1)
        if kind == "open":
            items = self._items(depth)
            return _map(items) if text == "{" else items
        return _string(text) if kind == "string" else _atom(text)

    def _items(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while (found := self._next()).lastgroup != "close":
            if found.lastgroup == "discard":
                self.value(depth + 1)
            else:
                items.append(self._value(found, depth + 1))
        return items


def _map(items: list[Any]) -> dict[str, Any]:
    pairs = zip(items[::2], items[1::2], strict=False)
    return {str(key): value for key, value in pairs if not isinstance(key, list | dict)}


def _string(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1], flags=re.S)


def _atom(text: str) -> Any:
    if text.startswith(":"):
        return Keyword(text[1:])
    if text in _WORDS:
        return _WORDS[text]
    try:
        return int(text)
    except ValueError:
        return text
