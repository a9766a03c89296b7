"""The core of a note: of its units those that answer its title, in their order. Pure.

A unit is weighed by the words that it shares with the title, by its form, and by the
cross-encoder if there is one. What its writer lived through, what fails and what only looks
something up come last.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from daemon.analysis.own_text import is_common_heading
from daemon.asking.statements import Passage
from daemon.index.plain_text import plain
from daemon.language.words import segments
from daemon.model.finding import NoteLine
from daemon.reports.facets import GENERIC
from daemon.reports.note_units import Unit, is_story, units_of
from daemon.reports.telling import files, fits, is_whole
from daemon.research.bm25 import terms
from daemon.research.lone_sentences import depends_on_context
from daemon.research.prior import announces

Rarity = Callable[[str], float]
Judge = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns how well texts answer a title, as logits of a cross-encoder; nothing without one."""

_OF_TITLE, _OF_JUDGE = 2.0, 1.0  # weights of the title's words, and of the cross-encoder
_LOGIT = 10.0  # a relevant text is near it, another one near its negative
_SECTIONS, _ALL_LINES = 14, 70  # of a note of which each section is shown
_WHOLE, _OF_LIST = 20, 8  # items of a list, of a note of few and of many sections
_FEW, _OF_FEW, _OF_FIRST, _OF_SECTION = 3, 6, 4, 2  # sections; units of each
_FEWEST_HEADINGS, _HEADINGS = 4, 20  # of a note, that are named
_FEWEST_LETTERS = 8
_LINES = 3  # of code that the cross-encoder reads
_READ = 12  # units that the cross-encoder reads
_NEAR = 1.3  # below the best unit, from which another is not shown beside it
_ASIDE = 0.5  # of prose in a note with code, which is what it is about
_GUIDE = 16  # units of a note that is about its code; in a longer one, code illustrates
_TASK_WORDS = 3  # of a title that may say what to do; a name is shorter
_OF_CODE = 1.5
_FIRST = 0.4  # of the first unit: what a note is about stands at its beginning
_BEGINNING = 8  # words in which a definition names what it defines
_FAILS = re.compile(
    r"\b(?:silently fail\w*|fail(?:s|ed|ing)|(?:does|did|do|will|would|is|was)(?:n['’]t| not)"
    r" (?:actually |quite |really )?(?:work|do (?:anything|what)|help|allowed|enough)|won['’]t work"
    r"|doing nothing|(?:throw|rais|caus|produc|result)\w* (?:in )?(?:an? )?(?:\w+ )?(?:error"
    r"|exception)|left as[- ]is|not what (?:I|we|you) (?:want|expect)|blows? up|no longer works?"
    r"|get(?:s|ting)? (?:an?|the|this) (?:\w+ )?error)\b",
    re.IGNORECASE,
)
_FORMERLY = re.compile(
    r"\b(?:used to|formerly|previously|for a long time|the old way|instead of (?:this|doing))\b",
    re.IGNORECASE,
)
_CHECKS = re.compile(
    r"\b(?:again|to (?:verify|confirm|check)),? (?:I|we|you|that)\b|\b(?:that \w+|it) again\b"
    r"|\bwe can (?:now )?see\b|\bI can (?:now )?see\b",
    re.IGNORECASE,
)
# A command that only shows what is there, and a title that asks for that.
_LOOKS = re.compile(
    r"^\s*(?:sudo )?(?:[\w./-]+ ){0,2}(?:ls|ps|list|show|status|inspect|cat|head|tail|which|echo"
    r"|env|df|du|info|describe|get|--version|--help|config)\b",
    re.IGNORECASE,
)
_ASKS_TO_LOOK = re.compile(
    r"\b(?:list|show|find|check|see|view|print|display|get|inspect|look|read|count|search|what"
    r"|which|determine|size|version|status|log|describe|info)\w*\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b[a-z]+://\S+")
