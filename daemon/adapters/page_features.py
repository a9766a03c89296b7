"""Features of a block and of its place in a page, which separate content from the rest."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from daemon.adapters.page_blocks import Block

_LEVELS = 12  # ancestors of a block, from the inside
_FAR = 3  # neighbours considered before and after
_SENTENCE = re.compile(r"[.!?…。！？:;][\"'”’)\]»]*(?:\s|$)")
_NUMBER = re.compile(r"\d")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|USD|EUR|GBP|zł|kr)\b")
_WORD = re.compile(r"\w+")
_LEGAL = re.compile(
    r"©|\(c\) ?\d{4}|copyright|all rights reserved|privacy|terms of|cookie|datenschutz|impressum",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:sign ?up|sign ?in|log ?in|subscribe|newsletter|add to (?:cart|bag)|read more|learn more"
    r"|shop now|view (?:all|more)|see (?:all|more)|show more|load more|share|follow us|download"
    r"|contact us|get started|skip to|menu|search|reply|quote|report|permalink|click to)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.:]\d{1,2}\b|\bago\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    re.IGNORECASE,
)
_RELATED = (
    r"related|recommend|similar|more-?(?:from|posts|stories)|also|suggest|trending|popular"
    r"|upsell|cross-?sell|recent"
)
_NAMES = tuple(
    re.compile(each, re.IGNORECASE)
    for each in (
        r"\bnav|navbar|navigation|menu|breadcrumb",
        r"foot",
        r"head(?!ing|line)|masthead|topbar|banner",
        r"sidebar|side-|aside|rail\b|widget",
        r"cookie|consent|gdpr|privacy|modal|popup|overlay|dialog|alert|notice|toast",
        r"share|social|follow|newsletter|subscri|signup|login|account",
        _RELATED,
        r"comment|disqus|repl(?:y|ies)|respon",
        r"\bads?\b|advert|sponsor|promo",
        r"filter|facet|sort|refine|pagination|pager|toolbar|search|form",
        r"byline|author|meta|date|time|tag|categor",
        r"content|main|body|primary|story|text|prose|copy",
        r"article|post|entry|blog|markdown|wiki|docs?\b",
        r"product|price|item|card|tile|grid|list|result|collection|catalog",
        r"thread|topic|message|question|answer|forum|discussion|review",
        r"hero|feature|section|faq|accordion|tab|pricing|testimonial|service",
        r"descri|detail|spec|summary|info|about",
        r"toc\b|table-of|contents|anchor|on-this-page",
    )
)
_TAGS = ("nav", "header", "footer", "aside", "main", "article", "form", "table", "li", "section")
_HEADINGS = {f"h{level}": float(level) for level in range(1, 7)}


@dataclass(slots=True)
class _Container:
    """Totals of a layout element."""

    words: int = 0
    linked: int = 0
    blocks: int = 0
    long_words: int = 0  # of blocks that read as prose
    names: int = 0  # a bit for each of _NAMES that its class or id mentions
    first: int = 0  # the number of its first block
    depth: int = 0
    alike: int = 1  # elements of its kind next to it, including itself
    group: tuple[float, ...] = field(default=())


def features(blocks: Sequence[Block], tree: HtmlElement) -> list[list[float]]:
    """Return one row for each block; `NAMES` names the columns."""
    chains = [[block.holder, *block.holder.iterancestors()] for block in blocks]
    holders = _containers(blocks, chains)
    total = sum(block.words for block in blocks) or 1
    page = _page_row(blocks, tree, total)
    texts = Counter(block.text for block in blocks)
    own = [_own_row(block, texts[block.text]) for block in blocks]
    rows = []
    before = 0
    titles = [at for at, block in enumerate(blocks) if block.holder.tag == "h1"]
    title = titles[0] if titles else -1
    for at, (block, chain) in enumerate(zip(blocks, chains, strict=True)):
        place = [
            at / len(blocks),
            before / total,
            (at - title) / len(blocks) if title >= 0 else -1.0,
            float(math.copysign(math.log1p(abs(at - title)), at - title)) if title >= 0 else -9.0,
        ]
        around = [value for far in _AROUND for value in _nearby(own, at + far)]
        wide = _wide(blocks, at)
        rows.append([*own[at], *place, *around, *wide, *_inside(chain, holders, total), *page])
        before += block.words
    return rows


_AROUND = (-3, -2, -1, 1, 2, 3)


def _own_row(block: Block, copies: int) -> list[float]:
    text, words = block.text, block.words or 1
    tag = block.holder.tag
    letters = sum(map(str.isalpha, text)) or 1
    ends = len(_SENTENCE.findall(text))
    return [
        math.log1p(block.words),
        block.linked / words,
        float(ends),
        ends / words,
        letters / words,
        sum(map(str.isupper, text)) / letters,
        len(_NUMBER.findall(text)) / len(text),
        text.count(",") / words,
        float(text[-1] in ".!?…:。！？"),
        float(text[:1].isupper()),
        _HEADINGS.get(tag, 0.0),
        float(tag == "p"),
        float(tag == "li"),
        float(tag in ("tr", "td", "th", "dt", "dd")),
        float(tag in ("pre", "blockquote", "figcaption")),
        float(tag in ("button", "label", "legend", "option", "summary")),
        float(len(_LEGAL.findall(text))),
        float(len(_ASKS.findall(text))),
        float(len(_WHEN.findall(text))),
        float(len(_PRICE.findall(text))),
        math.log(copies),
        float(text.count("\n")),
        float("|" in text or "»" in text or "›" in text or "/" in text),
    ]


def _nearby(own: list[list[float]], at: int) -> list[float]:
    """Return a few features of a neighbouring block; -1 beyond the page."""
    if not 0 <= at < len(own):
        return [-1.0] * 5
    row = own[at]
    return [row[0], row[1], row[2], row[10], row[17]]


def _wide(blocks: Sequence[Block], at: int) -> list[float]:
    found: list[float] = []
    for reach in (5, 15):
        near = blocks[max(0, at - reach) : at + reach + 1]
        words = sum(each.words for each in near) or 1
        prose = sum(each.words for each in near if _is_prose(each))
        found += [sum(each.linked for each in near) / words, prose / words, words / len(near)]
    return found


def _is_prose(block: Block) -> bool:
    return block.words >= 12 and block.linked * 3 < block.words


def _containers(
    blocks: Sequence[Block], chains: list[list[HtmlElement]]
) -> dict[HtmlElement, _Container]:
    holders: dict[HtmlElement, _Container] = {}
    for at, (block, chain) in enumerate(zip(blocks, chains, strict=True)):
        prose = block.words if _is_prose(block) else 0
        for node in chain:
            held = holders.get(node)
            if held is None:
                held = holders[node] = _Container(first=at, names=_named(node))
            held.words += block.words
            held.linked += block.linked
            held.blocks += 1
            held.long_words += prose
    _find_groups(holders)
    return holders


def _find_groups(holders: dict[HtmlElement, _Container]) -> None:
    groups: dict[tuple[HtmlElement, str, str], list[_Container]] = {}
    for node, held in holders.items():
        parent = node.getparent()
        if parent is not None:
            kind = (node.get("class") or "").split()
            groups.setdefault((parent, node.tag, kind[0] if kind else ""), []).append(held)
    for alike in groups.values():
        if len(alike) < 3:
            continue
        words = sum(each.words for each in alike)
        group = (
            math.log(len(alike)),
            math.log1p(words / len(alike)),
            sum(each.linked for each in alike) / (words or 1),
            sum(each.long_words for each in alike) / (words or 1),
            float(words),
        )
        for each in alike:
            each.group = group


def _named(node: HtmlElement) -> int:
    attributes = f"{node.get('class') or ''} {node.get('id') or ''} {node.get('role') or ''}"
    if not attributes.strip():
        return 0
    return sum(1 << at for at, each in enumerate(_NAMES) if each.search(attributes))


def _inside(
    chain: list[HtmlElement], holders: dict[HtmlElement, _Container], total: int
) -> list[float]:
    """Return features of the elements that contain a block, from the innermost outwards."""
    inner = chain[:-2] or chain  # <body> and <html> contain everything
    tags = Counter(node.tag for node in inner)
    found = [float(tags[tag]) for tag in _TAGS]
    near = wide = 0
    nearest = [float(_LEVELS)] * len(_NAMES)
    for depth, node in enumerate(inner[:_LEVELS]):
        names = holders[node].names
        wide |= names
        near |= names if depth < 3 else 0
        for at in range(len(_NAMES)):
            if names >> at & 1 and nearest[at] == _LEVELS:
                nearest[at] = float(depth)
    found += nearest
    for depth in (0, 1, 2, 3, 5):
        held = holders[chain[min(depth, len(chain) - 1)]]
        words = held.words or 1
        found += [
            math.log1p(held.words),
            held.linked / words,
            held.long_words / words,
            held.words / total,
            math.log(held.blocks),
        ]
    found.append(float(len(inner)))
    found += _shares(inner, holders, total)
    groups = [holders[node].group for node in inner if holders[node].group]
    best = max(groups, key=lambda group: group[-1], default=(0.0,) * 5)
    inmost = groups[0] if groups else (0.0,) * 5
    return [*found, *best[:4], best[4] / total, *inmost[:4], inmost[4] / total, float(len(groups))]


def _shares(
    inner: list[HtmlElement], holders: dict[HtmlElement, _Container], total: int
) -> list[float]:
    """Return the share of links and of prose in the smallest ancestors with a tenth, a quarter and
    half of the page.
    """
    found: list[float] = []
    for share in (0.1, 0.25, 0.5):
        held = next((holders[node] for node in inner if holders[node].words >= share * total), None)
        if held is None:
            found += [-1.0, -1.0, -1.0]
            continue
        words = held.words or 1
        found += [held.linked / words, held.long_words / words, held.words / total]
    return found


def _page_row(blocks: Sequence[Block], tree: HtmlElement, total: int) -> list[float]:
    prose = sum(block.words for block in blocks if _is_prose(block))
    tags = Counter(block.holder.tag for block in blocks)
    all_tags = Counter(node.tag for node in tree.iter("article", "main", "form", "table", "pre"))
    prices = sum(1 for block in blocks if _PRICE.search(block.text))
    return [
        math.log1p(total),
        math.log1p(len(blocks)),
        sum(block.linked for block in blocks) / total,
        prose / total,
        math.log1p(prose),
        *(math.log1p(all_tags[tag]) for tag in ("article", "main", "form", "table", "pre")),
        math.log1p(tags["li"]),
        math.log1p(tags["p"]),
        math.log1p(tags["h2"] + tags["h3"]),
        math.log1p(tags["h1"]),
        math.log1p(prices),
    ]
