"""Text to the words that may name a subject: no stop words, no boilerplate, any script."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Protocol

# Scripts written without spaces; their words are told by pairs of characters instead.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(
    rf"[{_UNSPACED}]+(?:[·・][{_UNSPACED}]+)*|[^\W_{_UNSPACED}]+(?:['’+#.-][^\W_{_UNSPACED}]+|\+\+|#)*"
)
_HAS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
BREAK = re.compile(r"[.,;:!?()\[\]{}|/\\\"“”„«»\n\t—–]|\s-\s")
# Words as written, and the key of each: "" for one that tells nothing, so nothing joins across it.
Run = tuple[list[str], list[str]]

# Code, math, comments, markup and addresses say little of what a note is about.
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?(?:\$\$|\Z)|\$[^$\n]+\$|<!--.*?(?:-->|\Z)|<[^<>\n]+>"
    r"|%%.*?(?:%%|\Z)|\w+://\S+|\]\([^)\n]*\)|!\[\[[^\]\n]*\]\]|\[\[[^\]|\n]*\|",
    re.DOTALL,
)
_DATE = re.compile(
    r"^\W*(?:\d{4}([-._/ ]?\d{1,2}){0,2}|\d{1,2}[-._/ ]\d{1,2}[-._/ ]\d{2,4}"
    r"|\d{4}[-_ ]?[wWqQ]\d{1,2}|[vV]?\d+(?:\.[\dxX]+)*)\W*$"
)
_DATED = re.compile(r"(?<!\d)(?:19|20)\d{2}[-._/]?(?:0[1-9]|1[0-2])[-._/]?(?:[0-3]\d)?(?!\d)")

_ENGLISH = """
a about above across actually after again against ago all almost along already also although always
am among an and another any anyone anything are aren't around as ask asked at away back be became
because become becomes been before began behind being below best better between beyond big both
bring but by call called came can can't cannot case certain come comes coming could couldn't course
day days did didn't different do does doesn't doing don't done down due during each early easily
easy either else enough entire especially etc even ever every everyone everything exactly example
examples e.g fact far feel few find first five follow following follows for form found four from
full further future gave general generally get gets getting give given gives go goes going gone good
got great had half hard has hasn't have haven't having he he's help hence her here here's hers high
him himself his hold how however i i'd i'll i'm i've i.e idea ideas if important in include includes
including indeed inside instead into is isn't it it'd it'll it's its itself just keep kept kind know
known knows large last later lead least left less let let's level like likely line list little long
longer look looking looks lot lots low made main mainly make makes making man many may maybe me mean
means might mine more most mostly move much must my myself name named near necessary need needed
needs neither never new next no non none nor not note notes nothing now number of off often ok old
on once one ones only onto open or order other others otherwise our ours out over overall own part
particular parts people per perhaps person place point points possible probably put quite rather
read real really reason related result results right said same saw say saying says second see seem
seems seen set several shall she should shouldn't show shown shows side similar simple simply since
single small so some someone something sometimes soon sort start started state still stop such take
taken takes taking tell ten term terms than that that's the their theirs them themselves then there
there's therefore these they they're thing things think this those though thought three through thus
time times to today together told too took toward towards tried true try trying turn two type types
under understand until up upon us use used useful user users uses using usually various very via
want wanted wants was wasn't way ways we we'd we'll we're we've week well went were weren't what
what's whatever when where whether which while who whole whom whose why will with within without
won't word words work worked working works world would wouldn't write year years yes yet you you'd
you'll you're you've your yours yourself
"""
_OTHER_LANGUAGES = """
aber als am an auch auf aus bei bin bis da das dass dem den der des die dies doch du durch ein eine
einem einen einer eines er es für hat haben ich ihr im in ist ja kann kein man mehr mit nach nicht
noch nur oder ohne sich sie sind so über um und uns unter vom von vor war was wenn werden wie wir
wird zu zum zur au aux avec ce ces cette comme dans de elle en est et il ils je la le les leur lui
mais mes mon ne nos nous on ou où par pas plus pour qu que qui sa sans se ses son sont sur te un une
vos vous al como con cual del el ella entre era esta este las lo los más me mi muy no o para pero
por si sin sobre su sus también una uno y ya che di gli i non per sono het een van voor met niet
zijn maar ook
"""
# Words of note-keeping and of the web, not of any subject.
_BOILERPLATE = """
http https www com org net html htm pdf png jpg jpeg svg gif md www. url link links see also todo
tbd wip fixme draft untitled tag tags alias aliases index summary overview introduction intro
background conclusion references reference further reading source sources resources related notes
chapter section page pages figure table image images appendix abstract contents toc readme template
seed sapling evergreen inbox journal daily weekly quote quotes highlights metadata created updated
modified author authors title date status version edit nbsp amp quot br div span img src href class
true false null none and/or vs january february march april may june july august september october
november december monday tuesday wednesday thursday friday saturday sunday
"""
# Words that tell nothing alone, and are a part of many a phrase: early childhood, state machine.
_PARTS_WORDS = """
big case course data-driven day days double early end first form forms free full future general
hard high image index large late level life line lines list local long low man mean number open
order part past people person place point points real second set sets short single small social
source state states term time times type types web work world
"""
_PARTS = frozenset(_PARTS_WORDS.split())
_FIRST_PERSON = frozenset(
    "I I'm I've I'd I'll I’m I’ve I’d I’ll me my My myself mine".split()  # noqa: SIM905
)
_PERSONAL_SHARE, _PERSONAL_WORDS, _PERSONAL_READ = 0.04, 50, 6_000
STOP_WORDS = frozenset(f"{_ENGLISH} {_OTHER_LANGUAGES} {_BOILERPLATE}".split())


def prose(text: str) -> str:
    """Leave out code, math, comments, markup and addresses."""
    return _NOT_PROSE.sub(" ", text)


class Cuts(Protocol):
    """Cuts a run of unspaced script into the terms that stand in it; see `names.Names`."""

    def cut(self, run: str) -> Iterator[str]: ...


class Reader:
    """Reads texts as runs of words; remembers each word that it has seen, for speed."""

    def __init__(self, names: Cuts) -> None:
        self._names = names
        self._keys: dict[str, str] = {}

    def runs(self, text: str) -> Iterator[Run]:
        """Yield the words that stand together in a text.

        In unspaced script the names of the vault are yielded, each a run of its own.
        """
        for stretch in BREAK.split(unicodedata.normalize("NFC", text)):
            words = WORD.findall(stretch)
            if not words:
                continue
            if _HAS_UNSPACED.search(stretch):
                yield from self._with_names(words)
            else:
                yield words, [self.key(word) for word in words]

    def key(self, word: str) -> str:
        """The form under which a word and its plural are one, or "" for one of no phrase."""
        found = self._keys.get(word)
        if found is None:
            stands = is_telling(word) or is_part(word)
            found = self._keys[word] = key(word) if stands else ""
        return found

    def _with_names(self, words: list[str]) -> Iterator[Run]:
        spaced: list[str] = []
        for word in words:
            if not _HAS_UNSPACED.match(word):
                spaced.append(word)
                continue
            if spaced:
                yield spaced, [self.key(each) for each in spaced]
                spaced = []
            yield from (([name], [name]) for name in self._names.cut(word))
        if spaced:
            yield spaced, [self.key(word) for word in spaced]


def words_of(text: str) -> list[str]:
    """All words of a text as they are written, stop words too; an unspaced run is one."""
    return WORD.findall(unicodedata.normalize("NFC", text))


def is_telling(word: str) -> bool:
    """Whether a word may say what a text is about."""
    folded = word.casefold().replace("’", "'")
    return (
        len(folded) > 1 and not folded[0].isdigit() and folded.removesuffix("'s") not in STOP_WORDS
    )


def is_part(word: str) -> bool:
    """Whether a word that tells nothing alone may be a part of a phrase."""
    return word.casefold() in _PARTS


def is_unspaced(term: str) -> bool:
    """Whether a term is all of a script that puts no spaces between words."""
    return bool(term) and all(_HAS_UNSPACED.match(each) or each in "·・" for each in term)


def key(word: str) -> str:
    """The form under which a word, its plural and its possessive are one."""
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    if len(folded) > 3 and folded.isascii():
        if folded.endswith("ies"):
            return folded[:-3] + "y"
        if folded.endswith(("sses", "xes", "ches", "shes")):
            return folded[:-2]
        if folded.endswith("s") and not folded.endswith(("ss", "us", "is", "ics")):
            return folded[:-1]
    return folded


def is_personal(text: str) -> bool:
    """Whether a text mostly speaks of its author: a letter, a diary, a memoir."""
    words = words_of(text[:_PERSONAL_READ])
    told = sum(map(_FIRST_PERSON.__contains__, words))
    return told > _PERSONAL_SHARE * max(_PERSONAL_WORDS, len(words))


def is_date(title: str) -> bool:
    """Whether a title is nothing but a date, a number or a version."""
    return bool(_DATE.match(title))


def is_dated(title: str) -> bool:
    """Whether a title holds a date, as those of journals, meetings and releases do."""
    return is_date(title) or bool(_DATED.search(title))
