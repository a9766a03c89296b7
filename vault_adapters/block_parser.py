"""markdown-it's block parser, trying on each line only the rules that can begin there.

The original tries every rule on every line. Nearly all of them begin with certain characters, and
the two that do not (a table, an underlined heading) need a line below that ends with certain ones.
The rules and the output are markdown-it's; it takes less than half the time.
"""

# ruff: noqa: FBT001, FBT003, N802, N803 - names and signatures are markdown-it's

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

from vault_adapters.block_list import list_block

Rule = RuleFuncBlockType

# First characters of each rule; a rule that is not listed is tried on every line.
_BEGINS = {
    "comment": "%",
    "footnote": "[",
    "math": "$",
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*-+0123456789",
    "html_block": "<",
    "heading": "#",
}
_BLANK = frozenset(" \t")
# A line that may underline a heading or follow the head of a table.
_RULED = re.compile(r"([-=|:])[ \t]*$", re.MULTILINE)


class BlockParser(ParserBlock):
    """Parses like `ParserBlock`, but faster."""

    def __init__(self) -> None:
        super().__init__()
        rules = self.ruler.__rules__
        self.ruler: _Ruler = _Ruler()
        self.ruler.__rules__ = rules
        self.ruler.at("paragraph", _paragraph)
        self.ruler.at("list", list_block, {"alt": ["paragraph", "reference", "blockquote"]})

    def parse(
        self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]
    ) -> list[Token] | None:
        """Append the tokens of `src` to `outTokens`."""
        if not src:
            return None
        state = _State(src, md, env, outTokens)
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """Generate tokens for some lines; see `ParserBlock.tokenize`.

        Leaves out half of that: whether lists are loose.
        """
        [rule] = self.ruler.getRules()
        line = startLine
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= state.md.options.maxNesting:
                state.line = endLine
                break
            rule(state, line, endLine, False)
            line = state.line
            if line < endLine and state.isEmpty(line):
                line += 1
                state.line = line


class _Ruler(Ruler[Rule]):
    """Returns one rule per chain, which tries those that can begin on the line, one by one."""

    def __init__(self) -> None:
        super().__init__()
        self._asking: dict[str, list[Rule]] = {}

    def getRules(self, chainName: str = "") -> list[Rule]:
        if self.__cache__ is None:  # a rule was added, enabled or disabled
            self.__compile__()
            self._asking.clear()
        if chainName not in self._asking:
            rules = [r for r in self.__rules__ if r.enabled and chainName in ("", *r.alt)]
            self._asking[chainName] = [_guarded([(r.name, r.fn) for r in rules])]
        return self._asking[chainName]


