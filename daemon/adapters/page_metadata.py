"""Metadata of a web page about its work: identifiers, venue, publisher and the page's own address.

All of it is a claim: anybody can write it into a page, and a saved page may come from anywhere.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from daemon.adapters.page_objects import kinds_of, listed, objects_of
from daemon.research.identifiers import arxiv_of, doi_of

_MAX_LENGTH = 300  # characters of a name
_MAX_URL_LENGTH = 2000
# Comments in which browsers and SingleFile record where a page was saved from.
_SAVED_FROM = re.compile(r"saved from url=\(\d+\)\s*(\S+)|^\s*url:\s*(https?://\S+)", re.M)
_DAY = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?")
_WORKS = ("article", "posting", "report", "webpage", "book", "chapter", "dataset", "thesis")
_DOIS = ("citation_doi", "dc.identifier", "dc.identifier.doi", "prism.doi", "bepress_citation_doi")
_VENUES = (
    "citation_journal_title", "citation_conference_title", "citation_inbook_title",
    "prism.publicationname", "dc.relation.ispartof", "og:site_name", "application-name",
)  # fmt: skip
_PUBLISHERS = ("citation_publisher", "dc.publisher", "dcterms.publisher", "article:publisher_name")


_HOMES = frozenset({"home", "start", "top", "contents"})  # as in `rel`
_NO_BOOKS = ("home", "homepage", "home page", "start", "index", "contents", "top", "back to top")
_FOOTER = re.compile(r"\b(?:footer|copyright)\b", re.IGNORECASE)
# "© 2009-2023, The Developers (BSD License)." names its owner before a sign or a small word.
_DOTTED = r"(?:\.(?:[A-Z]|[a-z]{2,4})\b)*"  # "Example B.V.", "Example.org"
_OWNER = re.compile(
    r"(?:©|\bCopyright\b(?:\s*(?:©|\(c\)))?|\(c\))\s*(?:\d{4}(?:\s*[-–—,]\s*(?:\d{2,4}|present))*)"
    rf"[\s,|]*(?:by\s+)?((?:(?:the|of|for|and|&|de)\s+)?[A-Z][\w'’-]*{_DOTTED}"
    rf"(?:\s+(?:(?:of|for|and|&|the|de)\s+)*[A-Z][\w'’-]*{_DOTTED}){{0,6}})",
)

# Owners of the forum's or the shop's software, not of the page.
_TOOL = re.compile(r"software|powered|platform|theme|template|design|built|developed|generat", re.I)
_BEFORE_OWNER = 60  # characters
_NO_OWNER = re.compile(r"(?:all|copyright|rights|powered|designed|terms|privacy)\b", re.IGNORECASE)


def page_metadata(tree: Any) -> dict[str, Any]:
    """Return fields of an Extracted that the page states.

    Title, authors and date are returned only if they are those of a scholarly work.
    """
    metas, objects = metas_of(tree), _works(tree)
    found = {
        **_work_metadata(metas),
        "venue": _first(metas, _VENUES) or _named(objects, "isPartOf"),
        "publisher": _publisher(tree, metas, objects),
        "doi": _doi(metas, objects),
        "arxiv_id": arxiv_of(_first(metas, ("citation_arxiv_id",))),
        "url": _address(tree, metas, objects),
    }
    return {key: value for key, value in found.items() if value}


def _publisher(tree: Any, metas: dict[str, list[str]], objects: Sequence[dict[str, Any]]) -> str:
    """Return who publishes a page: as it states, by the name of its site, or by its copyright."""
    stated = _first(metas, _PUBLISHERS) or _named(objects, "publisher")
    return stated or _first(metas, ("og:site_name",)) or owner_of(tree)


def book_of(tree: Any) -> str:
    """Return the title of the start page that a page links to as that of its book or site, or
    "".
    """
    for node in tree.iter("link", "a"):
        is_home = _HOMES & set((node.get("rel") or "").lower().split())
        if is_home or (node.tag == "a" and node.get("accesskey") == "h"):
            title = " ".join((node.get("title") or "").split())
            if title and title.casefold() not in _NO_BOOKS:
                return title[:_MAX_LENGTH]
    return ""


def owner_of(tree: Any) -> str:
    """Return the holder named in a page's copyright notice, or ""."""
    for node in tree.iter("footer", "div", "p", "small", "span"):
        if node.tag != "footer" and not _FOOTER.search(f"{node.get('class')} {node.get('id')}"):
            continue
        parts = (" ".join(text.split()) for text in node.itertext())
        text = " | ".join(filter(None, parts))[:_MAX_URL_LENGTH]
        found = _OWNER.search(text)
        is_of_tool = found and _TOOL.search(text[: found.start()][-_BEFORE_OWNER:])
        if found and not is_of_tool and not _NO_OWNER.match(found[1]):
            return found[1].strip(" ,.-–")[:_MAX_LENGTH]
    return ""


