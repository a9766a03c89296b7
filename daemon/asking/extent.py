"""How much of a note or a document is quoted around the statement that answers. Pure.

A reader sees paragraphs, lists and code, and one often leads to the next. An extent is such a
stretch without a gap, never across a heading.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from daemon.asking.lists import leads
from daemon.asking.pieces import Kind, Piece, pieces_of
from daemon.asking.statements import Passage, Statement, is_stated
from daemon.research.lone_sentences import DEPENDS_ON_CONTEXT

FIRST, FURTHER = 560, 420  # characters of prose in the first extent that is shown, and in others
_LIST, _SHORT_LIST = 900, 600  # characters of a list in the first extent, and in others
_GUIDE = 900  # characters of prose of a section with code that is quoted whole
_CODE_LINE = 40  # characters of prose that a line of code takes the space of
_ALL_CODE_LINES = 30  # of an extent
_BEFORE = 2  # sentences that another one needs before it
_ENDS = re.compile(r"[.!?:;,…。！？：][\"'”’»)\]*_]*$")  # of a sentence, and of no item of a list


@dataclass(frozen=True, slots=True)
class Extent:
    """A stretch of a section: `pieces[first:last + 1]`, with `at`, which answers."""

    section: Passage
    pieces: Sequence[Piece]
    at: int
    first: int
    last: int

    @property
    def shown(self) -> Sequence[Piece]:
        """The pieces that are quoted."""
        return self.pieces[self.first : self.last + 1]

    @property
    def text(self) -> str:
        """What is quoted, one line a paragraph, an item or a line of code."""
        text = ""
        before: Piece | None = None
        for each in self.shown:
            is_same = before is not None and before.block == each.block and each.kind is Kind.TEXT
            joined = is_same and before is not None and _ENDS.search(before.shown) is not None
            text += (" " if joined else "\n") + each.shown
            before = each
        cut = self.shown[-1].kind is Kind.ITEM and self._is_cut
        return f"{text}\n…".strip() if cut else text.strip()

    @property
    def _is_cut(self) -> bool:
        """Return whether the list at the end goes on."""
        after = self.pieces[self.last + 1 : self.last + 2]
        return bool(after) and after[0].block == self.pieces[self.last].block

    @property
    def source(self) -> str:
        """The beginning as it is written."""
        return next((one.source for each in self.shown for one in each.said), "")

    def touches(self, other: "Extent") -> bool:
        """Return whether two extents of a section overlap or follow each other directly."""
        if (self.section.ref, self.section.line) != (other.section.ref, other.section.line):
            return False
        one, two = sorted((self, other), key=lambda each: each.shown[0].place)
        after = one.pieces[one.last + 1 : one.last + 2] or one.pieces[one.last :]
        return two.shown[0].place <= after[0].place

    def joined(self, other: "Extent") -> "Extent":
        """Return both as one."""
        known = {each.place: each for each in (*self.pieces, *other.pieces)}
        places = sorted(known)
        quoted = {each.place for one in (self, other) for each in one.shown}
        return Extent(
            self.section,
            [known[place] for place in places],
            places.index(self.pieces[self.at].place),
            places.index(min(quoted)),
            places.index(max(quoted)),
        )


def extent_of(
    section: Passage,
    statement: Statement,
    room: int,
    worth: Mapping[str, float] | None = None,
    unwanted: Collection[str] = (),
    keys: Collection[str] = (),
) -> Extent | None:
    """Return what is quoted around a statement; None if the section does not have it.

    `room` is the number of characters up to which paragraphs around it are added, those with the
    higher `worth` of their statements first. Statements whose text is `unwanted` are never quoted.
    """
    pieces = pieces_of(section, statement.source, keys, unwanted)
    at = _place(pieces, statement)
    return _Growing(pieces, at, room, worth or {}).grown(section) if at is not None else None


def _place(pieces: Sequence[Piece], statement: Statement) -> int | None:
    """Return the place of the piece that a statement is in."""
    tests: Sequence[Callable[[Statement], bool]] = (
        lambda one: one.source == statement.source,
        lambda one: one.text == statement.text,
        lambda one: statement.text in one.text,
    )
    for test in tests:
        for at, each in enumerate(pieces):
            if each.kind is not Kind.BREAK and any(map(test, each.said)):
                return at
    return None


def _may_lead(piece: Piece) -> bool:
    """Return whether a line before a list leads to it: it ends with a colon, or with no mark."""
    ends = leads(piece.shown) or not _ENDS.search(piece.shown)
    return piece.kind is Kind.TEXT and ends


@dataclass(slots=True)
class _Growing:
    """Pieces around the one that answers, and how many are taken."""

    pieces: Sequence[Piece]
    at: int
    room: int
    worth: Mapping[str, float]
    first: int = -1
    last: int = -1
    is_guide: bool = False  # text with code is read on, to what is to be done

    def grown(self, section: Passage) -> Extent:
        self.first = self.last = self.at
        begin, end = self._run()
        self.is_guide = any(each.kind is Kind.CODE for each in self.pieces[begin : end + 1])
        if self._may_be_whole(begin, end):
            self.first, self.last = begin, end
        else:
            self._take_list()
            self._complete()
            while self._grow():
                self._complete()
        self._trim()
        return Extent(section, self.pieces, self.at, self.first, self.last)

    def _run(self) -> tuple[int, int]:
        """Return the first and the last piece that no break divides from the one that answers."""
        begin = end = self.at
        while self._may_go_to(begin - 1):
            begin -= 1
        while self._may_go_to(end + 1):
            end += 1
        return begin, end

    def _may_go_to(self, place: int) -> bool:
        """Return whether an extent that reaches to the piece beside one may have it, too: it never
        goes across a head, and ends before the next.
        """
        if not self._is_open(place):
            return False
        heads = (at for at in range(min(place, self.at), max(place, self.at) + 1))
        passed = [at for at in heads if self.pieces[at].kind is Kind.HEAD]
        return passed in ([], [self.at] if place > self.at else [place])

    def _is_open(self, place: int) -> bool:
        return 0 <= place < len(self.pieces) and self.pieces[place].kind is not Kind.BREAK

    def _may_be_whole(self, begin: int, end: int) -> bool:
        """Return whether all that no break divides is short: instructions with code may be longer,
        as a part of them is of no use.
        """
        run = self.pieces[begin : end + 1]
        prose, code = sum(each.cost for each in run), sum(each.lines for each in run)
        most = _GUIDE if code and self.room >= FIRST else self.room
        return prose <= most and code <= _ALL_CODE_LINES

    def _take_list(self) -> None:
        """Take the whole list of an item, or as much of it as there is space for."""
        if self.pieces[self.at].kind is not Kind.ITEM:
            return
        begin, end = self._block(self.at)
        if self._prose(begin, self.at) <= self._most_of_list:
            self.first = begin
        while self.last < end and self._prose(self.first, self.last + 1) <= self._most_of_list:
            self.last += 1

    @property
    def _most_of_list(self) -> int:
        return _LIST if self.room >= FIRST else _SHORT_LIST

    def _block(self, place: int) -> tuple[int, int]:
        """Return the first and the last piece of the block that a piece is in."""
        begin = end = place
        number = self.pieces[place].block
        while self._is_open(begin - 1) and self.pieces[begin - 1].block == number:
            begin -= 1
        while self._is_open(end + 1) and self.pieces[end + 1].block == number:
            end += 1
        return begin, end

    def _prose(self, first: int, last: int) -> int:
        return sum(each.cost for each in self.pieces[first : last + 1])

    def _complete(self) -> None:
        """Add what the pieces that are taken cannot be read without."""
        for _ in range(_BEFORE):
            if self._needs_before():
                self.first -= 1
        if self._leads_on():
            begin, end = self._block(self.last + 1)
            self.last = begin
            while self.last < end and self._prose(begin, self.last + 1) <= self._most_of_list:
                self.last += 1
            if self._leads_on():  # from code to code
                self._complete()

    def _needs_before(self) -> bool:
        """Return whether the first piece refers to the one before it."""
        if not self._may_go_to(self.first - 1):
            return False
        first, before = self.pieces[self.first], self.pieces[self.first - 1]
        if first.kind is Kind.TEXT:
            return before.kind is Kind.TEXT and bool(DEPENDS_ON_CONTEXT.search(first.shown))
        is_begun = first.block != before.block
        is_led = first.kind is Kind.CODE or _may_lead(before)
        return is_begun and is_led and before.kind is Kind.TEXT

    def _leads_on(self) -> bool:
        """Return whether the last piece leads to the one after it: a list, or code."""
        if not self._may_go_to(self.last + 1):
            return False
        last, after = self.pieces[self.last], self.pieces[self.last + 1]
        if last.block == after.block or self._code_lines() + after.lines > _ALL_CODE_LINES:
            return False
        return after.kind is Kind.CODE or (after.kind is Kind.ITEM and _may_lead(last))

    def _code_lines(self) -> int:
        return sum(each.lines for each in self.pieces[self.first : self.last + 1])

    def _grow(self) -> bool:
        """Take the better one of what is before and after, and return whether there is space."""
        steps = [self._step(self.last + 1, 1), self._step(self.first - 1, -1)]
        fitting = [each for each in steps if each is not None]
        if not fitting:
            return False
        heads = [each for each in fitting if self.pieces[each[0]].kind is Kind.HEAD]
        best = fitting[0] if self.is_guide else max(fitting, key=self._worth_of)
        best = heads[0] if heads else best
        self.first, self.last = min(self.first, best[0]), max(self.last, best[1])
        return True

    def _step(self, place: int, way: int) -> tuple[int, int] | None:
        """Return the next block as a whole, of a paragraph else the next sentence; None if there
        is no space for it.
        """
        if not self._may_go_to(place):
            return None
        left = self.room - self._prose(self.first, self.last)
        begin, end = self._block(place)
        begin, end = (place, end) if way > 0 else (begin, place)
        if self._prose(begin, end) > left and self.pieces[place].kind is Kind.TEXT:
            begin = end = place
        lines = sum(each.lines for each in self.pieces[begin : end + 1])
        fits = self._prose(begin, end) + _CODE_LINE * lines <= left
        return (begin, end) if fits and self._code_lines() + lines <= _ALL_CODE_LINES else None

    def _worth_of(self, span: tuple[int, int]) -> float:
        said = (one for each in self.pieces[span[0] : span[1] + 1] for one in each.said)
        return max((self.worth.get(one.text, float("-inf")) for one in said), default=0.0)

    def _trim(self) -> None:
        """Drop questions and lines that only say where more is from both ends."""
        while self.first < self.at and self._is_idle(self.first):
            self.first += 1
        while self.last > self.at and self._is_idle(self.last):
            self.last -= 1

    def _is_idle(self, place: int) -> bool:
        piece = self.pieces[place]
        if piece.kind is not Kind.TEXT or leads(piece.shown):
            return piece.kind is Kind.TEXT and place == self.last
        return not any(map(is_stated, piece.said))
