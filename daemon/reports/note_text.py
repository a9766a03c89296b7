"""What a note says, as its reader sees it: whole if it is short, else how each section begins.

Nothing is cut in silence: what is not quoted is counted and named. Pure.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from textwrap import dedent

from markdown_it import MarkdownIt
from markdown_it.token import Token

from daemon.asking.statements import Passage, may_be_shown_alone
from daemon.index.plain_text import FORMULA
from daemon.language.words import segments
from daemon.model.finding import BlockKind, NoteBlock, NoteLine
from daemon.model.wording import counted
from daemon.research.bm25 import terms
from vault_adapters.shown import parser_for_readers

_WHOLE, _WITHOUT_HEADINGS = 160, 300  # words of a note that is quoted whole
_OWN = 600  # words of a topic's own note
_LINES = 60  # of code in such a note
_WORDS = 200  # of a longer note
_BRIEF = 80  # words of a longer note among many
_LONG = 120  # words of a paragraph, of which the lines may be paragraphs
_MENTION = 150  # words around a mention
_FEWEST = 2  # words that a mention has besides the topic
_FEW_ITEMS = 6  # at the end of a list, that are never cut off
_NAMED = 12  # sections that are named
# Comments, that no reader sees; in code they are text.
_HIDDEN = re.compile(
    r"(?P<fence>^[ \t>]*(?P<marks>`{3,}|~{3,}).*?^[ \t>]*(?P=marks))"
    r"|<!--.*?(?:-->|\Z)|%%.*?%%",
    re.DOTALL | re.MULTILINE,
)
_DENDRON = re.compile(
    r"!?\[\[([^\[\]|]+)\|(?:dendron://[^\[\]]*|[a-z][\w-]*(?:\.[\w-]+)+[^\[\]]*)\]\]"
)
_SHOWN_AS_CODE = re.compile(r"!?\[\[(`[^`\n]+`)\|[^\[\]]*\]\]")
_SHOWN_AS = re.compile(r"!?\[\[[^\[\]|]*\|([^\[\]]*)\]\]")
_WIKILINK = re.compile(r"!?\[\[([^\[\]]*)\]\]")
_LINK_ALONE = re.compile(r"\W*(?:source|link|via|h/t|reference)s?\W*", re.IGNORECASE)
_POINTS = re.compile(r"^\W*(?:see also|related|sources?|via|links?|up|tags?)\b\W", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_MARKS = re.compile(r"==|~~|\[\^[\w-]+\]:?|^\[![\w-]+\][+-]?|(?:^|\s)\^[\w-]+\s*$")
_KEPT = re.compile("\ufdd0(\\d+)\ufdd1")
_SENTENCE = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")
_LEADS = re.compile(r"[:：][\"'”’»)\]*_]*$")

Group = list[NoteBlock]
"""A paragraph, a list with its items, or code."""


def groups_of(section: Passage) -> list[Group]:
    """Return the paragraphs, lists, tables and code of a section."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if found["code"] is not None:
            return found[0]
        kept.append(" ".join(found[0].split()))
        return f"\ufdd0{len(kept) - 1}\ufdd1"

    text = _HIDDEN.sub(lambda one: one["fence"] or "\n\n", section.text)
    text = FORMULA.sub(keep, text)
    found = [list(each) for each in _groups(text)]
    return [
        [
            replace(each, text=_KEPT.sub(lambda one: kept[int(one[1])], each.text))
            if may_be_shown_alone(each.text)
            else _more("… a line that addresses a machine")
            for each in group
        ]
        for group in found
        if not _LINK_ALONE.fullmatch(group[0].text)
    ]


def quote_of(
    passages: Sequence[Passage], *, is_brief: bool = False, is_own: bool = False
) -> NoteLine | None:
    """Return what a note says; None if it has no text. More of a topic's own note is quoted, and
    less of one among many.
    """
    sections = [(each.heading, groups_of(each)) for each in passages]
    sections = [(heading, groups) for heading, groups in sections if groups]
    if not sections:
        return None
    every = [each for _, groups in sections for group in groups for each in group]
    words, code = sum(map(_words, every)), sum(_code_lines(each) for each in every)
    whole = _WHOLE if any(heading for heading, _ in sections) else _WITHOUT_HEADINGS
    most = _OWN if is_own else _BRIEF if is_brief else _WORDS
    if words <= max(whole, _OWN * is_own) and code <= _LINES:
        blocks = [each for one in sections for each in _section(*one, len(one[1]))]
    else:
        blocks = _beginnings(sections, most)
    return _line(passages[0].ref, blocks)


