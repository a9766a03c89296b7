"""The lead of a note: what it says first that can be understood beside the note's name, with the
list or the code that it introduces. Pure.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from daemon.asking.lists import code_below, leads, list_around
from daemon.asking.statements import Passage, Statement, follow_directly, is_stated, parts_of
from daemon.model.finding import NoteLine
from daemon.reports.telling import files, fits, is_entry, is_math, is_whole
from daemon.reports.verdicts import verdict_in
from daemon.research.bm25 import terms
from daemon.research.lone_sentences import depends_on_context

_NEAR = 6  # leads, among which one that begins with what the note is named after comes first
_BEGINNING = 8  # words
_LONGEST = 320  # characters of statements in a row
_IN_A_ROW = 3  # statements
_BEFORE_CODE = 2  # statements
_MOST_ITEMS = 5  # of a list
_FEWEST_WORDS = 3  # of a statement that leads to a list or to code
_LONGEST_ITEM = 160  # characters
_FENCED = re.compile(
    r"^[ \t]*(?:`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE | re.DOTALL
)
_IMAGE = re.compile(r"\s*(?:Pasted image \d+|\S+)\.(?:png|jpe?g|webp|svg|gif)\s*$", re.IGNORECASE)
# What follows takes back what is said before, also in the next paragraph.
_WITHDRAWS = re.compile(
    r"^\W*(?:but|however|yet|except|not (?:so|quite|really|exactly)|don['’]t|in fact|actually"
    r"|you should(?:n['’]t| not)|that(?:['’]s| is) (?:not|wrong|false|a lie)|this is (?:not"
    r"|wrong|false)"
    r"|there['’]s (?:just |only )?one problem|or (?:is|does|did|was)\b|it (?:isn['’]t|wasn['’]t"
    r"|doesn['’]t))",
    re.IGNORECASE,
)
_LINK = re.compile(r"\W*(?:\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\([^()]*\))\W*")
_MARK = re.compile(r"[ \t>]*(?:[-*+•‣▪–—]|\(?\d{1,3}[.)])[ \t]+(?:\[.\][ \t]+)?[*_]*$")
# "It is a tool …" at the beginning of a note is about what the note is named after.
_OF_TITLE = re.compile(r"^\W*(?:it|this|these|they|he|she) (?:[a-z]\w+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lead:
    """Statements in a row, and the lines of the list or the code that the last of them introduces.

    Of a note that begins with a list, there are only lines. `then` is the sentence before the
    code, if that is further below.
    """

    statements: tuple[Statement, ...]
    below: tuple[str, ...] = ()
    is_code: bool = False
    then: str = ""
    verdict: str = ""

    @property
    def text(self) -> str:
        """The statements, on one line."""
        return " ".join(_IMAGE.sub("", each.text) for each in self.statements)

    def line(self, path: str) -> NoteLine:
        """Return the lead as a line of its note, with the verdict on what it claims."""
        then = "".join(f" […] {each}" for each in (self.then, self.verdict) if each)
        return NoteLine(path, f"{_unquoted(self.text)}{then}", self.below, is_code=self.is_code)


def _unquoted(text: str) -> str:
    """Return a text without the quotation marks around all of it."""
    inside = text.strip().strip('"“”')
    return text if '"' in inside or "“" in inside else inside


def lead_of(
    passages: Sequence[Passage],
    asked: frozenset[str] = frozenset(),
    shown: Collection[str] = (),
) -> Lead | None:
    """Return the lead of a note; with words that are asked for, that of what the note says on them.

    `shown` are texts of leads of other notes, of which this one may be a copy. Returns None if
    nothing can be understood alone.
    """
    every = (each for each in _leads(passages, asked) if not each.text or each.text not in shown)
    found = list(islice(every, _NEAR))
    named = set(terms(passages[0].name)) if passages else set()
    found.sort(key=lambda one: (not _names(one, named), not one.statements))
    best = found[0] if found else None
    if best is None:
        return None
    whole = best if asked or best.below else _with_code(best, passages)
    return replace(whole, verdict="" if asked else verdict_in(passages))


def _with_code(lead: Lead, passages: Iterable[Passage]) -> Lead:
    """Return a lead with the first code of its note, and the statement that introduces it."""
    for passage in passages:
        for part in parts_of(passage):
            then, code = _code_under(part)
            if code and is_stated(part):
                if part in lead.statements:
                    return replace(lead, below=code, is_code=True, then=then)
                before = lead.statements[:_BEFORE_CODE]
                then = then or (part.text if before else "")
                return Lead(before or (part,), code, is_code=True, then=then)
    return lead


def _code_under(part: Statement) -> tuple[str, tuple[str, ...]]:
    """Return the lines of the code below a statement, and the sentence between that leads to it."""
    lines = code_below(part.passage, part).split("\n")
    written = {
        line.strip() for code in _FENCED.findall(part.passage.text) for line in code.split("\n")
    }
    if lines == [""] or lines[0].strip() in written:
        return "", tuple(lines) if lines != [""] else ()
    between = (each.text for each in parts_of(part.passage) if lines[0].endswith(each.text))
    return next(between, ""), tuple(lines[1:])


def _leads(passages: Iterable[Passage], asked: frozenset[str]) -> Iterator[Lead]:
    is_opening = not asked
    for passage in passages:
        parts = parts_of(passage)
        follows = follow_directly(parts)
        place = set(terms(passage.heading))
        for at, part in enumerate(parts):
            if asked <= place | set(terms(part.text)):
                start = _start(parts, follows, at, is_opening=is_opening)
                lead = None
                if start is not None and asked and _is_item(parts[start]):
                    lead = Lead((parts[start],))
                elif start is not None:
                    lead = _from(parts, follows, start)
                if lead is not None:
                    yield lead
            is_opening = False


def _start(
    parts: Sequence[Statement], follows: Sequence[bool], at: int, *, is_opening: bool
) -> int | None:
    """Return where to begin so that a part can be understood: with it, or with the one before."""
    if _may_begin(parts[at], is_opening=is_opening):
        return at
    before = at - 1
    is_near = at > 0 and follows[at] and _continues(parts[before], parts[at])
    return before if is_near and is_stated(parts[at]) and _may_begin(parts[before]) else None


def _may_begin(part: Statement, *, is_opening: bool = False) -> bool:
    text = part.text
    is_title = set(terms(text)) <= set(terms(part.passage.name)) and not leads(text)
    if is_title or is_entry(_line_of(part)) or _LINK.fullmatch(part.source.strip()):
        return False
    about_title = is_opening and is_whole(text) and _OF_TITLE.match(text) and not files(text)
    introduces = leads(text) and len(text.split()) >= _FEWEST_WORDS and not depends_on_context(text)
    return bool(fits(text) or about_title or introduces) and is_stated(part)


def _from(parts: Sequence[Statement], follows: Sequence[bool], at: int) -> Lead | None:
    """Return a lead from a part on, as far as its paragraph and the space go."""
    if _is_item(parts[at]):
        return _listed(parts[at])
    taken = [parts[at]]
    for place in range(at + 1, min(at + _IN_A_ROW, len(parts))):
        length = sum(len(each.text) for each in (*taken, parts[place]))
        is_withdrawn = _WITHDRAWS.match(parts[place].text) is not None
        is_next = follows[place] and (is_withdrawn or _continues(taken[-1], parts[place]))
        is_fitting = is_stated(parts[place]) and not files(parts[place].text)
        if not (is_next and is_fitting) or (length > _LONGEST and not is_withdrawn):
            break
        taken.append(parts[place])
    while taken:
        below, is_code, then = _below(taken[-1])
        if below or not leads(taken[-1].text):
            return Lead(tuple(taken), below, is_code, then)
        taken.pop()
    return None


def _continues(one: Statement, other: Statement) -> bool:
    """Return whether a statement is in the paragraph of the one before, or leads to code."""
    text = one.passage.text
    end = text.find(one.source) + len(one.source)
    between = text[end : text.find(other.source, end)]
    is_near = "\n\n" not in between and not _is_item(other)
    return not leads(one.text) and (is_near or leads(other.text))


def _line_of(part: Statement) -> str:
    """Return the line that a part stands in."""
    text = part.passage.text
    start = text.find(part.source)
    return text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]


def _is_item(part: Statement) -> bool:
    text = part.passage.text
    start = text.find(part.source)
    return _MARK.match(text[text.rfind("\n", 0, start) + 1 : max(start, 0)]) is not None


def _listed(part: Statement) -> Lead | None:
    text, said = list_around(part.passage, part.text)
    lines = text.split("\n") if said else []
    if said and leads(lines[0]):
        lines = lines[1:]
    return Lead((), _first_of(lines)) if lines else Lead((part,))


def _below(last: Statement) -> tuple[tuple[str, ...], bool, str]:
    """Return the lines of the list that a statement leads to, or of the code below it with what
    leads to that.
    """
    if leads(last.text):
        listed, said = list_around(last.passage, last.text)
        if said and said[0].text == last.text:
            return _first_of(listed.split("\n")[1:]), False, ""
    then, code = _code_under(last)
    return code, bool(code), then


def _first_of(lines: Sequence[str]) -> tuple[str, ...]:
    kept = [_cut(each) for each in lines if each != "…" and not is_math(each)][:_MOST_ITEMS]
    return (*kept, "…") if len(kept) < len(lines) else tuple(kept)


def _cut(item: str) -> str:
    if len(item) <= _LONGEST_ITEM:
        return item
    begin = item[:_LONGEST_ITEM]
    return f"{begin.rpartition(' ')[0] or begin} …"


def _names(lead: Lead, named: set[str]) -> bool:
    """Return whether a lead begins with what its note is named after."""
    begins = set(terms(" ".join(lead.text.split()[:_BEGINNING])))
    return bool(named) and len(named & begins) * 2 > len(named)
