"""Taking out of a page what its reader would not see, before its text is looked for."""

import re

from lxml import etree
from lxml.html import HtmlElement

# Containers that scripts and style sheets reveal: hiding them is how pages load, not a trick.
_NEVER_HIDDEN = frozenset({"html", "body", "head", "main", "article"})
_MACHINERY = ("script", "style", "template", "iframe", "object", "embed", "svg")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_HIDES = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0*)?(?:%)?(?=;|$|!)"
    r"|font-size:(?:0|0?\.\d+|1)(?:\.0*)?(?:px|pt|em|rem|%)?(?=;|$|!)"
    r"|(?:text-indent|left|right|top|bottom|margin-left|margin-top):-\d{3,}(?:\.\d+)?(?:px|em|rem|pt)"
    r"|left:-\d{2,}(?:em|rem|vw)"
    r"|clip:rect\((?:0|1)(?:px)?[, ](?:0|1)(?:px)?[, ](?:0|1)(?:px)?[, ](?:0|1)(?:px)?\)"
    r"|clip-path:inset\((?:50|100)%\)|transform:scale\(0\))"
)
_NO_SIZE = re.compile(r"(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?=;|$|!)")
_RULE = re.compile(r"([^{}@;]{1,300})\{([^{}]{0,2000})\}")
_SIMPLE = re.compile(r"^(?:[a-z][a-z0-9]*)?([.#])(-?[_a-zA-Z][-\w]*)$")
_PROSE = etree.XPath(
    "descendant::text()[not(ancestor::a or ancestor::button or ancestor::option or ancestor::label"
    " or ancestor::nav or ancestor::title or ancestor::script or ancestor::style)]"
)
MIN_WORDS = 5  # hidden links, buttons and labels are a page's own business; a sentence is not


def remove_hidden(tree: HtmlElement) -> int:
    """Take hidden markup out of `tree` in place; return how many stretches held words.

    Scripts, styles, templates and vector drawings go too, but hold nothing to be read and are not
    counted; a template is.
    """
    classes, ids = _hiding_rules(tree)
    count = _drop_comments(tree)
    doomed = list(tree.iter(*_MACHINERY))
    doomed += [node for node in tree.iter(etree.Element) if _is_hidden(node, classes, ids)]
    for node in doomed:
        if node.getparent() is None or not _is_attached(node, tree):
            continue
        if node.tag not in _MACHINERY or node.tag == "template":
            count += _has_words(" ".join(_PROSE(node)))
        node.drop_tree()
    return count


def _is_attached(node: HtmlElement, tree: HtmlElement) -> bool:
    """Whether the node is still in the tree: what holds it may have gone before it."""
    return node.getroottree().getroot() is tree.getroottree().getroot()


def _is_hidden(node: HtmlElement, classes: frozenset[str], ids: frozenset[str]) -> bool:
    if node.tag in _NEVER_HIDDEN:
        return False
    if "hidden" in node.attrib and node.get("hidden") != "until-found":
        return True
    if node.get("aria-hidden", "").strip().lower() == "true":
        return True
    if node.tag == "input" or hides(node.get("style", "")):
        return True
    named = node.get("class", "").split()
    return node.get("id") in ids or any(name in classes for name in named)


def hides(style: str) -> bool:
    """Whether a style attribute keeps its element from being seen."""
    if not style:
        return False
    tight = _SPACE.sub("", style.lower())
    if _HIDES.search(tight):
        return True
    return "overflow:hidden" in tight and _NO_SIZE.search(tight) is not None


def _hiding_rules(tree: HtmlElement) -> tuple[frozenset[str], frozenset[str]]:
    """Classes and ids that the page's own style sheets hide, where the rule is a simple one."""
    found: dict[str, set[str]] = {".": set(), "#": set()}
    for sheet in tree.iter("style"):
        if sheet.get("media", "all").lower() not in ("", "all", "screen"):
            continue
        for selectors, declarations in _RULE.findall(_outside_queries(sheet.text or "")):
            if not _HIDES.search(_SPACE.sub("", declarations.lower())):
                continue
            for selector in selectors.split(","):
                if simple := _SIMPLE.match(selector.strip()):
                    found[simple[1]].add(simple[2])
    return frozenset(found["."]), frozenset(found["#"])


def _outside_queries(css: str) -> str:
    """Leave out comments and `@media … { … }`: those rules hold only sometimes."""
    css = re.sub(r"/\*.*?\*/", " ", css[:500_000], flags=re.DOTALL)
    return re.sub(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", " ", css)


def _drop_comments(tree: HtmlElement) -> int:
    count = 0
    for node in list(tree.iter(etree.Comment, etree.ProcessingInstruction)):
        if node.getparent() is None:
            continue
        count += _is_prose(node.text or "")
        node.drop_tree()
    return count


def _is_prose(comment: str) -> bool:
    """Whether a comment speaks in words, and is not markup that was switched off."""
    return "<" not in comment and "{" not in comment and _has_words(comment)


def _has_words(text: str) -> bool:
    return len(_WORD.findall(text)) >= MIN_WORDS
