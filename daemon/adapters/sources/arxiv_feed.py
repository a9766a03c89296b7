"""arXiv's Atom answers, read without trusting them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_SPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "arxiv": "http://arxiv.org/schemas/atom",
    "open": "http://a9.com/-/spec/opensearch/1.1/",
}
_ID = re.compile(r"arxiv\.org/abs/(.+?)(v\d+)?$")
_ECHO = re.compile(r"search_query=(.*?)(?:&id_list=|$)", re.DOTALL)


class FeedError(Exception):
    """The body is not an answer of arXiv's; the message says what it is instead."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One entry. `id` has no version; `published` is an ISO date; `pdf` is a URL or ""."""

    id: str
    version: str
    title: str
    summary: str
    authors: tuple[str, ...]
    published: str
    doi: str
    pdf: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A whole answer. `searched` is the query as arXiv understood it."""

    papers: tuple[Paper, ...]
    total: int | None
    searched: str


def read_feed(body: bytes) -> Feed:
    """Parse an answer. Raises FeedError for HTML, plain text, cut-off XML and error entries."""
    root = _root(body)
    entries = root.findall("atom:entry", _SPACES)
    for entry in entries:
        told = _text(entry, "atom:id")
        if _text(entry, "atom:title") == "Error" or "/api/errors" in told:
            raise FeedError(f"reports an error: {_text(entry, 'atom:summary')[:200]}")
    papers = tuple(paper for paper in map(_paper, entries) if paper is not None)
    total = _text(root, "open:totalResults")
    echo = _ECHO.search(_text(root, "atom:title"))
    return Feed(papers, int(total) if total.isdigit() else None, echo[1] if echo else "")


def _root(body: bytes) -> etree._Element:
    from lxml import etree  # noqa: PLC0415 4 MB that wait for the first answer

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    start = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"<"):
        words = " ".join(start[:80].decode("utf-8", "replace").split())
        raise FeedError(f"answered: {words}" if words else "answered nothing")
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        page = start.lower().startswith((b"<!doctype html", b"<html"))
        raise FeedError(
            "answered with a web page where data should be"
            if page
            else "the answer is not whole (not valid XML)"
        ) from None
    if root.tag != f"{{{_SPACES['atom']}}}feed":
        raise FeedError("answered with something other than a list of papers")
    return root


def _paper(entry: etree._Element) -> Paper | None:
    """Read one entry; None when it has no identity to cite it by."""
    known = _ID.search(_text(entry, "atom:id"))
    if known is None:
        return None
    links = entry.findall("atom:link", _SPACES)
    pdfs = [str(link.get("href")) for link in links if link.get("title") == "pdf"]
    names = entry.iterfind("atom:author/atom:name", _SPACES)
    return Paper(
        id=known[1],
        version=known[2] or "",
        title=_text(entry, "atom:title"),
        summary=_text(entry, "atom:summary"),
        authors=tuple(name for name in map(_words, names) if name),
        published=_text(entry, "atom:published")[:10],
        doi=_text(entry, "arxiv:doi"),
        pdf=pdfs[0].replace("http://", "https://", 1) if pdfs else "",
    )


def _text(node: etree._Element, path: str) -> str:
    found = node.find(path, _SPACES)
    return "" if found is None else _words(found)


def _words(node: etree._Element) -> str:
    """Join the hard-wrapped lines of an element's text."""
    return " ".join("".join(node.itertext()).split())
