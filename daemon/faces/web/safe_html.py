"""Notes as HTML that can do nothing: no scripts, no images, no addresses but those of the web.

Links between notes lead to the pages of these notes, and callouts fold, as in Obsidian. Images and
other files have no page: they are named.
"""

import re
from collections.abc import Iterator, MutableMapping, Sequence
from itertools import pairwise
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import quote, unquote

import nh3
from markdown_it.common.normalize_url import validateLink
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from vault_adapters.edit import body_start
from vault_adapters.shown import parser_for_readers

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#^\n]+)([#^][^\[\]|\n]*)?(?:\|([^\[\]\n]+))?\]\]")
# No space inside the signs, no digit after them, and no sum of money before words.
_FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\$(?![\s$])(?!\d[^$\n\\^_={}+]*\s)([^$\n]*[^$\s\\])\$(?!\d)", re.DOTALL
)
_IMAGE = re.compile(r"!(?=\[[^\]\n]{0,300}\]\()")
_FILE = re.compile(r"\.(?!(?:md|canvas)$)[a-z][a-z0-9]{1,4}$", re.IGNORECASE)  # no note
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)  # or within the note
_CALLOUT = re.compile(r"\[!(\w+)\]([-+]?)[ ]*([^\n]*)\n?")
_EMPTY_LINK = ("link_open", "link_close")
_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"),
    *("strong", "em", "code", "pre", "a", "table", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary"),
}


def _is_link(url: str) -> bool:
    """Return whether it is a link; files of this machine lose their address afterwards."""
    return url.startswith("file:") or validateLink(url)


def _wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 the library calls it so
    found = _WIKILINK.match(state.src, state.pos)
    if found is None or not found[1].strip():
        return False
    if not silent:
        name, place, shown = found.groups()
        opened = state.push("link_open", "a", 1)
        opened.meta["name"] = name.strip()
        state.push("text", "", 0).content = (shown or f"{name}{place or ''}").strip()
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 the library calls it so
    """Show a formula as it is written: its signs are no Markdown."""
    found = _FORMULA.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = (found[1] or found[2]).strip()
    state.pos = found.end()
    return True


def _image(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 the library calls it so
    """Name an image, which is a link here."""
    if _IMAGE.match(state.src, state.pos) is None:
        return False
    if not silent:
        state.push("text", "", 0).content = "Image: "
    state.pos += 1
    return True


def _callouts(state: StateCore) -> None:
    """Turn quotes that begin with `[!type] Title` into an element that folds."""
    tokens = state.tokens
    for at, token in enumerate(tokens):
        if token.type != "blockquote_open" or at + 2 >= len(tokens):
            continue
        first = tokens[at + 2]
        begins = _CALLOUT.match(first.content) if first.type == "inline" else None
        if begins is None:
            continue
        kind, fold, title = begins.groups()
        token.tag = _closing(tokens[at:]).tag = "details"
        token.attrs = {} if fold == "-" else {"open": ""}
        text = nh3.clean_text(title or kind.capitalize())
        token.meta["summary"] = Token("html_block", "", 0, content=f"<summary>{text}</summary>")
        first.content = first.content[begins.end() :]
    state.tokens = list(_with_summaries(tokens))


def _named_links(state: StateCore) -> None:
    """Show the address of a link without a text, such as that of an image without a description."""
    for token in state.tokens:
        children = token.children or []
        pairs = pairwise(children)
        empty = [one for one, other in pairs if (one.type, other.type) == _EMPTY_LINK]
        for link in empty:
            shown = Token("text", "", 0, content=str(link.attrs.get("href", "")))
            children.insert(children.index(link) + 1, shown)


def _links_of_notes(state: StateCore) -> None:
    """Have links to notes lead to their pages, and those to other files to nowhere."""
    for token in state.tokens:
        for link in token.children or []:
            if link.type != "link_open" or _OUTSIDE.match(str(link.attrs.get("href", ""))):
                continue
            name = link.meta.get("name") or _path_of(str(link.attrs["href"]), state.env)
            is_note = name and not _FILE.search(name)
            link.attrs = {"href": f"/notes/{quote(name, safe='')}"} if is_note else {}


def _path_of(address: str, env: MutableMapping[str, Any]) -> str:
    """Return the path in the vault that a link of a note leads to, or ""."""
    place = unquote(address.partition("#")[0])
    path = normpath(join("/", dirname(env.get("path", "")), place)).lstrip("/")
    return "" if path == "." else path


def _closing(tokens: Sequence[Token]) -> Token:
    """Return the token that closes the first one."""
    return next(each for each in tokens[1:] if each.level == tokens[0].level and each.nesting == -1)


def _with_summaries(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        if "summary" in token.meta:
            yield token.meta["summary"]


_PARSER = parser_for_readers(_is_link)
_PARSER.inline.ruler.before("link", "wikilink", _wikilink)
_PARSER.inline.ruler.before("escape", "formula", _formula)
_PARSER.inline.ruler.before("link", "image_name", _image)
_PARSER.core.ruler.before("inline", "callout", _callouts)
_PARSER.core.ruler.after("inline", "named_links", _named_links)
_PARSER.core.ruler.after("named_links", "links_of_notes", _links_of_notes)


def as_html(note: str, path: str = "") -> str:
    """Return a note without its properties as HTML that is safe to show.

    `path` is where it is in the vault, from which its links lead.
    """
    return cleaned(_PARSER.render(note[body_start(note) :], {"path": path}), {"http", "https"})


def cleaned(html: str, schemes: set[str]) -> str:
    """Return HTML with the elements of notes alone, and with links of these schemes alone."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "details": {"open"}},
        url_schemes=schemes,
        link_rel="noopener noreferrer nofollow",
    )
