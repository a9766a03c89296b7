"""A note for readers outside of the vault: links between notes become text."""

import re

from markdown_it.token import Token

from vault_adapters.edit import body_start
from vault_adapters.shown import parser_for_readers

_REVIEW = re.compile(r"\n## Review\n.*\Z", re.DOTALL)
_WIKILINK = re.compile(r"(?<!\\)\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_BOX = re.compile(r"^(\s*- )\[.\] ", re.MULTILINE)
_SCHEMES = ("http://", "https://", "file://")
_PARSER = parser_for_readers(lambda url: url.startswith(_SCHEMES))


def page_text(note: str) -> str:
    """Return the Markdown of a note for readers outside of the vault."""
    body = _REVIEW.sub("\n", note[body_start(note) :])
    return _BOX.sub(r"\1☐ ", _WIKILINK.sub(r"\1", body)).strip() + "\n"


def title_of(text: str) -> str:
    """Return the first heading of a text, or ""."""
    tokens = _PARSER.parse(text)
    place = next((at for at, each in enumerate(tokens) if each.type == "heading_open"), None)
    return "" if place is None else tokens[place + 1].content


def rendered(note: str) -> str:
    """Return the HTML of a note, in which the note itself has none."""
    return str(_PARSER.render(page_text(note)))


def tokens_of(note: str) -> list[Token]:
    """Return the Markdown tokens of a note, without its properties and its review."""
    return _PARSER.parse(page_text(note))
