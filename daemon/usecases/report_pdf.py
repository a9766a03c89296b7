"""A note as PDF, by Typst (an optional library): its text is only ever given as string literals."""

import json
from collections.abc import Iterator, Sequence

import typst
from markdown_it.token import Token

from daemon.usecases.report_pages import tokens_of

_HEAD = """\
#set document(date: none)
#set page(paper: "a4", margin: 2.2cm, numbering: "1")
#set text(size: 10.5pt)
#set par(justify: true)
#show link: underline
"""
_SCHEMES = ("http://", "https://")
_BLOCKS: dict[str, str] = {
    "paragraph_open": "#par[",
    "bullet_list_open": "#list(",
    "ordered_list_open": "#enum(",
    "list_item_open": "[",
    "blockquote_open": "#quote(block: true)[",
    "th_open": "[*",
    "td_open": "[",
}
_CLOSED: dict[str, str] = {
    "paragraph_close": "]\n",
    "heading_close": "]\n",
    "bullet_list_close": ")\n",
    "ordered_list_close": ")\n",
    "list_item_close": "],",
    "blockquote_close": "]\n",
    "table_close": ")\n",
    "th_close": "*],",
    "td_close": "],",
}
_INLINE = {
    "strong_open": "#strong[",
    "em_open": "#emph[",
    "strong_close": "]",
    "em_close": "]",
    "link_close": "]",
    "softbreak": " ",
    "hardbreak": "#linebreak()",
}


def as_pdf(note: str) -> bytes:
    """Return a note as PDF."""
    return bytes(typst.compile("".join([_HEAD, *_markup(tokens_of(note))]).encode()))


def _markup(tokens: Sequence[Token]) -> Iterator[str]:
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            yield f"#heading(level: {int(token.tag[1:])})["
        elif token.type == "table_open":
            yield f"#table(columns: {_columns(tokens[place:])}, "
        elif token.type == "inline":
            yield from _inline(token.children or [])
        elif token.type in ("fence", "code_block"):
            yield f"#raw({_literal(token.content)}, block: true)\n"
        else:
            yield _BLOCKS.get(token.type, "") or _CLOSED.get(token.type, "")


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "link_open":
            url = str(token.attrs.get("href", ""))
            yield f"#link({_literal(url)})[" if url.startswith(_SCHEMES) else "#box["
        elif token.type == "code_inline":
            yield f"#raw({_literal(token.content)});"
        elif token.type in _INLINE:
            yield _INLINE[token.type]
        elif token.content:
            yield f"#{_literal(token.content)};"


def _columns(tokens: Sequence[Token]) -> int:
    """Return the number of columns of the table that begins here."""
    ends = (place for place, each in enumerate(tokens) if each.type == "tr_close")
    return sum(each.type == "th_open" for each in tokens[: next(ends)])


def _literal(text: str) -> str:
    """Return a string literal of Typst."""
    return (
        json.dumps(text, ensure_ascii=False)
        .replace("\\/", "/")
        .replace("\\b", "")
        .replace("\\f", "")
    )
