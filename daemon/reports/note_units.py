"""The units of a note that are quoted whole: a paragraph, a list or code with what leads to it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from daemon.asking.lists import leads
from daemon.asking.pieces import Kind, Piece, pieces_of
from daemon.asking.statements import Passage, is_stated
from daemon.reports.telling import WITHDRAWS, files, fits, is_entry
from daemon.research.bm25 import terms
from daemon.research.lone_sentences import depends_on_context

_LONGEST = 420  # characters of sentences in a row
_LEAD = 300  # characters of sentences that lead to a list or to code
_LEADING = 3  # sentences
_SESSION = 8  # lines of a session that are quoted with what they printed
_CODE_LINES = 24  # of code that is quoted
_LIST, _ITEMS = 1100, 16  # characters and items of a list that is quoted
_ENDS = re.compile(r"[.!?:;,…。！？：][\"'”’»)\]*_]*$")  # of a sentence
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?%%", re.DOTALL)  # comments, that no reader sees
_FORMULA_BLOCK = re.compile(r"^\$\$[^$]+?\$\$[ \t]*$", re.MULTILINE)
_CALLOUT = re.compile(r"^\[![\w-]+\][+-]?\s*")
_POINTS = re.compile(r"^\W*(?:see also|related|sources?|via|links?|up|tags?)\b", re.IGNORECASE)
_PROMPT = re.compile(r"^\s*(?:\$|❯|%|PS [^>]*>|[\w.-]+@[\w.-]+[^\s]*[$#]) +(?=\S)")
_REPL = re.compile(r"^\s*(?:[\w.:()-]{0,24}(?:>|=[#>])|>>>|\+>?)\s+(?=\S)")
_NO_END = re.compile(r"[^;\s]\s*$")  # of a query
_HERE = re.compile(r"<<-?\s*['\"]?\w+")  # what is typed goes on to this word
_NUMBERED = re.compile(r"^\(?(\d{1,3})[.)]\s")
_BLOCK_ID = re.compile(r"\s\^[\w-]+\s*$")
_ESCAPED = re.compile(r"\\.|\"(?:[^\"\\\n]|\\.)*\"")  # what no single quote in it ends
_ID = re.compile(r"\^[\w-]+")  # of a block
_GOES_ON = re.compile(r"(?:\\|\||&&|\^)\s*$")
_TABLE = re.compile(
    r"^\s*\|.*\|\s*$|^.*\S[ ]+\|[ ]+\S.*$|^\s*[-+=| ]{6,}$|^\(\d+ rows?\)$", re.MULTILINE
)
# What a writer lived through before the matter begins: "A while ago I …", "I've been …".
_STORY = re.compile(
    r"^\W*(?:(?:so|well|today|yesterday|recently|lately|earlier|once|however|also|then|but|and"
    r"|a (?:while|few \w+) (?:ago|back)|(?:last|this|the other) (?:week|year|month|day)),? )*"
    r"(?:I (?:was|had|have (?:an?|been|some)|ran|came|wanted|needed|recently|often|found myself"
    r"|have to|got|tried|grab|usually|like|love|hope|can see)\b"
    r"|I['’](?:ve|d|m) (?:been|had|running|working|using|got|always|never|a)\b"
    r"|we (?:were|had|ran)\b"
    r"|when I\b|some are related\b|it was (?:a|some) \w+ ago|let me\b)"
    r"|\b(?:lately|a while (?:ago|back)|the other day|recently ran into)\b",
    re.IGNORECASE,
)


Wanted = Callable[[str], bool]


def _nothing(_text: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Unit:
    """Sentences in a row, with the list or the code below; `place` is its order in the note.

    `after` is the paragraph below it, which may say that it does not work.
    """

    section: Passage
    place: int
    sentences: tuple[str, ...]
    below: tuple[str, ...] = ()
    is_code: bool = False
    after: str = ""

    @property
    def text(self) -> str:
        """The sentences on one line."""
        return " ".join(self.sentences)

    @property
    def whole(self) -> str:
        """All of it, one line a line below."""
        return "\n".join(filter(None, (self.text, *self.below)))


def units_of(passages: Iterable[Passage], is_wanted: Wanted = _nothing) -> list[Unit]:
    """Return the units of a note in their order; a wanted sentence may begin one in any case."""
    found: list[Unit] = []
    for each in passages:
        text = _FORMULA_BLOCK.sub(_on_one_line, _HIDDEN.sub("\n\n", each.text))
        section = replace(each, text=text)
        blocks = [list(its) for _, its in groupby(pieces_of(section), key=_block)]
        for at in range(len(blocks)):
            found += _of_block(section, blocks, at, len(found), is_wanted)
    return _with_numbers(found)


def points(text: str) -> bool:
    """Return whether a line only says where more is."""
    return _POINTS.match(text) is not None


def is_story(text: str) -> bool:
    """Return whether a sentence tells what its writer lived through."""
    return _STORY.search(text) is not None


def _block(piece: Piece) -> tuple[int, Kind]:
    return piece.block, piece.kind


def _of_block(
    section: Passage, blocks: Sequence[list[Piece]], at: int, place: int, is_wanted: Wanted
) -> Iterator[Unit]:
    block = blocks[at]
    kind = block[0].kind
    before = blocks[at - 1] if at else []
    if _is_formula(block):
        lead = before if before and before[0].kind is Kind.TEXT else []
        yield Unit(section, place, _lead(lead), tuple(each.shown for each in block))
    elif kind is Kind.TEXT and not _leads_on(block, blocks[at + 1 : at + 2]):
        yield from _paragraph(section, block, place, is_wanted)
    elif kind is Kind.ITEM:
        lead = before if before and _leads_on(before, [block]) else []
        listed = _listed(section, block, is_wanted)
        if listed:
            yield Unit(section, place, _lead(lead), listed)
    elif kind is Kind.CODE:
        lines = code_shown(block[0].shown)
        lead = before if before and before[0].kind in (Kind.TEXT, Kind.HEAD) else []
        after = blocks[at + 1 : at + 2]
        rest = _said(after[0]) if after and after[0][0].kind is Kind.TEXT else ""
        if lines or lead:
            yield Unit(section, place, _lead(lead), lines, is_code=bool(lines), after=rest)


def _leads_on(block: Sequence[Piece], after: Sequence[Sequence[Piece]]) -> bool:
    """Return whether a paragraph leads to the list or the code below it."""
    if not after or block[-1].kind not in (Kind.TEXT, Kind.HEAD):
        return False
    kind, last = after[0][0].kind, block[-1].shown
    if _is_formula(after[0]):
        return not _is_formula(block)
    return kind is Kind.CODE or (kind is Kind.ITEM and (leads(last) or not _ENDS.search(last)))


def _said(block: Iterable[Piece]) -> str:
    return " ".join(each.shown for each in block)


def _paragraph(
    section: Passage, block: Sequence[Piece], place: int, is_wanted: Wanted
) -> Iterator[Unit]:
    """Yield a paragraph; a long one in parts, none of which ends before what takes it back."""
    taken: list[str] = []
    for each in block:
        text = _BLOCK_ID.sub("", _CALLOUT.sub("", each.shown))
        if _ID.fullmatch(text.strip()):
            continue
        is_one = bool(each.said) and (
            _may_follow(each, section.name, is_first=not taken) or is_wanted(text)
        )
        is_withdrawn = bool(taken) and WITHDRAWS.match(text) is not None
        length = sum(map(len, taken)) + len(text)
        if taken and (not is_one or (length > _LONGEST and not is_withdrawn)):
            yield Unit(section, place, tuple(taken))
            taken = []
        if is_one and (taken or not files(text)):
            taken.append(text)
    if taken:
        yield Unit(section, place, tuple(taken))


def _may_follow(piece: Piece, title: str, *, is_first: bool) -> bool:
    """Return whether a sentence is quoted: the first of a row states something, a short one only
    adds to it.
    """
    if is_entry(piece.shown) or piece.shown.rstrip().endswith(("?", "？")):
        return False
    names_title = set(terms(title)) <= set(terms(piece.shown))
    is_alone = fits(piece.shown) or names_title or not depends_on_context(piece.shown)
    return not is_first or (is_alone and is_stated(piece.said[0]))


def _lead(block: Sequence[Piece]) -> tuple[str, ...]:
    """Return the last sentences of a paragraph, from one that depends on none before it."""
    taken: list[str] = []
    for each in reversed(block):
        if taken and (
            len(taken) >= _LEADING
            or sum(map(len, taken)) + len(each.shown) > _LEAD
            or is_story(each.shown)
            or not depends_on_context(taken[0])
        ):
            break
        taken.insert(0, _BLOCK_ID.sub("", _CALLOUT.sub("", each.shown)))
    return tuple(taken) if taken and not _POINTS.match(taken[-1]) else ()


def _listed(section: Passage, block: Sequence[Piece], is_wanted: Wanted) -> tuple[str, ...]:
    """Return the items of a list, if they are not too many; of many the first, and how many
    there are. What is below another item begins with spaces.
    """
    lines: list[str] = []
    items = [each for each in block if any(map(str.isalpha, each.shown))]
    margins: list[int] = []
    for each in items:
        wanted = [one.text for one in each.said if is_wanted(one.text)]
        shown = f"- {' '.join(wanted)}" if wanted and not is_wanted(each.shown) else each.shown
        if not wanted and (len(lines) >= _ITEMS or sum(map(len, lines)) + len(each.shown) > _LIST):
            continue
        margin = _margin(section.text, each)
        margins = [*(one for one in margins if one < margin), margin]
        lines.append(f"{'  ' * (len(margins) - 1)}{shown}")
    more = len(items) - len(lines)
    return (*lines, f"({more} more)") if more and lines else tuple(lines)


def _margin(text: str, item: Piece) -> int:
    """Return how far an item is indented in its section."""
    start = text.find(item.said[0].source) if item.said else -1
    line = text[text.rfind("\n", 0, start) + 1 : max(start, 0)]
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _is_formula(block: Sequence[Piece]) -> bool:
    """Return whether a paragraph is a formula."""
    shown = _said(block).strip()
    return block[0].kind is Kind.TEXT and shown.startswith("$$") and shown.endswith("$$")


def _on_one_line(formula: re.Match[str]) -> str:
    return f"\n\n{' '.join(formula[0].split())}\n\n"


def code_shown(code: str) -> tuple[str, ...]:
    """Return code as it is quoted: of a terminal the commands, without what they printed.

    None of a table, nor of code that is longer than can be quoted whole.
    """
    lines = code.split("\n")
    typed = sum(_REPL.match(line) is not None for line in lines)
    is_session = _REPL.match(lines[0]) is not None and typed < len(lines) > _SESSION
    is_table = 2 * len(_TABLE.findall(code)) > len(lines)
    if _HERE.search(code):
        shown = [_PROMPT.sub("", line) for line in lines]
    elif any(map(_PROMPT.match, lines)):
        shown = _commands(lines, _PROMPT, _GOES_ON)
    elif is_session or is_table:
        shown = _commands(lines, _REPL, _NO_END)
    else:
        shown = lines
    is_whole = len(shown) <= _CODE_LINES and shown[-1:] != ["…"]
    return tuple(shown) if is_whole else ()


def _commands(lines: Iterable[str], prompt: re.Pattern[str], goes_on: re.Pattern[str]) -> list[str]:
    """Return what was typed: the lines with a prompt, without it, and those that go on."""
    found: list[str] = []
    is_open = False
    for line in lines:
        is_typed = prompt.match(line) is not None
        if is_typed or is_open:
            found.append(prompt.sub("", line))
            is_open = goes_on.search(line) is not None or _is_quote_open("\n".join(found))
    return found


def _is_quote_open(command: str) -> bool:
    """Return whether a quote in a command goes on in the next line."""
    return _ESCAPED.sub("", command).count("'") % 2 == 1


def _with_numbers(units: Iterable[Unit]) -> list[Unit]:
    """Return units, of which lists that go on with the next number are one."""
    found: list[Unit] = []
    last: dict[int, int] = {}  # the number that a list ended with, by its place
    for each in units:
        numbers = [int(one[1]) for line in each.below if (one := _NUMBERED.match(line))]
        before = next((at for at in reversed(last) if found[at].section is each.section), None)
        is_list = bool(numbers) and not each.is_code
        if is_list and before is not None and not each.sentences and numbers[0] == last[before] + 1:
            found[before] = replace(found[before], below=(*found[before].below, *each.below))
            last[before] = numbers[-1]
            continue
        if is_list:
            last[len(found)] = numbers[-1]
        found.append(each)
    return found
