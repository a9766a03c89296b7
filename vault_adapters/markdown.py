"""Parse Markdown to a note, as Obsidian does."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from vault_adapters.blocks import read_blocks
from vault_adapters.decode import decode
from vault_adapters.frontmatter import (
    Properties,
    property_aliases,
    property_links,
    property_tags,
    read_properties,
)
from vault_adapters.inline import Found, block_id, scan_inline
from vault_adapters.inline_plain import follow_definitions, scan_plain
from vault_adapters.note import Block, Heading, Link, Note, Tag

Scan = Callable[[str, int], Found]  # a block's text and the line it begins on

# Lines that turn the lines above into a heading, and lines that end any block.
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_EMPTY = re.compile(r"\n[ \t]*\n")


@dataclass(slots=True)
class Contents:
    """The content of some Markdown found so far, in order, by the tool's own scanner.

    `signs` are the first characters of the links that it finds.
    """

    scan: Scan = scan_inline
    signs: str = "["
    links: list[Link] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def read(self, body: str, body_line: int) -> None:
        """Add the content of `body`, which begins on `body_line`."""
        body = _relevant_part(body, f"{self.signs}#^")
        for text, block_line, level, is_comment in read_blocks(body) if body else ():
            line = block_line + body_line
            found = self.scan(text, line)
            if found.tags:
                self.tags += found.tags
            if is_comment:  # Obsidian counts the tags in a comment, but not the links
                continue
            if found.links:
                self.links += found.links
            if level:
                self.headings.append(Heading(text, level, line))
            if "^" in text and (name := block_id(text)) is not None:
                self.blocks.append(Block(name, line + text.count("\n")))


def _relevant_part(body: str, signs: str) -> str:
    """Return `body` up to the first empty line after which there is no sign and no heading.

    Text after an empty line never changes what is above it, and need not be parsed.
    """
    last = max(map(body.rfind, signs))
    for underline in _UNDERLINE.finditer(body, max(last, 0)):
        last = underline.end()
    if last < 0:
        return ""
    end = _EMPTY.search(body, last)
    return body[: end.end()] if end is not None else body


def parse_note(path: str, data: bytes, *, plain: bool = False) -> Note:
    """Read a Markdown note; no bytes are an error.

    `plain` reads Markdown links as they are outside of Obsidian; see `inline_plain`.
    """
    text, trouble = decode(data)
    properties = read_properties(text)
    contents = Contents(
        scan=scan_plain if plain else scan_inline,
        links=list(property_links(properties)),
        tags=list(property_tags(properties.values)),
    )
    if properties.is_toml and not plain:  # to Obsidian all of it is text
        contents.read(text, 0)
    else:
        contents.read(properties.body, properties.body_line)
    if plain:
        contents.links = list(follow_definitions(contents.links))
    return note_of(path, text, properties, contents, trouble)


def note_of(
    path: str, text: str, properties: Properties, contents: Contents, trouble: str = ""
) -> Note:
    """Build a note from its frontmatter and its body."""
    return Note(
        path=path,
        title=title_of(path),
        text=text,
        body_line=properties.body_line,
        frontmatter=properties.values,
        links=tuple(contents.links),
        headings=tuple(contents.headings),
        blocks=tuple(contents.blocks),
        tags=tuple(contents.tags),
        aliases=property_aliases(properties.values),
        trouble="; ".join(filter(None, (trouble, properties.trouble))),
    )


def title_of(path: str) -> str:
    """A note's title is its name without the suffix."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
