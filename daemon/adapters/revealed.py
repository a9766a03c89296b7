"""Content that a page hides until its reader opens it or it has loaded: tabs, accordions, slides.

A reader gets to see such text, so it belongs to the page. It is distinguished from planted text by
the control that reveals it, or by being one of several of a kind; unreadable type (tiny, off the
page, in the colour of its background) never counts.
"""

import re
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from daemon.adapters.hidden_style import declared

_MIN_NAMED = 2  # accordions and tabs, recognised by name, come in groups
_MIN_ALIKE = 3  # slides, and elements recognised only by the heading or button above them
_MAX_LABEL_WORDS = 40  # words of a control's label
_WORD = re.compile(r"[^\W\d_]{2,}")
_DRAWN = etree.XPath("descendant::text()[not(parent::script or parent::style)]")
_FOLDED = re.compile(
    r"accordion|collaps|faq|answer|tab-?_?(?:pane|panel|content)|toggle|expand|disclosure"
    r"|panel|spoiler|unfold",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"question|title|head|toggle|trigger|button|btn|summary|tab|label|accordion|faq", re.IGNORECASE
)
_SLIDE = re.compile(r"slide|carousel|swiper|splide", re.IGNORECASE)
_COPY = re.compile(r"clone|duplicate", re.IGNORECASE)
_NO_CONTENT = re.compile(
    r"modal|popup|pop-up|menu|nav|cookie|consent|offcanvas|dropdown|drawer|cart|search|login|toast"
    r"|tooltip|overlay|lightbox",
    re.IGNORECASE,
)
_NO_CONTENT_ROLES = frozenset({"menu", "dialog", "navigation", "listbox", "alertdialog", "tooltip"})
_NO_CONTENT_TAGS = frozenset({"nav", "header", "footer", "dialog", "form", "select"})
_LABEL_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "button", "dt", "summary"})
_TARGETS = ("aria-controls", "data-target", "data-bs-target")
_RISES = re.compile(
    r"^(?:(?:translate(?:x|y|3d|z)?|scale[xy]?|rotate[xyz]?|perspective)\([^()]{1,60}\)\s*)+$"
)
_FAR = re.compile(r"-?\d{4,}")


def revealed(tree: HtmlElement, folded: Sequence[HtmlElement]) -> frozenset[HtmlElement]:
    """Return the hidden elements that a control of the page, or its loading, makes visible.

    `folded` are the hidden elements that would be readable if they were shown.
    """
    controlled = _controlled(tree)
    content = [node for node in folded if not _is_machinery(node) and _count(node)]
    shown = [node for node in content if node.get("id") in controlled]
    paired = [node for node in content if _is_paired(node)]
    groups: dict[object, list[HtmlElement]] = {}
    for node in paired:
        groups.setdefault(_FOLDED.search(_names(node)) is not None or _kind(node), []).append(node)
    for node in content:
        if _SLIDE.search(node.get("class", "")) and not _COPY.search(node.get("class", "")):
            groups.setdefault((node.getparent(), _kind(node)), []).append(node)
        if _rises(node):
            groups.setdefault("rising", []).append(node)
    for key, alike in groups.items():
        shown += alike if len(alike) >= (_MIN_NAMED if key is True else _MIN_ALIKE) else []
    return frozenset(shown)


def _controlled(tree: HtmlElement) -> frozenset[str]:
    """Return the ids that a tab, a button or a heading with words shows and hides."""
    found: set[str] = set()
    for node in tree.xpath("//*[@aria-controls or @data-target or @data-bs-target]"):
        if not _is_label(node) or _is_machinery(node):
            continue
        for name in _TARGETS:
            found.update(part.lstrip("#") for part in node.get(name, "").split())
    for node in tree.xpath("//*[@role='tabpanel'][@id][@aria-labelledby]"):
        found.add(node.get("id"))
    return frozenset(found)


def _is_paired(node: HtmlElement) -> bool:
    """Return whether an element follows its control, alone or in a wrapper of its own."""
    previous = _previous(node)
    parent = node.getparent()
    if previous is None and parent is not None:
        previous = _previous(parent)
    return previous is not None and _is_label(previous)


def _previous(node: HtmlElement) -> HtmlElement | None:
    following = (each for each in node.itersiblings(preceding=True) if isinstance(each.tag, str))
    return next((each for each in following if each.tag not in ("style", "script")), None)


def _kind(node: HtmlElement) -> str:
    return f"{node.tag} {' '.join(node.get('class', '').split()[:1])}"


def _names(node: HtmlElement) -> str:
    parent = node.getparent()
    around = parent.get("class", "") if parent is not None else ""
    return f"{node.get('class', '')} {node.get('id', '')} {around}"


def _is_label(node: HtmlElement) -> bool:
    if not isinstance(node.tag, str):
        return False
    if not 0 < _count(node) <= _MAX_LABEL_WORDS or "hidden" in node.attrib:
        return False
    if node.tag in _LABEL_TAGS or node.get("role") in ("tab", "button"):
        return True
    if any(node.get(name) for name in _TARGETS) or _LABEL.search(node.get("class", "")):
        return True
    return next(node.iter(*_LABEL_TAGS), None) is not None


def _is_machinery(node: HtmlElement) -> bool:
    """Return whether an element belongs to a menu, a dialog or a form, not to the content."""
    for depth, each in enumerate((node, *node.iterancestors())):
        if each.tag in _NO_CONTENT_TAGS or each.get("role") in _NO_CONTENT_ROLES:
            return True
        if depth < 3 and _NO_CONTENT.search(f"{each.get('class', '')} {each.get('id', '')}"):
            return True
    return False


def _rises(node: HtmlElement) -> bool:
    """Return whether an element is transparent only until it is scrolled to: it moves in, or
    grows.
    """
    style = declared(node.get("style", ""))
    moves = style.get("transform", "")
    comes = bool(_RISES.match(moves) and not _FAR.search(moves)) or "opacity" in style.get(
        "transition", ""
    )
    rest = set(style) - {"opacity", "transform", "transition", "will-change", "filter"}
    return style.get("opacity", "").strip("0.") == "" and comes and not rest


def _count(node: HtmlElement) -> int:
    return sum(len(_WORD.findall(text)) for text in _DRAWN(node))
