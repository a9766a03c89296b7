"""The publication date that a web page states: in its metadata, or in a dateline at its title.

A year anywhere else in the text dates the subject, not the page.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from typing import Any

import lxml.html
from htmldate import find_date
from lxml.html import HtmlElement

from daemon.adapters.page_blocks import Block, blocks_of

# Names that state the day of publication; htmldate knows many more, also for modifications.
_PUBLISHED = (
    "citation_publication_date", "citation_date", "citation_online_date",
    "article:published_time", "og:article:published_time", "og:published_time",
    "dc.date.issued", "dcterms.issued", "datepublished", "pubdate", "publication_date",
)  # fmt: skip
# The day of a change is not that of publication.
_MODIFIED = re.compile(r"modif|updat|revis", re.IGNORECASE)
_MODIFIED_AT = re.compile(r'"dateModified"\s*:\s*"[^"]*"\s*,?')
_ROLE = re.compile(r"\b(?:publish|pub-?date|posted|post-?date|entry-date|created)", re.IGNORECASE)
_ITEMS = ("datepublished", "datecreated")
_ASIDE = frozenset({"nav", "footer", "aside", "table", "dialog"})
_BESIDE = re.compile(r"\b(?:comments?|replies|related|sidebar|widget|footer)\b", re.IGNORECASE)
_HEADINGS = frozenset({"h1", "h2", "h3"})
_BEFORE, _AFTER = 6, 12  # blocks around the title
_WORDS_AFTER = 150
_LINES = 8  # of a text whose layout is the author's
_MAX_LENGTH = 120  # characters of a dateline
_WORDS_BEFORE = 10  # words around a date: "By", a name, "updated on"
_WORD = re.compile(r"\w+")
_MONTH = r"[^\W\d_]{3,12}\.?"
_ORDINAL = r"(?:st|nd|rd|th|er|º)?\.?"
_DATE = re.compile(
    r"\b(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    r"|\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日?|\d{4}\s?년\s?\d{1,2}\s?월\s?\d{1,2}\s?일?"
    rf"|\d{{1,2}}{_ORDINAL}\s+(?:de\s+|of\s+)?{_MONTH},?\s+(?:de\s+)?\d{{4}}"
    rf"|{_MONTH}\s+\d{{1,2}}{_ORDINAL},?\s+\d{{4}}|\d{{4}}\s+{_MONTH}\s+\d{{1,2}})(?!\d)"
)
_ISO = re.compile(r"(\d{4})\D{1,2}(\d{1,2})\D{1,2}(\d{1,2})")
_NUMBERS = re.compile(r"(\d{1,2})\D(\d{1,2})\D(\d{4})")
_YEAR_FIRST = re.compile(rf"(\d{{4}})\s+({_MONTH})\s+(\d{{1,2}})")
# What may follow the date in a dateline: nothing, a time of day, or the next part of the line.
_END = re.compile(r"\s*(?:\.?$|[|•·–—();\]/-]|,?\s*(?:at\s+|um\s+|T)?\d{1,2}[:.h]\d{2}|UTC|GMT)")
_EARLIEST = 1900


def page_date(tree: HtmlElement, metas: dict[str, list[str]]) -> str:
    """Return the day of publication, a year alone if its day is ambiguous, or "".

    `metas` are the contents of the page's meta elements by name.
    """
    stated = (content for name in _PUBLISHED for content in metas.get(name, ()))
    return _first(map(_day, stated)) or _head_date(tree, metas) or _first(_datelines(tree))


def _head_date(tree: HtmlElement, metas: dict[str, list[str]]) -> str:
    """Return what the library finds in metadata alone: it would go on to any year in the text."""
    head = lxml.html.Element("html")
    for node in tree.iter("meta", "link", "script"):
        is_data = node.tag != "script" or "ld+json" in (node.get("type") or "")
        is_one_of_many = node.tag == "meta" and node.get("itemprop")
        named = f"{node.get('name') or ''} {node.get('property') or ''}"
        if is_data and not is_one_of_many and not _MODIFIED.search(named):
            copied = lxml.html.Element(node.tag, dict(node.attrib))
            copied.text = _MODIFIED_AT.sub("", node.text or "")
            head.append(copied)
    address = next(iter(metas.get("og:url", ())), None)
    return find_date(head, extensive_search=False, original_date=True, url=address) or ""


def _datelines(tree: HtmlElement) -> Iterator[str]:
    """Yield the days in parts of the page with that role, then those at the title."""
    for node in tree.iter("time", "meta", "span", "div", "abbr"):
        item = (node.get("itemprop") or "").lower()
        is_role = node.get("pubdate") is not None or _ROLE.search(node.get("class") or "")
        if (item in _ITEMS or (node.tag == "time" and is_role)) and not _is_aside(node):
            yield _node_date(node)
    for block in _at_title(blocks_of(tree), _folded(tree.findtext(".//title") or "")):
        if not _is_aside(block.holder):
            yield from map(_node_date, block.holder.iter("time"))
            yield from map(_line_date, block.text.split("\n")[:_LINES])
    for node in tree.iter("time"):
        if node.get("datetime") and _is_in_main(node) and not _is_aside(node):
            yield _node_date(node)


def _at_title(blocks: Sequence[Block], title: str) -> Iterator[Block]:
    """Yield the blocks below the page's title, nearest first, then those directly above it."""
    at = _first_at(blocks, title)
    words = 0
    for block in blocks[at : at + _AFTER]:
        yield block
        words += block.words
        if words > _WORDS_AFTER:
            break
    yield from reversed(blocks[max(at - _BEFORE, 0) : at])


