"""Convert a whole HTML document to text, a paragraph for each block, with the offsets of
elements.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import lxml.html
from lxml import etree

from daemon.adapters.hidden import remove_hidden
from daemon.model.errors import ExtractError

_BLOCKS = frozenset(
    """address article aside blockquote body caption dd details div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr
    ul""".split()  # noqa: SIM905
)
_SKIPPED = frozenset(("head", "script", "style", "template", "noscript"))
_HEADINGS = frozenset(("h1", "h2", "h3"))


@dataclass(slots=True)
class Blocks:
    """Paragraphs, joined by blank lines in `text`; offsets are into that text."""

    text: str = ""
    headings: list[tuple[int, str, str]] = field(default_factory=list)  # offset, tag, text
    ids: dict[str, int] = field(default_factory=dict)  # of the requested elements
    hidden: int = 0


def blocks(body: bytes | str, ids: Collection[str] = ()) -> Blocks:
    """Return the text of an HTML document. Raises ExtractError if it is not one."""
    data = body.encode() if isinstance(body, str) else body
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=False)
    try:
        tree = lxml.html.document_fromstring(data.replace(b"\x00", b""), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return Blocks()
    found = Blocks(hidden=remove_hidden(tree))
    _Walk(found, frozenset(ids)).through(tree)
    return found


class _Walk:
    """Walks a tree in order, and ends a paragraph where a block begins or ends."""

    def __init__(self, found: Blocks, wanted: frozenset[str]) -> None:
        self._found = found
        self._wanted = wanted
        self._parts: list[str] = []
        self._paragraphs: list[str] = []
        self._length = 0
        self._waiting: list[str] = []  # ids of elements whose text has not been reached yet

    def through(self, tree: lxml.html.HtmlElement) -> None:
        depth = 0
        for event, element in etree.iterwalk(tree, events=("start", "end")):
            tag = element.tag if isinstance(element.tag, str) else ""
            if tag in _SKIPPED or not tag:
                depth += 1 if event == "start" else -1
            elif depth == 0:
                self._step(event, tag, element)
            if event == "end" and depth == 0 and element.tail:
                self._parts.append(element.tail)
        self._flush("")
        self._found.text = "\n\n".join(self._paragraphs)

    def _step(self, event: str, tag: str, element: lxml.html.HtmlElement) -> None:
        if event == "end":
            if tag in _BLOCKS:
                self._flush(tag)
            return
        if tag in _BLOCKS:
            self._flush("")
        elif tag == "br":
            self._parts.append(" ")
        id_ = element.get("id") or element.get("name")
        if id_ in self._wanted:
            self._waiting.append(id_)
        if element.text:
            self._parts.append(element.text)

    def _flush(self, tag: str) -> None:
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if not text:
            return
        start = self._length + (2 if self._paragraphs else 0)
        if tag in _HEADINGS:
            self._found.headings.append((start, tag, text))
        self._found.ids.update(dict.fromkeys(self._waiting, start))
        self._waiting.clear()
        self._paragraphs.append(text)
        self._length = start + len(text)


def require_text(text: str, kind: str) -> str:
    """Return `text`. Raises ExtractError if it is empty."""
    if not text.strip():
        raise ExtractError(f"the {kind} has no text")
    return text
