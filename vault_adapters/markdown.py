"""Markdown to a note, as Obsidian reads it."""

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


@dataclass(slots=True)
class Contents:
    """What was found in some Markdown so far, in order, by a scanner of the tool's own."""

    scan: Scan = scan_inline
    links: list[Link] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def read(self, body: str, body_line: int) -> None:
        """Add what stands in `body`, which begins on `body_line`."""
        for block in read_blocks(body) if body else ():
            line = block.line + body_line
            found = self.scan(block.text, line)
            self.tags += found.tags
            if block.comment:  # Obsidian counts the tags in a comment, but not the links
                continue
            self.links += found.links
            if block.level:
                self.headings.append(Heading(block.text, block.level, line))
            if (name := block_id(block.text)) is not None:
                self.blocks.append(Block(name, line + block.text.count("\n")))


def parse_note(path: str, data: bytes, *, plain: bool = False) -> Note:
    """Read a Markdown note as far as it can be read: whatever the bytes are is no error.

    `plain` reads Markdown links as they are outside of Obsidian; see `inline_plain`.
    """
    text, trouble = decode(data)
    properties = read_properties(text)
    contents = Contents(
        scan=scan_plain if plain else scan_inline,
        links=list(property_links(properties)),
        tags=list(property_tags(properties.values)),
    )
    contents.read(properties.body, properties.body_line)
    if plain:
        contents.links = list(follow_definitions(contents.links))
    return note_of(path, text, properties, contents, trouble)


def note_of(
    path: str, text: str, properties: Properties, contents: Contents, trouble: str = ""
) -> Note:
    """Put a note together of what was found in its frontmatter and its body."""
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
