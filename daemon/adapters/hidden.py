"""Remove from a page what its reader would not see, before its text is extracted."""

import re

from lxml import etree
from lxml.html import HtmlElement

from daemon.adapters.hidden_sheet import styles_of
from daemon.adapters.hidden_style import (
    WHITE,
    Colour,
    background,
    colour,
    declared,
    fades_in,
    hides,
    is_unreadable,
    only_folds,
)
from daemon.adapters.revealed import revealed
from daemon.adapters.streamed import place_streamed

# Containers that scripts and style sheets reveal: hiding them is normal page loading, not a trick.
_NEVER_HIDDEN = frozenset({"html", "body", "head", "main", "article"})
_MACHINERY = ("script", "style", "iframe", "object", "embed", "svg")
# Elements that are drawn only when a script or a reader opens them, or as a fallback: their content
# is not the page's text.
_UNDRAWN = ("template", "datalist", "audio", "video", "canvas", "noembed", "noframes", "rp")
_PROSE_TAGS = frozenset({"p", "div", "span", "li", "blockquote", "section", "td", "small", "font"})
_WORD = re.compile(r"[^\W\d_]{2,}")
_PROSE = etree.XPath(
    "descendant::text()[not(ancestor::a or ancestor::button or ancestor::option or ancestor::label"
    " or ancestor::nav or ancestor::title or ancestor::script or ancestor::style)]"
)
_DRAWN = etree.XPath(
    "descendant::text()[not(parent::script or parent::style or ancestor::template)]"
)
_WRAPS = 3  # paragraphs, items or headings
MIN_WORDS = 5  # hidden links, buttons and labels are normal; a hidden sentence is not


def remove_hidden(tree: HtmlElement) -> int:
    """Remove hidden markup from `tree` in place; return how many removed stretches had words.

    Content that the page's own scripts insert, or a reader can unfold, is not hidden. Scripts,
    styles and vector drawings are removed too, but have no readable text and are not counted.
    """
    place_streamed(tree)
    seen = Visibility(tree)
    count = _drop_comments(tree)
    hidden = [node for node in tree.iter(etree.Element) if seen.hides(node)]
    shown = revealed(tree, [node for node in hidden if seen.is_folded(node)])
    removed = list(tree.iter(*_MACHINERY, *_UNDRAWN))
    removed += [node for node in hidden if node not in shown]
    removed += seen.fallbacks()
    for node in removed:
        if node.getparent() is None or not _is_attached(node, tree):
            continue
        if node.tag not in _MACHINERY:
            count += _is_readable(" ".join(_PROSE(node)))
        node.drop_tree()
    return count


def _is_attached(node: HtmlElement, tree: HtmlElement) -> bool:
    """Return whether the node is still in the tree: its parent may already have been removed."""
    return node.getroottree().getroot() is tree.getroottree().getroot()


class Visibility:
    """What a reader sees of a page, by its markup and its own style sheets."""

    def __init__(self, tree: HtmlElement) -> None:
        self._tree = tree
        self._sheet = styles_of(tree)
        self._has_all_styles = not tree.xpath("boolean(//link[contains(@rel, 'stylesheet')])")
        self._words = _count_words(tree)

    def hides(self, node: HtmlElement) -> bool:
        """Return whether an element, with its content, is hidden."""
        if node.tag in _NEVER_HIDDEN:
            return False
        if node.tag == "input":
            return True
        if "hidden" in node.attrib and node.get("hidden") != "until-found":
            return True
        if node.get("aria-hidden", "").strip().lower() == "true":
            return True
        if node.tag == "dialog" and "open" not in node.attrib:
            return True
        return self._is_styled_away(node) or self._has_no_contrast(node)

    def is_folded(self, node: HtmlElement) -> bool:
        """Return whether a hidden element becomes readable when the reader unfolds it."""
        style = self._style(node, declared(node.get("style", "")))
        return only_folds(style) and not self._has_no_contrast(node)

    def fallbacks(self) -> list[HtmlElement]:
        """Return whether it replaces scripts that most readers run, unless it is most of the
        page.
        """
        return [
            node for node in self._tree.iter("noscript") if 2 * _count_words(node) <= self._words
        ]

    def _is_styled_away(self, node: HtmlElement) -> bool:
        inline = declared(node.get("style", ""))
        if not inline and node not in self._sheet:
            return False
        style = self._style(node, inline)
        return hides(style) and not (fades_in(style) and self._contains_the_page(node))

    def _has_no_contrast(self, node: HtmlElement) -> bool:
        """Return whether text has the colour of its background.

        The background defaults to white: for a colour set on the element itself, and for a
        paragraph's if no style sheet is external.
        """
        inline = declared(node.get("style", ""))
        own = inline.get("color") or (node.get("color", "").lower() if node.tag == "font" else "")
        color = own or self._sheet.get(node, {}).get("color", "")
        text = colour(color) if color else None
        if text is None or "text-shadow" in self._style(node, inline):
            return False
        behind = self._behind(node)
        if behind is None:
            behind = (
                WHITE if own or (self._has_all_styles and node.tag in _PROSE_TAGS) else "picture"
            )
        return not isinstance(behind, str) and is_unreadable(text, behind)

    def _behind(self, node: HtmlElement) -> Colour | str | None:
        for each in (node, *node.iterancestors()):
            style = self._style(each, declared(each.get("style", "")))
            found = background(style) or colour(each.get("bgcolor", "").lower())
            if found is not None:
                return found
        return None

    def _style(self, node: HtmlElement, inline: dict[str, str]) -> dict[str, str]:
        return {**self._sheet.get(node, {}), **inline}

    def _contains_the_page(self, node: HtmlElement) -> bool:
        """Return whether an element wraps most of the readable text."""
        parts = sum(1 for _ in node.iter("p", "li", "h2", "h3", "td"))
        return parts >= _WRAPS and _count_words(node) > self._words / 2


def _count_words(node: HtmlElement) -> int:
    return sum(len(_WORD.findall(text)) for text in _DRAWN(node))


def _drop_comments(tree: HtmlElement) -> int:
    count = 0
    for node in list(tree.iter(etree.Comment, etree.ProcessingInstruction)):
        if node.getparent() is None:
            continue
        count += _is_prose(node.text or "")
        node.drop_tree()
    return count


def _is_prose(comment: str) -> bool:
    """Return whether a comment is prose, and not markup that was commented out."""
    return "<" not in comment and "{" not in comment and _is_readable(comment)


def _is_readable(text: str) -> bool:
    return len(_WORD.findall(text)) >= MIN_WORDS
