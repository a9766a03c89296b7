"""The blocks of a Logseq page, and their properties.

Logseq does not parse its pages as CommonMark but line by line (mldoc): deeply indented text is a
deep block and never code, and `key:: value` on a line of its own is a property.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_BULLET = re.compile(r"[-*+](?:[ \t]+|$)")
_HEADING = re.compile(r"(#{1,6})[ \t]+")
# A name does not begin with a digit, and contains letters, digits and some signs ("Properties" in
# Logseq's documentation, github.com/logseq/docs).
_PROPERTY = re.compile(r"(?P<key>(?!\d)[\w.*+!?$%&=<>/-]+)::(?:[ \t]+(?P<value>.*))?")
_FENCE = re.compile(r"(`{3,}|~{3,})")
# The content of these is not read as text.
_BEGIN = re.compile(r"#\+BEGIN_(SRC|EXAMPLE|EXPORT|COMMENT|QUERY)\b", re.IGNORECASE)
_DRAWER = re.compile(r":(?!END:)[A-Za-z][\w-]*:")


@dataclass(frozen=True, slots=True)
class Property:
    """`key:: value`; the key is in lower case, with dashes."""

    key: str
    value: str
    line: int


@dataclass(slots=True)
class OutlineBlock:
    """One block: its own text, without code, bullet and properties."""

    line: int
    level: int = 0  # of a heading
    lines: list[str] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)
    drawers: list[range] = field(default_factory=list)  # lines that Logseq hides

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def read_outline(body: str, body_line: int) -> Iterator[OutlineBlock]:
    """Yield the blocks of `body`, which begins on `body_line`, in order."""
    lines = [raw.strip() for raw in body.split("\n")]
    unclosed: set[str] = set()
    block, after = OutlineBlock(body_line), 0
    for at, whole in enumerate(lines):
        if at < after:  # code: its lines are counted, not read
            block.lines.append("")
            continue
        bullet = _BULLET.match(whole)
        text = whole[bullet.end() :] if bullet else whole
        if bullet is not None or not text or _HEADING.match(text):
            yield block
            block = OutlineBlock(body_line + at)
        after = _end_of(text, lines, at, unclosed)
        if after:
            block.lines.append("")
            if _DRAWER.fullmatch(text):
                block.drawers.append(range(body_line + at, body_line + after))
        else:
            _take(block, text, body_line + at)
    yield block


def property_of(text: str, line: int) -> Property | None:
    """Read a line that is exactly one property."""
    found = _PROPERTY.fullmatch(text)
    if found is None:
        return None
    key = found["key"].lower().replace("_", "-")
    return Property(key, (found["value"] or "").strip(), line)


def _take(block: OutlineBlock, text: str, line: int) -> None:
    """Add a line that is not code: a property, a heading, or text."""
    found = property_of(text, line)
    if found is not None:
        block.properties.append(found)
        block.lines.append("")  # lines are counted
        return
    if not block.lines and (heading := _HEADING.match(text)):
        block.level = len(heading[1])
        text = text[heading.end() :]
    block.lines.append(text)


def _end_of(text: str, lines: list[str], at: int, unclosed: set[str]) -> int:
    """Return where the code, query or drawer that begins with `text` ends; 0 if it is ordinary
    text.
    """
    ending = _ending(text)
    if ending is None or ending in unclosed:
        return 0
    end = re.compile(ending, re.IGNORECASE)
    for number in range(at + 1, len(lines)):
        if end.fullmatch(lines[number]):
            return number + 1
    unclosed.add(ending)
    return 0


def _ending(text: str) -> str | None:
    """Return what the last line looks like for a construct that begins with `text`."""
    if fence := _FENCE.match(text):
        mark = fence[1]
        inline = mark[0] == "`" and "`" in text[len(mark) :]
        return None if inline else rf"{re.escape(mark)}{re.escape(mark[0])}*"
    if begin := _BEGIN.match(text):
        return rf"\#\+END_{begin[1].upper()}"
    if _DRAWER.fullmatch(text):
        return ":END:"
    return r"\$\$" if text == "$$" else None