def mention_in(
    passages: Sequence[Passage], names: Callable[[str], bool], topic: str
) -> NoteLine | None:
    """Return the first paragraph or item with one of the names, whole; an item with those that it
    is below, and those below it. A section whose heading has it is quoted from its beginning.
    """
    for each in passages:
        groups = groups_of(each)
        if groups and each.heading and names(each.heading):
            groups = [its for its in groups if not _is_pointer(its[0].text)] or groups
            return _line(each.ref, list(_section(each.heading, groups, _fitting(groups, _BRIEF))))
        for at, group in enumerate(groups):
            saying = (
                n
                for n, block in enumerate(group)
                if names(block.text) and not _is_pointer(block.text) and _says(block.text, topic)
            )
            place = next(saying, None)
            if place is not None:
                found = _around(group, place)
                if _leads_on(groups, at) and group[0].kind is BlockKind.PARAGRAPH:
                    found = [*found, *groups[at + 1]]
                more = (
                    len(groups)
                    - 1
                    - (groups[at + 1 : at + 2] != [] and found[-1] in groups[at + 1])
                )
                end = [_more(f"… {counted(more, 'more passage')}")] if more else []
                return _line(each.ref, [*_heading(each.heading), *_cut(found, _MENTION), *end])
    return None


def _says(text: str, topic: str) -> bool:
    """Return whether a text says something besides the name of a topic."""
    return len(set(terms(text)) - set(terms(topic))) >= _FEWEST


def _is_pointer(text: str) -> bool:
    return _POINTS.match(text) is not None


def _around(group: Group, place: int) -> Group:
    """Return an item with the items above it in the list, and those below; else all."""
    if group[place].kind is not BlockKind.ITEM:
        return group
    above: Group = []
    depth = group[place].depth
    for each in reversed(group[:place]):
        if each.kind is BlockKind.ITEM and each.depth < depth:
            above.insert(0, each)
            depth = each.depth
    below: Group = []
    for each in group[place + 1 :]:
        if each.depth <= group[place].depth and each.kind is BlockKind.ITEM:
            break
        below.append(each)
    return [*above, group[place], *below]


def _beginnings(sections: Sequence[tuple[str, list[Group]]], words: int) -> Group:
    """Return the beginnings of sections up to a number of words, and the names of the others."""
    found: Group = []
    left = words
    shown, share = 0, words // len(sections)
    for heading, groups in sections:
        if left <= 0:
            break
        many = _fitting(groups, share)
        found += _section(heading, groups, many)
        left -= sum(_words(each) for group in groups[:many] for each in group)
        shown += 1
    others = [_visible(heading) for heading, _ in sections[shown:] if heading]
    if others:
        named = ", ".join(others[:_NAMED])
        more = ", …" if len(others) > _NAMED else ""
        found.append(_more(f"… and {counted(len(others), 'more section')}: {named}{more}"))
    return found


def _fitting(groups: Sequence[Group], words: int) -> int:
    """Return how many groups are quoted: the first with what it leads to, and those that fit."""
    many = 1
    left = words - sum(map(_words, groups[0]))
    while many < len(groups):
        needed = sum(map(_words, groups[many]))
        is_led = _leads_on(groups, many - 1) or groups[many][0].kind is BlockKind.CODE
        after_code = groups[many - 1][0].kind is BlockKind.CODE
        if not (is_led or (after_code and many < len(groups)) or needed <= left):
            break
        left -= needed
        many += 1
        if after_code and left <= 0:
            break
    return many


def _leads_on(groups: Sequence[Group], at: int) -> bool:
    after = groups[at + 1 : at + 2]
    text = groups[at][-1].text
    is_led = bool(after) and after[0][0].kind is not BlockKind.PARAGRAPH
    return is_led and (_LEADS.search(text) is not None or not _SENTENCE.search(text))


