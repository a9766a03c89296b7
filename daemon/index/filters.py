"""Filters in a query: `status:open`, `tag:#x`, `path:Folder`, "a phrase", each with -. Pure."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

# A minus, a key with its colon, and a word or a text in quotation marks.
_PART = re.compile(
    r"""(?P<no>-?)(?:(?P<key>[^\s:"]{1,60}):(?=[^\s/]))?(?:"(?P<quoted>[^"]*)"|(?P<word>\S+))"""
)


class _Note(Protocol):
    """The fields of a note that filters use."""

    @property
    def path(self) -> str: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def frontmatter(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter; `key` is a property, `tag`, `path`, or "" for a phrase in the text."""

    key: str
    value: str
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """A parsed query: the `words` to rank by, and filters that every result must pass."""

    words: str
    conditions: tuple[Condition, ...] = ()

    @property
    def phrases(self) -> tuple[Condition, ...]:
        return tuple(each for each in self.conditions if not each.key)

    def allows(self, note: _Note) -> bool:
        """Return whether a note passes every filter on its path, tags and properties."""
        return all(
            _meets(note, each) is not each.is_excluded for each in self.conditions if each.key
        )


def read_filters(query: str, properties: Collection[str]) -> Filters:
    """Parse a query. `properties` are the names of properties in the vault.

    `key:value` with any other key is a word: `std::vector`, `10:30`.
    """
    known = {name.casefold() for name in properties} | {"tag", "path"}
    words: list[str] = []
    conditions: list[Condition] = []
    for found in _PART.finditer(query):
        key = (found["key"] or "").casefold()
        value = found["quoted"] if found["quoted"] is not None else found["word"]
        is_not = bool(found["no"])
        if key in known and value:
            conditions.append(Condition(key, value, is_not))
        elif not key and value and (is_not or found["quoted"] is not None):
            conditions.append(Condition("", value, is_not))
            words += [] if is_not else [value]
        else:
            words.append(found[0])
    return Filters(" ".join(words), tuple(conditions))


def _meets(note: _Note, condition: Condition) -> bool:
    wanted = _plain(condition.value)
    match condition.key:
        case "path":
            return wanted in _plain(note.path)
        case "tag":
            name = wanted.lstrip("#")
            tags = [_plain(tag).lstrip("#") for tag in note.tags]
            return any(tag == name or tag.startswith(f"{name}/") for tag in tags)
        case _:
            return any(_plain(each) == wanted for each in _values(note.frontmatter, condition.key))


def _values(frontmatter: Any, key: str) -> Iterable[str]:
    for name, value in frontmatter.items():
        if str(name).casefold() == key:
            for each in value if isinstance(value, list) else [value]:
                yield str(each).lower() if isinstance(each, bool) else str(each)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().strip()
