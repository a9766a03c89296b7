"""A hit as a bibliography knows it: title, people, year, abstract; and which two are one work."""

import re
import unicodedata
from collections.abc import Mapping

from rapidfuzz.distance import Levenshtein

from daemon.model.evidence import Hit
from daemon.research.identity import keys_of
from daemon.research.likeness import Print

TITLE_DISTANCE = 0.2
_SHORTEST_TITLE = 15  # characters; "Introduction" says nothing
_YEARS_APART = 1  # between "online first" and the printed issue
# Two reports of one study have a title and authors in common, and each has words of its own: a
# talk, and the same talk a year later. Copies of one abstract share more than this.
_COPY = 0.6
_LONG_RUNS, _LONG_COPY = 1000, 0.3  # of full texts, which are taken out of pages and PDFs
_NUMBERS = re.compile(r"\d+")
_WORDS = re.compile(r"\w+")
_MARKUP = re.compile(r"</?(?:i|b|em|sub|sup|scp|strong|span)\b[^>]*>", re.IGNORECASE)


class Record:
    """What of a hit, and of the `text` that was fetched for it, tells works apart."""

    def __init__(self, hit: Hit, text: str = "") -> None:
        self.title = plain_title(hit.title)
        self.year = int(hit.published[:4]) if hit.published[:4].isdecimal() else None
        self.author = surname(hit.authors[0]) if hit.authors else ""
        self.ids = _ids(hit)
        self.abstract = Print(hit.snippet)
        self.text = Print(text) if text else self.abstract

    def is_of_same_people(self, other: "Record") -> bool | None:
        """Whether first author and year agree as far as they are known; None when neither is."""
        if self.year is not None and other.year is not None:
            if abs(self.year - other.year) > _YEARS_APART:
                return False
            is_known = True
        else:
            is_known = False
        if self.author and other.author:
            return self.author == other.author
        return True if is_known else None

    def contradicts(self, other: "Record") -> bool:
        """Whether both carry identifiers of one kind that differ: two papers of a series."""
        return any(self.ids[kind] != other.ids[kind] for kind in self.ids.keys() & other.ids.keys())

    def is_worded_otherwise(self, other: "Record") -> bool:
        """Whether both have a text of about one length, and the texts are not one."""
        for one, two in ((self.abstract, other.abstract), (self.text, other.text)):
            if one.is_telling and two.is_telling and one.is_as_long_as(two):
                is_long = min(len(one.runs), len(two.runs)) >= _LONG_RUNS
                return one.share(two) < (_LONG_COPY if is_long else _COPY)
        return False


def is_one_work(one: Record, other: Record) -> bool:
    """Whether title, first author and year say that two hits are one work."""
    return (
        one.is_of_same_people(other) is True
        and titles_are_near(one.title, other.title)
        and not one.contradicts(other)
        and not one.is_worded_otherwise(other)
    )


def titles_agree(one: Hit, other: Hit) -> bool:
    """Whether two titles are nearly equal, numbers and all."""
    return titles_are_near(plain_title(one.title), plain_title(other.title))


def titles_are_near(left: str, right: str) -> bool:
    """Compare two plain titles: normalised Levenshtein distance below 0.2, and equal numbers."""
    if min(len(left), len(right)) < _SHORTEST_TITLE:
        return False
    distance = Levenshtein.normalized_distance(left, right, score_cutoff=TITLE_DISTANCE)
    return distance < TITLE_DISTANCE and _NUMBERS.findall(left) == _NUMBERS.findall(right)


def plain_title(title: str) -> str:
    """Return a title in lower case, without markup, accents of form and punctuation."""
    folded = unicodedata.normalize("NFKC", _MARKUP.sub("", title)).casefold()
    return " ".join(_WORDS.findall(folded))


def surname(name: str) -> str:
    """Return the name that a person is listed under: before a comma, else the last word."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() or name
    family = plain.partition(",")[0] if "," in plain else plain
    words = [word for word in _WORDS.findall(family.casefold()) if len(word) > 1]
    return words[-1] if words else family.casefold()


def _ids(hit: Hit) -> Mapping[str, str]:
    return dict(key.split(":", 1) for key in keys_of(hit) if key.startswith(("doi:", "arxiv:")))