def _section(heading: str, groups: Sequence[Group], many: int) -> Iterator[NoteBlock]:
    yield from _heading(heading)
    for group in groups[:many]:
        yield from _cut(group, _WORDS)
    if len(groups) > many:
        yield _more(f"… {counted(len(groups) - many, 'more passage')}")


def _cut(group: Group, words: int) -> Iterator[NoteBlock]:
    """Yield a group; of a long list or long code how much more there is."""
    left = words
    for at, each in enumerate(group):
        if at and left <= 0 and len(group) - at >= _FEW_ITEMS:
            yield _more(f"… {counted(len(group) - at, 'more item')}")
            return
        left -= max(_words(each), 2)
        lines = each.text.split("\n")
        if each.kind is BlockKind.CODE and len(lines) > _LINES:
            yield _more(f"… {len(lines)} lines of code")
        else:
            yield each


def _heading(heading: str) -> list[NoteBlock]:
    return [NoteBlock(BlockKind.HEADING, _visible(heading))] if heading else []


def _more(text: str) -> NoteBlock:
    return NoteBlock(BlockKind.MORE, text)


def _line(path: str, blocks: Sequence[NoteBlock]) -> NoteLine:
    said = (each.text for each in blocks if each.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM))
    return NoteLine(path, " ".join(said), blocks=tuple(blocks))


def _words(block: NoteBlock) -> int:
    return 0 if block.kind is BlockKind.CODE else len(segments(block.text))


def _code_lines(block: NoteBlock) -> int:
    return block.text.count("\n") + 1 if block.kind is BlockKind.CODE else 0


@cache
def _parser() -> MarkdownIt:
    return parser_for_readers(lambda _link: True)


def _groups(text: str) -> Iterator[Group]:
    """Yield the blocks of a text; all of a list are one."""
    lines, tokens = text.split("\n"), iter(_parser().parse(text))
    group: Group = []
    depth, marks = 0, [""]
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            marks = [f"{token.info}." if token.info else "-"]
        elif token.type == "table_open" and token.map is not None:
            table = dedent("\n".join(lines[slice(*token.map)])).strip("\n")
            group.append(NoteBlock(BlockKind.CODE, table, depth))
            _skip(tokens, "table_close")
        elif token.type in ("fence", "code_block"):
            code = token.content.strip("\n")
            group.append(NoteBlock(BlockKind.CODE, code, max(depth, 0)))
        elif token.type == "inline":
            group += _texts(token, depth, marks)
        if depth == 0 and group:
            yield from _divided(group)
            group = []


def _divided(group: Group) -> Iterator[Group]:
    if any(each.kind is BlockKind.ITEM for each in group):
        yield group
    else:
        yield from ([each] for each in group)


def _skip(tokens: Iterator[Token], end: str) -> None:
    for token in tokens:
        if token.type == end:
            return


def _texts(token: Token, depth: int, marks: list[str]) -> Iterator[NoteBlock]:
    """Yield the paragraphs of a token: its lines, if it is long and they are sentences."""
    whole = "".join(_inline(token.children or []))
    lines = [_visible(each) for each in whole.split("\n")]
    lines = [each for each in lines if any(map(str.isalnum, each))]
    ends = sum(_SENTENCE.search(each) is not None for each in lines)
    is_divided = len(whole.split()) > _LONG and 2 * ends > len(lines)
    for text in lines if is_divided else filter(None, [" ".join(lines)]):
        mark = marks.pop() if depth and marks else ""
        kind = BlockKind.ITEM if mark else BlockKind.PARAGRAPH
        yield NoteBlock(kind, text, max(depth - 1, 0) if mark else depth, mark)


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for each in tokens:
        if each.type == "code_inline":
            yield f"`{each.content}`"
        elif each.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif each.type == "text":
            yield each.content


def _visible(text: str) -> str:
    """Return what a reader sees of a line: links by the text that they show; code stays."""
    parts = re.split(r"(`[^`\n]+`)", _SHOWN_AS_CODE.sub(r"\1", text))
    shown = (each if at % 2 else _without_marks(each) for at, each in enumerate(parts))
    return " ".join("".join(shown).split())


def _without_marks(text: str) -> str:
    for mark in (_DENDRON, _SHOWN_AS, _WIKILINK):
        text = mark.sub(r"\1", text)
    return _MARKS.sub("", _TAG.sub("", text))
