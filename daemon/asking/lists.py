"""What completes a statement: the list that it is in or leads to, or the code below it. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from daemon.asking.statements import (
    Passage,
    PassageOrigin,
    Statement,
    may_be_shown,
    parts_of,
)
from daemon.index.plain_text import plain

_MARK = re.compile(
    r"[ \t>]*(?P<mark>[-*+•‣▪–—]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+(?:\[[ xX]\][ \t]+)?"
)
_BOX = re.compile(r"^\[[ xX]\]\s+")
_LEADS = re.compile(r"[:：]\W*$")
# Code below the end of a paragraph, of which the rest may lead to it.
_CODE = re.compile(
    r"(?P<lead>(?:[^\n]|\n(?![ \t]*(?:\n|`{3}|~{3}))){0,300})\s*\n"
    r"[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n?[ \t]*(?P=fence)",
    re.DOTALL,
)
_LINES = 10  # of code that are quoted
_ASKS = re.compile(r"[?？]\W*$")
_LONGEST = 900  # characters of a list that is quoted
_LONGEST_ITEM = 160  # characters, from which only the first sentence of an item is quoted
_FEWEST = 2  # items


@dataclass(slots=True)
class _Item:
    """An item, with its mark as it is shown, and its sentences."""

    mark: str
    said: list[Statement]

    @property
    def text(self) -> str:
        whole = " ".join(each.text for each in self.said)
        shown = whole if len(whole) <= _LONGEST_ITEM else self.said[0].text
        return f"{self.mark} {_BOX.sub('', shown)}"


@dataclass(slots=True)
class _List:
    """Items that follow each other, and the sentence before them if it leads to them."""

    lead: Statement | None
    items: list[_Item]

    def has(self, statement: str) -> bool:
        said = [*([self.lead] if self.lead else []), *(e for item in self.items for e in item.said)]
        return any(each.text == statement for each in said)


def leads(statement: str) -> bool:
    """Return whether a statement leads to what is below it."""
    return _LEADS.search(statement) is not None


def list_around(
    section: Passage, statement: str, keys: Collection[str] = ()
) -> tuple[str, list[Statement]]:
    """Return the list that a statement leads to or is an item of, one line an item, and what is
    quoted of it; "" if there is none. A part that addresses machines or steers ends it.
    """
    for found in _lists(section, keys):
        found.items = _without_questions(found.items)
        if len(found.items) >= _FEWEST and found.has(statement):
            return _shown(found, statement)
    return "", []


def code_below(section: Passage, statement: Statement) -> str:
    """Return the code of the user's own note that a statement stands directly above, or ""."""
    if section.origin is not PassageOrigin.NOTE:
        return ""
    after = section.text.partition(statement.source)[2]
    found = _CODE.match(after)
    if found is None or not found["code"].strip() or not _is_lead(found["lead"]):
        return ""
    lines = found["code"].strip("\n").split("\n")
    more = ["…"] if len(lines) > _LINES else []
    lead = " ".join(plain(found["lead"]).split())
    return "\n".join([*([lead] if lead else []), *lines[:_LINES], *more])


def _is_lead(text: str) -> bool:
    """Return whether nothing but a line that leads to the code is between it and a sentence."""
    return not text.strip() or leads(text.strip())


def _without_questions(items: list[_Item]) -> list[_Item]:
    """Return the items that state something; all of a list that consists of questions."""
    stated = [item for item in items if not _ASKS.search(item.said[-1].text)]
    return stated if 2 * len(stated) > len(items) else items


def _shown(found: _List, statement: str) -> tuple[str, list[Statement]]:
    """Return as many items as there is space for, from the first; or from that of a statement."""
    is_first = found.lead is not None and found.lead.text == statement
    at = next(
        (
            place
            for place, item in enumerate(found.items)
            if any(each.text == statement for each in item.said)
        ),
        0,
    )
    room = _LONGEST - (len(found.lead.text) if found.lead else 0)
    before = sum(len(item.text) for item in found.items[: at + 1])
    first = 0 if is_first or before <= room else at
    lines: list[str] = []
    said: list[Statement] = []
    for item in found.items[first:]:
        if lines and len(item.text) > room:
            lines.append("…")
            break
        room -= len(item.text)
        lines.append(item.text)
        said += item.said
    if found.lead is not None:
        lines, said = [found.lead.text, *lines], [found.lead, *said]
    return "\n".join(lines), said


def _lists(section: Passage, keys: Collection[str]) -> list[_List]:
    """Return the lists of a section, in order."""
    text, end = section.text, 0
    found: list[_List] = []
    is_open = False  # the last list may go on
    before: Statement | None = None  # the part before, if it is no item
    for part in parts_of(section):
        start = text.find(part.source, end)
        if start < 0:
            continue
        between, begin = text[end:start], text.rfind("\n", 0, start) + 1
        mark, end = _MARK.match(text, begin), start + len(part.source)
        if not may_be_shown(part, keys):
            is_open, before = False, None
        elif mark is not None and mark.end() >= start:
            is_next = not re.search(r"[^\W_]", _without_mark(between, mark["mark"]))
            if not (is_open and is_next):
                lead = before if is_next else _line_before(section, begin)
                found.append(_List(lead, []))
            found[-1].items.append(_Item(_bullet(mark["mark"]), [part]))
            is_open, before = True, None
        elif is_open and "\n\n" not in between and "\n" not in between.strip(" "):
            found[-1].items[-1].said.append(part)
        else:
            is_open, before = False, part
    return found


def _line_before(section: Passage, begin: int) -> Statement | None:
    """Return the line before the first item if it leads to it; a short one is no part itself."""
    line = section.text[:begin].rstrip().rpartition("\n")[2].strip()
    return Statement(section, line, plain(line).strip()) if leads(line) else None


def _without_mark(between: str, mark: str) -> str:
    """Return what is between two parts, without the mark of the second."""
    return between.rstrip().removesuffix(mark)


def _bullet(mark: str) -> str:
    return mark if any(map(str.isalnum, mark)) else "-"
