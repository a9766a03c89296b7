"""markdown-it's rule for lists, without what only a renderer needs.

It creates no tokens, and does not distinguish loose lists from tight ones. The content of items,
and the end of a list, are as in `markdown_it.rules_block.list`.
"""

# ruff: noqa: FBT001, FBT003 - signatures are markdown-it's

import re

from markdown_it.rules_block import StateBlock

# A bullet or a number, alone on its line or followed by a space.
_MARK = re.compile(r"(?:[0-9]{1,9}([.)])|[-+*])(?=[ \t]|\Z)")
_SPACE = re.compile(r"[ \t]*")
_WIDEST = 4  # spaces after a mark; with more, code follows


def list_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a list that begins on the line `start`; if `silent`, only return whether there is
    one.
    """
    if state.is_code_block(start) or _goes_on(state, start):
        return False
    found = _mark_of(state, start)
    if found is None or (silent and not _may_interrupt(state, start, found)):
        return False
    if silent:
        return True
    [ends] = state.md.block.ruler.getRules("list")
    kind, kept = _kind(found), state.parentType
    state.parentType = "list"
    state.level += 2  # of the list, and of the item
    line = start
    while True:
        _parse_item(state, line, end, found.end())
        line = state.line
        if line >= end or state.sCount[line] < state.blkIndent or state.is_code_block(line):
            break
        found = None if ends(state, line, end, True) else _mark_of(state, line)
        if found is None or _kind(found) != kind:
            break
    state.level -= 2
    state.parentType = kept
    return True


def _mark_of(state: StateBlock, line: int) -> re.Match[str] | None:
    return _MARK.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line])


def _kind(found: re.Match[str]) -> str:
    """Return what the items of one list share: the sign that ends their marks."""
    return found[0][-1]


def _goes_on(state: StateBlock, line: int) -> bool:
    """Return whether a mark that is indented deeply inside an item only continues its text."""
    indent = state.sCount[line]
    return 0 <= state.listIndent <= indent - 4 and indent < state.blkIndent


def _may_interrupt(state: StateBlock, line: int, found: re.Match[str]) -> bool:
    """Return whether a list may interrupt a paragraph: with text, numbered 1."""
    if state.parentType != "paragraph" or state.sCount[line] < state.blkIndent:
        return True
    if found[1] is not None and int(found[0][:-1]) != 1:
        return False
    return _text_after(state, line, found.end()) < state.eMarks[line]


def _text_after(state: StateBlock, line: int, at: int) -> int:
    found = _SPACE.match(state.src, at, state.eMarks[line])
    return found.end() if found is not None else at


def _parse_item(state: StateBlock, line: int, end: int, after_mark: int) -> None:
    """Parse the item that begins on a line, with everything indented below it."""
    text = _text_after(state, line, after_mark)
    begin = state.bMarks[line] + state.tShift[line]
    least = state.sCount[line] + after_mark - begin
    offset = least + text - after_mark
    if "\t" in state.src[after_mark:text]:
        offset = _expanded(state, line, least, after_mark, text)
    is_empty = text >= state.eMarks[line]
    behind = 1 if is_empty or offset - least > _WIDEST else offset - least
    kept = state.tShift[line], state.sCount[line], state.listIndent
    state.listIndent, state.blkIndent = state.blkIndent, least + behind
    state.tShift[line], state.sCount[line] = text - state.bMarks[line], offset
    if is_empty and state.isEmpty(line + 1):  # two empty lines end it
        state.line = min(state.line + 2, end)
    else:
        state.md.block.tokenize(state, line, end)
    state.blkIndent = state.listIndent
    state.tShift[line], state.sCount[line], state.listIndent = kept


def _expanded(state: StateBlock, line: int, offset: int, at: int, end: int) -> int:
    """Return the indentation of a text with tabs before it."""
    for sign in state.src[at:end]:
        offset += 4 - (offset + state.bsCount[line]) % 4 if sign == "\t" else 1
    return offset