_DEFINES = re.compile(
    r"^\W*(?:[\w'’().,/-]+ ){0,7}(?:is|are|was|were|means?|refers? to|describes?|stands for"
    r"|denotes?|consists? of|lets? (?:us|you)|allows?|can be used)\b",
    re.IGNORECASE,
)
_OF_TITLE_BEGINS = re.compile(r"^\W*(?:it|this|these|they|he|she) [a-z]\w+\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Core:
    """A unit of a note, and how well it answers the title."""

    unit: Unit
    worth: float

    def line(self, path: str) -> NoteLine:
        """Return the unit as lines of its note."""
        return line_of(self.unit, path)


def line_of(unit: Unit, path: str, under: str = "") -> NoteLine:
    """Return a unit as lines of its note; what no sentence leads to has its heading.

    `under` is the heading that is shown in any case.
    """
    heading = plain(under or ("" if unit.sentences else unit.section.heading))
    return NoteLine(path, unit.text, unit.below, is_code=unit.is_code, heading=heading)


def outline_of(
    passages: Sequence[Passage], rarity: Rarity, judge: Judge | None = None
) -> list[NoteLine]:
    """Return what each section of a note says, and first what the note itself is about."""
    found: list[NoteLine] = []
    shown, most, items = 0, _OF_FEW, _WHOLE
    if len(passages) > _FEW:
        most, items = _OF_FIRST, _OF_LIST
    for each in passages:
        if shown >= _SECTIONS or sum(1 + len(one.below) for one in found) >= _ALL_LINES:
            break
        section = replace(each, name=each.heading or each.name)
        cores = core_of([section], most, rarity, judge, is_all=True)
        found += [_cut(line_of(one.unit, each.ref, each.heading), items) for one in cores]
        shown += 1
        most = _OF_FEW if len(passages) <= _FEW else _OF_SECTION
    more = [each.heading for each in passages[shown:] if each.heading]
    return [*found, *_headings(passages[0].ref, "Further sections", more)]


def _cut(line: NoteLine, items: int) -> NoteLine:
    """Return a line with at most so many items of its list."""
    more = len(line.below) - items
    if line.is_code or more <= 1:
        return line
    return replace(line, below=(*line.below[:items], f"({more} more)"))


def sections_of(passages: Sequence[Passage]) -> list[NoteLine]:
    """Return the headings of a note with several that say what it is about, on one line."""
    headings = [each.heading for each in passages if each.heading]
    own = [each for each in dict.fromkeys(headings) if not is_common_heading(each)]
    own = [each for each in own if each.casefold() not in GENERIC]
    return _headings(passages[0].ref, "Sections", own) if len(own) >= _FEWEST_HEADINGS else []


def _headings(path: str, label: str, headings: Sequence[str]) -> list[NoteLine]:
    if not headings:
        return []
    shown = " · ".join(plain(each) for each in headings[:_HEADINGS])
    more = f" · {len(headings) - _HEADINGS} more" if len(headings) > _HEADINGS else ""
    return [NoteLine(path, "", (f"{shown}{more}",), heading=label)]


def core_of(
    passages: Sequence[Passage],
    most: int,
    rarity: Rarity,
    judge: Judge | None = None,
    *,
    is_all: bool = False,
) -> list[Core]:
    """Return at most so many units of a note that answer its title, in their order.

    With `is_all`, also those that are much worse than the best.
    """
    if not passages:
        return []
    title = passages[0].name
    units = [each for each in units_of(passages) if _may_stand(each, title)]
    found = _weighed(title, units, rarity, judge)
    return _chosen(found, most, math.inf if is_all else _NEAR)


def _chosen(found: Sequence[Core], most: int, near: float) -> list[Core]:
    """Return the best units, in their order: none that is much worse than the best."""
    if not found:
        return []
    working = [each for each in found if not _fails(each.unit)] or list(found)
    working.sort(key=lambda one: (-one.worth, one.unit.place))
    best: list[Core] = []
    for each in working:
        is_near = each.worth >= working[0].worth - near
        if len(best) < most and is_near and not any(_repeats(each.unit, one.unit) for one in best):
            best.append(each)
    return sorted(best, key=lambda one: one.unit.place)


def _weighed(
    title: str, units: Sequence[Unit], rarity: Rarity, judge: Judge | None = None
) -> list[Core]:
    """Return units with how well each answers a title."""
    words = {word: rarity(word) for word in terms(title)}
    is_task = len(segments(title)) >= _TASK_WORDS
    is_guide = is_task and len(units) <= _GUIDE and any(each.is_code for each in units)
    worth = [_worth(each, title, words, is_guide=is_guide) for each in units]
    code = [at for at, each in enumerate(units) if each.is_code]
    for at in code[1:]:
        worth[at] -= _CHECKS.search(units[at].text) is not None
    if is_guide:
        worth = [one - _ASIDE * (not each.below) for one, each in zip(worth, units, strict=True)]
    if judge is not None and len(units) > 1:
        order = sorted(range(len(units)), key=lambda at: -worth[at])[:_READ]
        order = [at for at in order if units[at].text]
        logits = judge(title, [_as_read(units[at]) for at in order])
        for at, logit in zip(order, logits, strict=False):
            worth[at] += _OF_JUDGE * max(-1.0, min(1.0, logit / _LOGIT))
    return [Core(unit, one) for unit, one in zip(units, worth, strict=True)]


def _as_read(unit: Unit) -> str:
    """Return what the cross-encoder reads: it misjudges long code."""
    return "\n".join(filter(None, (unit.text, *unit.below[: _LINES if unit.is_code else None])))


def _worth(unit: Unit, title: str, words: dict[str, float], *, is_guide: bool) -> float:
    """Return how well a unit answers a title, by its words and its form."""
    own = unit.whole if is_guide or not unit.is_code else unit.text
    said = set(terms(f"{unit.section.heading} {own}"))
    every = sum(words.values()) or 1.0
    worth = _OF_TITLE * sum(weight for word, weight in words.items() if word in said) / every
    worth += (_FIRST if is_guide else 2 * _FIRST) * (unit.place == 0)
    if unit.is_code:
        worth += _OF_CODE * is_guide
        if _only_looks(unit) and not _ASKS_TO_LOOK.search(title):
            worth -= 1.0
    elif _defines(unit, set(words)):
        worth += 1.2
    if unit.sentences:
        share = sum(map(is_story, unit.sentences)) / len(unit.sentences)
        worth -= (0.5 if unit.is_code else 1.5) * share
    worth -= _FORMERLY.search(unit.text) is not None
    return worth - (announces(unit.text) and not unit.below)


def _defines(unit: Unit, words: set[str]) -> bool:
    first = unit.sentences[0] if unit.sentences else ""
    begins = set(terms(" ".join(first.split()[:_BEGINNING])))
    named = 2 * len(words & begins) > len(words)
    return _DEFINES.match(first) is not None and (named or (unit.place == 0 and is_whole(first)))


def _only_looks(unit: Unit) -> bool:
    return all(_LOOKS.match(line) for line in unit.below if line.strip())


def _fails(unit: Unit) -> bool:
    """Return whether a note says that code does not work: in what leads to it, or below it."""
    begins = " ".join(re.split(r"(?<=[.!?]) ", unit.after)[:2])
    return unit.is_code and bool(_FAILS.search(unit.text) or _FAILS.search(begins))


def _repeats(one: Unit, other: Unit) -> bool:
    if one.is_code and other.is_code:
        return one.below == other.below
    return one.whole == other.whole


def _may_stand(unit: Unit, title: str) -> bool:
    """Return whether a unit can be understood beside its title, and says something."""
    if unit.below:
        return True
    text, first = _ADDRESS.sub("", unit.text), unit.sentences[0]
    if sum(map(str.isalpha, text)) < _FEWEST_LETTERS or first[:1] in "}])>":
        return False
    if set(terms(text)) <= set(terms(title)) or files(first):
        return False
    if set(terms(title)) <= set(terms(first)):
        return True
    about_title = unit.place == 0 and _OF_TITLE_BEGINS.match(first) is not None
    return about_title or fits(first) or (len(text.split()) >= 4 and not depends_on_context(first))