def _guarded(rules: Iterable[tuple[str, Rule]]) -> Rule:
    guarded = [(name, _GUARDS[name](rule) if name in _GUARDS else rule) for name, rule in rules]
    others = tuple(rule for name, rule in guarded if name not in _BEGINS)
    by_character = {
        character: tuple(
            rule for name, rule in guarded if character in _BEGINS.get(name, character)
        )
        for character in "".join(_BEGINS.values())
    }

    def ask(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        at = state.bMarks[line] + state.tShift[line]
        for rule in by_character.get(state.src[at : at + 1], others):
            if rule(state, line, end, silent):
                return True
        return False

    return ask


def _paragraph(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Do what `rules_block.paragraph` does, without the tokens around the text."""
    [ends] = state.md.block.ruler.getRules("paragraph")
    line, end = start + 1, state.lineMax
    kept, state.parentType = state.parentType, "paragraph"
    while line < end and not state.isEmpty(line):
        # An indented line continues the paragraph, and so does one that a quote has already
        # processed.
        indent = state.sCount[line]
        if indent - state.blkIndent <= 3 and indent >= 0 and ends(state, line, end, True):
            break
        line += 1
    state.line, state.parentType = line, kept
    token = state.push("inline", "", 0)
    if line == start + 1:
        begin = state.bMarks[start] + state.tShift[start]
        token.content = mdTrim(state.src[begin : state.eMarks[start]])
    else:
        token.content = mdTrim(state.getLines(start, line, state.blkIndent, False))
    token.map = [start, line]
    return True


def _if_code(rule: Rule) -> Rule:
    return lambda state, line, end, silent: (
        state.is_code_block(line) and rule(state, line, end, silent)
    )


def _if_table(rule: Rule) -> Rule:
    return lambda state, line, end, silent: (
        line in state.heads and rule(state, line, end, silent)  # type: ignore[attr-defined]
    )


def _if_ruled(rule: Rule) -> Rule:
    return lambda state, line, end, silent: (
        state.src[state.eMarks[line] - 1] in "*-_ \t" and rule(state, line, end, silent)
    )


def _if_underlined(rule: Rule) -> Rule:
    return lambda state, line, end, silent: (
        line in state.titles and rule(state, line, end, silent)  # type: ignore[attr-defined]
    )


_GUARDS: dict[str, Callable[[Rule], Rule]] = {
    "code": _if_code,
    "hr": _if_ruled,
    "table": _if_table,
    "lheading": _if_underlined,
}


class _State(StateBlock):
    """Knows where each line begins and ends, and which kinds of block it may begin."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)  # its own search for line ends takes longer
        self.src = src
        self._find_lines()
        self.heads: set[int] = set()  # lines that may be a table's head
        self.titles: set[int] = set()  # lines that may begin an underlined heading
        for ruled in _RULED.finditer(src):
            self._take(bisect_right(self.bMarks, ruled.start()) - 1, ruled[1])

    def _find_lines(self) -> None:
        """Record where each line begins and ends, and its indentation."""
        lines = self.src.split("\n")
        ends = [end - 1 for end in accumulate([len(line) + 1 for line in lines])]
        begins = [0, *(end + 1 for end in ends[:-1])]
        shifts = [
            len(line) - len(line.lstrip(" \t")) if line[:1] in _BLANK else 0 for line in lines
        ]
        widths = shifts
        if "\t" in self.src:
            widths = [
                len(line[:shift].expandtabs(4)) if "\t" in line[:shift] else shift
                for line, shift in zip(lines, shifts, strict=True)
            ]
        if shifts[-1] == len(
            lines[-1]
        ):  # the last line has no line end; it counts only if it has text
            del begins[-1], ends[-1]
            shifts, widths = shifts[:-1], widths[:-1]
        size = len(self.src)
        self.bMarks, self.eMarks = [*begins, size], [*ends, size]  # plus a guard
        self.tShift, self.sCount = [*shifts, 0], [*widths, 0]
        self.bsCount = [0] * len(self.bMarks)
        self.lineMax = len(begins)

    def _take(self, line: int, mark: str) -> None:
        if mark != "=":
            self.heads.add(line - 1)
        if mark in "-=":
            above = line - 1
            while above >= 0 and above not in self.titles and not self.isEmpty(above):
                self.titles.add(above)
                above -= 1

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:
        if indent or keepLastLF:
            return super().getLines(begin, end, indent, keepLastLF)
        ends = [*(mark + 1 for mark in self.eMarks[begin : end - 1]), *self.eMarks[end - 1 : end]]
        return "".join(map(self.src.__getitem__, map(slice, self.bMarks[begin:end], ends)))

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token: Any = _Token(ttype, tag, nesting)
        self.level -= nesting < 0
        token.level = self.level
        self.level += nesting > 0
        self.tokens.append(token)
        return token  # type: ignore[no-any-return]


class _Token:
    """The parts of a token that block rules set and we read."""

    __slots__ = (
        *("attrs", "block", "children", "content", "hidden", "info", "level", "map", "markup"),
        *("meta", "nesting", "tag", "type"),
    )

    def __init__(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> None:
        self.type, self.tag, self.nesting = ttype, tag, nesting
        self.map, self.content, self.markup = None, "", ""