def _first_at(blocks: Sequence[Block], title: str) -> int:
    """Return the index of the heading that matches `title`, else of the first heading, else 0."""
    headings = [at for at, block in enumerate(blocks) if _is_heading(block)]
    named = (at for at in headings if (text := _folded(blocks[at].text)) and text in title)
    return next(named, headings[0] if headings else 0)


def _is_heading(block: Block) -> bool:
    around = chain((block.holder,), block.holder.iterancestors())
    return any(node.tag in _HEADINGS for node in around)


def _is_in_main(node: HtmlElement) -> bool:
    return any(
        each.tag in ("main", "article") or each.get("role") == "main"
        for each in node.iterancestors()
    )


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _is_aside(node: HtmlElement) -> bool:
    around = chain((node,), node.iterancestors())
    return any(
        each.tag in _ASIDE or _BESIDE.search(f"{each.get('class', '')} {each.get('id', '')}")
        for each in around
        if each.tag not in ("html", "body")
    )


def _node_date(node: Any) -> str:
    stated = node.get("datetime") or node.get("content") or ""
    return _day(stated) if stated else _line_date(node.text_content())


def _line_date(line: str) -> str:
    """Return the day that a line states, if that is the line's purpose."""
    line = " ".join(line.split())
    if not 0 < len(line) <= _MAX_LENGTH:
        return ""
    for found in _DATE.finditer(line):
        before = len(_WORD.findall(line[: found.start()]))
        if before <= _WORDS_BEFORE and _END.match(line, found.end()):
            return _day(found[0])
    return ""


def _day(text: str) -> str:
    """Parse a date to the precision that the text supports: year, month or day."""
    text = text.strip()
    if found := _ISO.match(text):
        return _checked(*map(int, found.groups()))
    if found := _NUMBERS.match(text):
        return _numbers(*map(int, found.groups()))
    if found := re.fullmatch(r"(\d{4})(?:-(\d{2}))?", text):
        return found[0]
    if found := _YEAR_FIRST.match(text):
        text = f"{found[3]} {found[2]} {found[1]}"
    page = lxml.html.fromstring(f"<html><body><p class='date'>{_plain(text)}</p></body></html>")
    return find_date(page, extensive_search=False, original_date=True) or ""


def _plain(text: str) -> str:
    return re.sub(r"[<>&]", " ", text)[:_MAX_LENGTH]


def _numbers(one: int, two: int, year: int) -> str:
    """Read a day and a month in either order; if both are possible, only the year is certain."""
    if one == two or one > 12:
        return _checked(year, two, one)
    if two > 12:
        return _checked(year, one, two)
    return str(year) if year >= _EARLIEST else ""


def _checked(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat() if year >= _EARLIEST else ""
    except ValueError:
        return ""


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")
