"""The blocks of a Markdown text, by markdown-it: what is prose, and what only looks like it."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from vault_adapters.block_parser import BlockParser

# Deeper lists and quotes than this are cut off. markdown-it recurses, and Python ends at 1,000.
MAX_NESTING = 100

_FOOTNOTE = re.compile(r"\[\^[^\s\]]+\]:[ \t]*")


class Block(NamedTuple):
    """Text that may hold links: a paragraph, a heading, a table's cell.

    `level` is 0 for what is no heading; `comment` is true inside a `%%` block.
    """

    text: str
    line: int
    level: int = 0
    comment: bool = False


def read_blocks(body: str, parser: MarkdownIt | None = None) -> list[Block]:
    """Return the blocks of prose in `body`, in order; `line` counts from its start.

    Code (fenced or indented), HTML blocks and `$$` math blocks are left out.
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
    """The level of a heading that Obsidian counts, else 0.

    It counts none in lists and quotes, and no underlined one of several lines.
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
    """A line that begins with `%%`, with no second `%%` on it, up to the line with the next."""
    return _fenced(state, start, end, "%%", silent=silent)


def _math(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A line that begins with `$$`, with no second `$$` on it, up to the line with the next."""
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
    """Whether a line ends the list item or footnote that a block begins in."""
    return state.sCount[line] < state.blkIndent and not state.isEmpty(line)


def _ends(state: StateBlock, line: int, mark: str) -> bool:
    return mark in state.src[state.bMarks[line] : state.eMarks[line]]


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """`[^1]: text`, with all that is indented below it: a container, so that it is not code."""
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
    """Teach a block parser what Obsidian takes for a block."""
    parser = MarkdownIt()
    parser.block = block
    parser.configure("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    # A definition (`[a]: b`) is no link to Obsidian, and `[^1]: [[b]]` is none either, but a note.
    parser.disable("reference")
    interrupts: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("fence", "comment", _comment, interrupts)
    parser.block.ruler.before("fence", "footnote", _footnote, {"alt": ["paragraph"]})
    parser.block.ruler.before("fence", "math", _math, interrupts)
    return parser


_PARSER = block_parser(BlockParser())
