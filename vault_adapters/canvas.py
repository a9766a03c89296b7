"""Convert a JSON Canvas to a note: its files are links, its texts are Markdown."""

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from vault_adapters.decode import decode
from vault_adapters.inline import scan_inline
from vault_adapters.inline_plain import follow_definitions, scan_plain
from vault_adapters.markdown import Contents, title_of
from vault_adapters.note import Link, LinkKind, Note


def parse_canvas(path: str, data: bytes, *, plain: bool = False) -> Note:
    """Read a `.canvas`; unreadable parts are skipped and reported in `trouble`.

    `text` is not the JSON but what people wrote: the texts of the cards and the labels of the
    groups, separated by empty lines. Links in cards keep their kind and their line in that text; a
    card that shows a file is a link of kind CANVAS on line 0 whose `key` is the card's id.
    """
    source, trouble = decode(data)
    nodes, wrong = _nodes(source)
    scan = scan_plain if plain else scan_inline
    contents = Contents(scan=scan, links=list(_file_links(nodes)))
    texts, line = [], 0
    for text, is_markdown in _texts(nodes):
        if is_markdown:  # parsed separately: an unclosed fence in one ends with it
            contents.read(text, line)
        texts.append(text)
        line += text.count("\n") + 2
    return Note(
        path=path,
        title=title_of(path),
        text="\n\n".join(texts),
        links=tuple(follow_definitions(contents.links) if plain else contents.links),
        headings=tuple(contents.headings),
        blocks=tuple(contents.blocks),
        tags=tuple(contents.tags),
        trouble="; ".join(filter(None, (trouble, wrong))),
    )


def _nodes(source: str) -> tuple[list[dict[str, Any]], str]:
    if not source.strip():  # a new canvas is an empty file
        return [], ""
    try:
        canvas = json.loads(source)
    except (ValueError, RecursionError) as error:
        return [], f"invalid canvas: {error}"
    nodes = canvas.get("nodes", []) if isinstance(canvas, dict) else None
    if not isinstance(nodes, list):
        return [], "invalid canvas: it has no list of nodes"
    return [node for node in nodes if isinstance(node, dict)], ""


def _file_links(nodes: list[dict[str, Any]]) -> Iterator[Link]:
    for node in nodes:
        file, subpath = node.get("file"), node.get("subpath")
        if node.get("type") == "file" and isinstance(file, str) and file:
            yield Link(
                target=_storable(unicodedata.normalize("NFC", file)),
                subpath=_storable(subpath) if isinstance(subpath, str) else "",
                display=None,
                kind=LinkKind.CANVAS,
                line=0,
                key=_storable(str(node.get("id", ""))),
            )


def _texts(nodes: list[dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Yield each text and whether it is Markdown; a group's label is not (jsoncanvas.org)."""
    for node in nodes:
        is_group = node.get("type") == "group"
        text = node.get("label" if is_group else "text")
        if isinstance(text, str) and text.strip():
            yield _storable(text).replace("\r\n", "\n").replace("\0", "\ufffd"), not is_group


def _storable(text: str) -> str:
    """JSON can contain half a surrogate pair, which no file or database accepts."""
    return text.encode(errors="replace").decode()
