"""A page as the blocks of text in its layout, in order, with the position of each."""

import re
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

_INLINE_TAGS = """
    a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark math q rp rt
    ruby s samp small span strike strong sub sup svg time tt u var wbr
"""
_INLINE = frozenset(_INLINE_TAGS.split())
_SKIPPED = frozenset({"script", "style", "head", "iframe", "select", "textarea"})
_CELLS = frozenset({"td", "th"})
_CONTAINS_BLOCKS = etree.XPath("boolean(.//p|.//div|.//ul|.//ol|.//table|.//h2|.//h3|.//section)")
_BREAK = "\0"  # stands for <br>: occurs in no page
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text without a layout break: a paragraph, an item, a cell, a row.

    `words` is the number of its words, `linked` how many of them are in links; `holder` is the
    innermost layout element that contains it.
    """

    text: str
    words: int
    linked: int
    holder: HtmlElement


def blocks_of(tree: HtmlElement) -> list[Block]:
    """Return the blocks of a page whose hidden parts were removed."""
    reader = _Reader(tree)
    reader.walk()
    return reader.blocks


class _Reader:
    def __init__(self, tree: HtmlElement) -> None:
        self.blocks: list[Block] = []
        self._tree = tree
        self._parts: list[str] = []
        self._linked: list[str] = []
        self._links = 0
        self._holders: list[HtmlElement] = [tree]
        self._rows: list[HtmlElement] = []

    def walk(self) -> None:
        skipped: HtmlElement | None = None
        for event, node in etree.iterwalk(self._tree, events=("start", "end", "comment", "pi")):
            if skipped is not None:
                if event == "end" and node is skipped:
                    skipped = None
                    self._add(node.tail)
            elif event == "start" and node.tag in _SKIPPED:
                skipped = node
            elif event == "start":
                self._enter(node)
                self._add(node.text)
            else:
                self._leave(node)
                self._add(node.tail if node is not self._tree else "")
        self._flush(self._tree)

    def _enter(self, node: HtmlElement) -> None:
        tag = node.tag
        if tag == "a":
            self._links += 1
        elif tag == "br":
            self._parts.append(_BREAK)
        elif tag in _CELLS and self._rows:
            self._parts.append(" | " if self._parts else "")
        elif tag not in _INLINE:
            self._flush(self._holders[-1])
            self._holders.append(node)
            if tag == "tr" and not _CONTAINS_BLOCKS(node):
                self._rows.append(node)

    def _leave(self, node: HtmlElement) -> None:
        if node.tag == "a":
            self._links -= 1
        if self._holders[-1] is node:
            self._flush(node)
            self._holders.pop()
        if self._rows and self._rows[-1] is node:
            self._rows.pop()

    def _add(self, text: str | None) -> None:
        if text:
            self._parts.append(text)
            if self._links:
                self._linked.append(text)

    def _flush(self, holder: HtmlElement) -> None:
        if self._parts:
            text = _tidy("".join(self._parts), is_code=holder.tag == "pre")
            words = len(_WORD.findall(text))
            if text:
                linked = len(_WORD.findall(" ".join(self._linked)))
                self.blocks.append(Block(text, words, min(linked, words), holder))
            self._parts.clear()
            self._linked.clear()


def _tidy(text: str, *, is_code: bool) -> str:
    if is_code:
        return text.replace(_BREAK, "\n").strip("\n").rstrip()
    lines = (" ".join(line.split()) for line in text.split(_BREAK))
    return "\n".join(line for line in lines if line).strip(" |")
