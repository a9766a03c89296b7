"""The blocks of a Markdown text, by markdown-it: prose, and text that only looks like it."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from vault_adapters.block_parser import BlockParser

# Deeper lists and quotes are cut off: markdown-it recurses, and Python's limit is 1,000.
MAX_NESTING = 100

_FOOTNOTE = re.compile(r"\[\^[^\s\]]+\]:[ \t]*")


class Block(NamedTuple):
    """Text that may contain links: a paragraph, a heading, a table cell.

    `level` is 0 unless it is a heading; `comment` is true inside a `%%` block.
    """

    text: str
    line: int
    level: int = 0
    comment: bool = False


def read_blocks(body: str, parser: MarkdownIt | None = None) -> list[Block]:
    """Return the blocks of prose in `body`, in order; `line` counts from its start.

    Skips code (fenced or indented), HTML blocks and `$$` math blocks.
    """
    tokens: list[Token] = []
    parser = parser or _PARSER
    parser.block.parse(body, parser, {}, tokens)
    blocks, line, level = [], 0, 0
    for token in tokens:
        if token.map:
            line = token.map[0]
        if token.type == "inline":
            if token.content:
                blocks.append(Block(token.content, line, level))
        elif token.nesting:
            level = _level(token)
        elif token.type == "comment":
            blocks += _commented(token.content, line + 1)
    return blocks


def _level(token: Token) -> int:
    """Return the level of a heading as Obsidian counts it, else 0.

    It ignores headings in lists and quotes, and underlined ones of several lines.
    """
    if token.type != "heading_open" or token.level or token.map is None:
        return 0
    if token.markup in ("-", "=") and token.map[1] - token.map[0] > 2:
        return 0
    return int(token.tag[1])


def _commented(text: str, line: int) -> list[Block]:
    if "#" not in text:
        return []
    return [Block(b.text, b.line + line, comment=True) for b in read_blocks(text)]


def _comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A line that begins with `%%`, without a second `%%` on it, up to the next line with one."""
    return _fenced(state, start, end, "%%", silent=silent)


def _math(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A line that begins with `$$`, without a second `$$` on it, up to the next line with one."""
    return _fenced(state, start, end, "$$", silent=silent)


def _fenced(state: StateBlock, start: int, end: int, mark: str, *, silent: bool) -> bool:
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(mark, begin) or state.is_code_block(start):
        return False
    if mark in state.src[begin + 2 : state.eMarks[start]]:
        return False
    if silent:
        return True
    line = start + 1
    while line < end and not _leaves(state, line) and not _ends(state, line, mark):
        line += 1
    is_closed = line < end and not _leaves(state, line)
    state.line = line + is_closed
    token = state.push("comment" if mark == "%%" else "math", "", 0)
    token.content = state.getLines(start + 1, line, state.blkIndent, keepLastLF=False)
    token.map = [start, state.line]
    return True


def _leaves(state: StateBlock, line: int) -> bool:
    """Return whether a line ends the list item or footnote in which a block begins."""
    return state.sCount[line] < state.blkIndent and not state.isEmpty(line)


def _ends(state: StateBlock, line: int, mark: str) -> bool:
    return mark in state.src[state.bMarks[line] : state.eMarks[line]]


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """`[^1]: text`, with everything indented below it: a container, so that it is not code."""
    begin = state.bMarks[start] + state.tShift[start]
    found = _FOOTNOTE.match(state.src, begin, state.eMarks[start])
    if found is None or state.is_code_block(start):
        return False
    if silent:
        return True
    kept = state.bMarks[start], state.tShift[start], state.sCount[start]
    state.bMarks[start], state.tShift[start] = found.end(), 0
    state.sCount[start] = state.blkIndent = state.blkIndent + 4
    state.level += 1
    state.md.block.tokenize(state, start, end)
    state.level -= 1
    state.blkIndent -= 4
    state.bMarks[start], state.tShift[start], state.sCount[start] = kept
    return True


def block_parser(block: ParserBlock) -> MarkdownIt:
    """Make a block parser recognise Obsidian's blocks."""
    parser = MarkdownIt()
    parser.block = block
    parser.configure("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    # To Obsidian, a definition (`[a]: b`) is not a link, and `[^1]: [[b]]` is a footnote.
    parser.disable("reference")
    interrupts: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("fence", "comment", _comment, interrupts)
    parser.block.ruler.before("fence", "footnote", _footnote, {"alt": ["paragraph"]})
    parser.block.ruler.before("fence", "math", _math, interrupts)
    return parser


_PARSER = block_parser(BlockParser())
