"""XML of a known form. Runs in the process that reads hostile documents."""

from lxml import etree

from daemon.model.errors import ExtractError


def root_of(body: bytes, tag: str) -> etree._Element:
    """Parse `body`, whose root must be `tag`. Raises ExtractError with what it is instead."""
    start = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"<"):
        words = " ".join(start[:80].decode("utf-8", "replace").split())
        raise ExtractError(f"answered: {words}" if words else "answered nothing")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        page = start.lower().startswith((b"<!doctype html", b"<html"))
        raise ExtractError(
            "answered with a web page instead of data"
            if page
            else "the answer is incomplete (not valid XML)"
        ) from None
    if root.tag != tag:
        raise ExtractError("the answer does not have the expected form")
    return root


def text_of(node: etree._Element | None) -> str:
    """Return the text of an element and its descendants on one line."""
    return "" if node is None else " ".join("".join(node.itertext()).split())