def metas_of(tree: Any) -> dict[str, list[str]]:
    """Return the contents of each `meta` by its name in lower case; DC.title and dc:title are the
    same.
    """
    found: dict[str, list[str]] = {}
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        content = " ".join((meta.get("content") or "").split())
        if name and content:
            plain = re.sub(r"^(dc|dcterms|prism)[:.]", r"\1.", name)
            found.setdefault(plain, []).append(content[:_MAX_URL_LENGTH])
    return found


def _work_metadata(metas: dict[str, list[str]]) -> dict[str, Any]:
    authors = metas.get("citation_author") or [
        name for names in metas.get("citation_authors", ()) for name in re.split(r"\s*;\s*", names)
    ]
    title = _first(metas, ("citation_title",))
    if not title:
        return {}
    days = ("citation_publication_date", "citation_date", "citation_online_date", "citation_year")
    return {
        "title": title,
        "authors": [name[:_MAX_LENGTH] for name in authors if name][:100],
        "published": _day(_first(metas, days)),
    }


def _doi(metas: dict[str, list[str]], objects: Sequence[dict[str, Any]]) -> str:
    named = [content for name in _DOIS for content in metas.get(name, ())]
    for each in objects:
        named += [
            str(value.get("value", "") if isinstance(value, dict) else value)
            for value in listed(each.get("identifier"))
        ]
    return next((doi for text in named if (doi := doi_of(text))), "")


def _address(tree: Any, metas: dict[str, list[str]], objects: Sequence[dict[str, Any]]) -> str:
    """Return the page's address: the program that saved it knows it better than the page."""
    comments = (each.text or "" for each in tree.getroottree().xpath("//comment()"))
    saved = [
        next(filter(None, found.groups()))
        for text in comments
        if (found := _SAVED_FROM.search(text[:4000]))
    ]
    canonical = [
        link.get("href", "")
        for link in tree.iter("link")
        if "canonical" in (link.get("rel") or "").lower().split()
    ]
    declared = [str(each.get("url", "")) for each in objects]
    named = [*saved, *canonical, *metas.get("og:url", ()), *declared]
    return next((url.strip() for url in named if _is_address(url)), "")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and "." in host
        and len(url) <= _MAX_URL_LENGTH
        and not re.search(r"[\s\"<>]", url.strip())
    )


def _works(tree: Any) -> list[dict[str, Any]]:
    """Return the JSON-LD objects that describe a work or the page."""
    return [
        each
        for each in objects_of(tree)
        if any(kind in name for name in kinds_of(each) for kind in _WORKS)
    ]


def _named(objects: Sequence[dict[str, Any]], key: str) -> str:
    for each in objects:
        for value in listed(each.get(key)):
            name = value.get("name") if isinstance(value, dict) else value
            if isinstance(name, str) and name.strip() and not _is_address(name):
                return " ".join(name.split())[:_MAX_LENGTH]
    return ""


def _first(metas: dict[str, list[str]], names: Sequence[str]) -> str:
    return next((metas[name][0][:_MAX_LENGTH] for name in names if metas.get(name)), "")


def _day(text: str) -> str:
    found = _DAY.match(text)
    return "-".join(part.zfill(2) for part in found.groups() if part) if found else ""
