"""Texts that repeat what a part of a regular expression repeats, and then do not match."""

import string
from collections.abc import Iterator, Sequence
from itertools import accumulate
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

REPEATS = 60  # of one text: a pattern that takes exponential time does not end for them
_VARIANTS = 4  # texts that one part matches
_CHARACTERS = f"a0_ .-{string.punctuation}\n\té{string.ascii_letters}"
_COMMON = "a0_ .-\n"
_ENDS = ("\x00", " Name of")
_REPEATED = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_EMPTY = {_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT, _constants.GROUPREF}

Item = tuple[Any, Any]


def texts(pattern: str, flags: int) -> Iterator[str]:
    """Yield texts, each with a repeated part after what the pattern wants before it."""
    parsed = _parser.parse(pattern, flags)
    characters = {each for each in pattern if not each.isalnum()} | set(_COMMON)
    seen: set[tuple[str, str]] = set()
    for before, part in _repeats(parsed, parsed.state, ""):
        found = {_text(part, parsed.state, variant) for variant in range(_VARIANTS)}
        for repeated in sorted((found | characters) - {""}):
            if (before, repeated) not in seen:
                seen.add((before, repeated))
                yield from (before + repeated * REPEATS + end for end in _ENDS)


def _repeats(items: Sequence[Item], state: Any, before: str) -> Iterator[tuple[str, Any]]:
    """Yield each unbounded repeat with a text that matches all before it."""
    ahead = accumulate((_of(each, state, 0) for each in items), initial=before)
    for text, (kind, value) in zip(ahead, items, strict=False):
        if kind in _REPEATED and value[1] > 1:
            yield text, value[2]
        for part in _parts(kind, value):
            yield from _repeats(part, state, text)


def _parts(kind: Any, value: Any) -> list[Any]:
    """Return what a group, a branch or a repeat contains."""
    if kind in _REPEATED:
        return [value[2]]
    if kind is _constants.BRANCH:
        return list(value[1])
    if kind is _constants.SUBPATTERN:
        return [value[3]]
    if kind is _constants.ATOMIC_GROUP:
        return [value]
    return []


def _text(items: Sequence[Item], state: Any, variant: int) -> str:
    return "".join(_of(each, state, variant) for each in items)


def _of(item: Item, state: Any, variant: int) -> str:
    """Return a text that an item matches, where it can be found by its parts alone."""
    kind, value = item
    if kind in _EMPTY:
        return ""
    if kind in _REPEATED:
        count: int = max(value[0], variant % 2)
        return _text(value[2], state, variant) * count
    if parts := _parts(kind, value):
        return _text(parts[variant % len(parts)], state, variant)
    if kind is _constants.LITERAL:
        return chr(value)
    single = _compiler.compile(_parser.SubPattern(state, [item]), state.flags)
    fit = [each for each in _CHARACTERS if single.fullmatch(each)]
    return str(fit[variant % len(fit)]) if fit else ""
