"""arXiv's Atom answers. Runs in the process that reads hostile documents."""

import re

from lxml import etree

from daemon.adapters.extract_xml import root_of, text_of
from daemon.model.errors import ExtractError

_SPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "arxiv": "http://arxiv.org/schemas/atom",
    "open": "http://a9.com/-/spec/opensearch/1.1/",
}
_ID = re.compile(r"arxiv\.org/abs/(.+?)(v\d+)?$")
_ECHO = re.compile(r"search_query=(.*?)(?:&id_list=|$)", re.DOTALL)


def extract_arxiv(body: bytes) -> list[dict[str, str | list[str]]]:
    """Return a record about the answer, then one for each paper.

    The first has `total`, and `searched`: the query as arXiv understood it. Raises ExtractError for
    HTML, plain text, truncated XML and error entries.
    """
    root = root_of(body, f"{{{_SPACES['atom']}}}feed")
    entries = root.findall("atom:entry", _SPACES)
    for entry in entries:
        if _text(entry, "atom:title") == "Error" or "/api/errors" in _text(entry, "atom:id"):
            raise ExtractError(f"reports an error: {_text(entry, 'atom:summary')[:200]}")
    echo = _ECHO.search(_text(root, "atom:title"))
    answer: dict[str, str | list[str]] = {
        "total": _text(root, "open:totalResults"),
        "searched": echo[1] if echo else "",
    }
    return [answer, *(paper for paper in map(_paper, entries) if paper is not None)]


def _paper(entry: etree._Element) -> dict[str, str | list[str]] | None:
    """Read one entry; None if it has no identifier to cite."""
    known = _ID.search(_text(entry, "atom:id"))
    if known is None:
        return None
    links = entry.findall("atom:link", _SPACES)
    pdfs = [str(link.get("href")) for link in links if link.get("title") == "pdf"]
    names = map(text_of, entry.iterfind("atom:author/atom:name", _SPACES))
    return {
        "id": known[1],
        "version": known[2] or "",
        "title": _text(entry, "atom:title"),
        "summary": _text(entry, "atom:summary"),
        "authors": [name for name in names if name],
        "published": _text(entry, "atom:published")[:10],
        "doi": _text(entry, "arxiv:doi"),
        "pdf": pdfs[0].replace("http://", "https://", 1) if pdfs else "",
    }


def _text(node: etree._Element, path: str) -> str:
    return text_of(node.find(path, _SPACES))
