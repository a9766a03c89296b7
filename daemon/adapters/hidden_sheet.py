"""A page's own style sheets, limited to declarations that affect visibility."""

import re
from collections.abc import Iterator

from cssselect import GenericTranslator, SelectorError, parse
from lxml import etree
from lxml.html import HtmlElement

from daemon.adapters.hidden_style import declared

MAX_RULES = 3000  # that match something in the page
_MAX_SHEET_LENGTH = 500_000  # characters
_RULE = re.compile(r"([^{}@;]{1,500})\{([^{}]{0,3000})\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_QUERY = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_NAME = re.compile(r"[.#]-?[_a-zA-Z][-\w]*")
_NOT = re.compile(r":not\([^()]*\)")
_ONE_NAME = re.compile(_NAME.pattern)
_TELLING = re.compile(
    r"display|visibility|opacity|font|zoom|filter|left|right|top|bottom|indent|clip|transform"
    r"|overflow|color|background"
)
# Before its scripts have run, a page may carry a class that they remove.
_WITHOUT_SCRIPTS = re.compile(r"no-?js\b", re.IGNORECASE)

Styles = dict[HtmlElement, dict[str, str]]
_Weight = tuple[int, int, int]
_Weighed = tuple[bool, _Weight, int, dict[str, str]]


def styles_of(tree: HtmlElement) -> Styles:
    """The declarations for each element, stronger rules over weaker; inline styles are not
    included. Conditional rules (`@media`, `:hover`) are skipped.
    """
    named = _by_name(tree)
    found: dict[HtmlElement, list[_Weighed]] = {}
    count = 0
    for order, (selectors, body) in enumerate(_rules(tree)):
        if not _TELLING.search(body):
            continue
        style = declared(body)
        for text in selectors.split(","):
            if count >= MAX_RULES or not all(
                name in named for name in _NAME.findall(_NOT.sub("", text))
            ):
                continue
            count += 1
            weight, nodes = _matched(tree, text.strip(), named)
            for node in nodes:
                found.setdefault(node, []).append(("!" in body, weight, order, style))
    return {node: _joined(weighed) for node, weighed in found.items()}


def _joined(weighed: list[_Weighed]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for *_, style in sorted(weighed, key=lambda each: each[:3]):
        joined |= style
    return joined


def _rules(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    for sheet in tree.iter("style"):
        if sheet.get("media", "all").strip().lower() not in ("", "all", "screen"):
            continue
        text = _COMMENT.sub(" ", (sheet.text or "")[:_MAX_SHEET_LENGTH])
        yield from _RULE.findall(_QUERY.sub(" ", text))


def _matched(
    tree: HtmlElement, text: str, named: dict[str, list[HtmlElement]]
) -> tuple[_Weight, list[HtmlElement]]:
    """Return the elements that a selector matches, and the weight of its rules."""
    if _WITHOUT_SCRIPTS.search(text):
        return (0, 0, 0), []
    if _ONE_NAME.fullmatch(text):
        return ((1, 0, 0) if text[0] == "#" else (0, 1, 0)), named[text]
    try:
        (selector,) = parse(text)
        if selector.pseudo_element is not None:
            return (0, 0, 0), []
        path = GenericTranslator().selector_to_xpath(selector, prefix="descendant-or-self::")
        return selector.specificity(), list(tree.xpath(path))
    except (SelectorError, ValueError, etree.XPathError):
        return (0, 0, 0), []


def _by_name(tree: HtmlElement) -> dict[str, list[HtmlElement]]:
    """Return the elements with each class and each id, under `.name` and `#name`."""
    named: dict[str, list[HtmlElement]] = {}
    for node in tree.iter(etree.Element):
        for name in set(node.get("class", "").split()):
            named.setdefault(f".{name}", []).append(node)
        if node.get("id"):
            named.setdefault(f"#{node.get('id')}", []).append(node)
    return named
