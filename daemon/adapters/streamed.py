"""Insert parts of a page that its own scripts would insert while it loads."""

import re
from itertools import takewhile

from lxml import etree
from lxml.html import HtmlElement

# React sends late parts of a page at its end, in `<div hidden id="S:0">`, and a call that moves
# each to the `<template>` that waits for it: `$RC("B:0","S:0")`, `$RS("S:1","P:1")`.
_CALL = re.compile(r"\$R([CRS])\(\s*[\"']([^\"']{1,80})[\"']\s*,\s*[\"']([^\"']{1,80})[\"']")
_FALLBACK_ENDS = "/$"  # the comment that closes the fallback shown until the part arrives


def place_streamed(tree: HtmlElement) -> int:
    """Move streamed parts to where the page's scripts would, in place; return how many.

    Moves only what such a call names, and only if both ends exist: a hidden element that merely
    looks like one stays hidden.
    """
    calls = [call for script in tree.iter("script") for call in _CALL.findall(script.text or "")]
    if not calls:
        return 0
    parts = {node.get("id"): node for node in tree.iter("div") if "hidden" in node.attrib}
    places = {node.get("id"): node for node in tree.iter("template")}
    moved = 0
    for kind, first, second in calls:
        part_id, place_id = (first, second) if kind == "S" else (second, first)
        part, place = parts.pop(part_id, None), places.get(place_id)
        if part is None or place is None or place.getparent() is None or _contains(part, place):
            continue
        if kind != "S":
            _drop_fallback(place)
        _move(part, place)
        moved += 1
    return moved


def _contains(part: HtmlElement, place: HtmlElement) -> bool:
    return any(each is part for each in place.iterancestors())


def _drop_fallback(place: HtmlElement) -> None:
    """Remove what the page shows until the part arrives."""
    following = list(place.itersiblings())
    waiting = list(takewhile(lambda node: not _closes(node), following))
    if len(waiting) < len(following):
        place.tail = None
        for node in waiting:
            node.getparent().remove(node)


def _closes(node: etree._Element) -> bool:
    return node.tag is etree.Comment and (node.text or "").strip() == _FALLBACK_ENDS


def _move(part: HtmlElement, place: HtmlElement) -> None:
    part.drop_tree()
    part.tail = None
    del part.attrib["hidden"]
    place.addprevious(part)
