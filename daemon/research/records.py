"""A hit as a bibliographic record: title, people, year, abstract; and which two are the same
work.
"""

import re
from collections.abc import Mapping

from daemon.model.evidence import Hit
from daemon.research.identity import keys_of
from daemon.research.likeness import Print
from daemon.research.people_names import are_same_people, is_same_name
from daemon.research.titles import Title

_YEARS_APART = 1  # between "online first" and the printed issue
# Two reports of one study have a title and authors in common, and each has words of its own: a
# talk, and the same talk a year later. Copies of one abstract share more than this.
_COPY = 0.6
_LONG_RUNS, _LONG_COPY = 1000, 0.3  # of full texts, which are extracted from pages and PDFs
_OTHER_TEXT = 0.1  # abstracts under one identifier that share less are of different works
_IDENTIFIER = re.compile(r"\s*(?:https?://|doi:\s*|arxiv:|10\.\d{4,9}/)\S*\s*", re.IGNORECASE)
_IDS = ("doi", "arxiv", "pmid", "pmcid")


class Record:
    """The fields of a hit, and of its fetched `text`, that distinguish works."""

    def __init__(self, hit: Hit, text: str = "") -> None:
        # If a source has no title, the identifier or the address replaces it.
        self.title = Title("" if _IDENTIFIER.fullmatch(hit.title) else hit.title)
        self.year = int(hit.published[:4]) if hit.published[:4].isdecimal() else None
        self.authors = hit.authors
        self.ids = _ids(hit)
        self.abstract = Print(hit.snippet)
        self.text = Print(text) if text else self.abstract

    def is_of_same_people(self, other: "Record") -> bool | None:
        """Return whether authors and year match where known; None if neither is."""
        is_known = self.year is not None and other.year is not None
        if is_known and abs((self.year or 0) - (other.year or 0)) > _YEARS_APART:
            return False
        is_same_year = is_known and self.year == other.year
        people = are_same_people(self.authors, other.authors, in_any_order=is_same_year)
        return people if people is not None else (True if is_known else None)

    def contradicts(self, other: "Record") -> bool:
        """Return whether they share no identifier, and two of one kind differ: two papers of a
        series.
        """
        shared = self.ids.keys() & other.ids.keys()
        is_one = any(self.ids[kind] == other.ids[kind] for kind in shared)
        return not is_one and any(
            not _is_cut_short(self.ids[kind], other.ids[kind]) for kind in shared
        )

    def is_worded_otherwise(self, other: "Record") -> bool:
        """Return whether both have a text of similar length, and the texts differ."""
        for one, two in self._texts(other):
            if one.is_distinctive and two.is_distinctive and one.is_as_long_as(two):
                is_long = min(len(one.runs), len(two.runs)) >= _LONG_RUNS
                return one.share(two) < (_LONG_COPY if is_long else _COPY)
        return False

    def is_worded_alike(self, other: "Record") -> bool:
        """Return whether both have a text that is long enough to compare, and the texts are the
        same.
        """
        return any(
            one.is_distinctive
            and two.is_distinctive
            and one.is_as_long_as(two)
            and one.share(two) >= _COPY
            for one, two in self._texts(other)
        )

    def is_unlike(self, other: "Record") -> bool:
        """Return whether an identifier that both have cannot be that of one work.

        A supplement with twenty abstracts has one DOI; a correction may have that of its article.
        """
        if self.title.is_unlike(other.title):
            return not (self.is_worded_alike(other) or self._translates(other))
        one, two = self.abstract, other.abstract
        are_informative = one.is_distinctive and two.is_distinctive and one.is_as_long_as(two)
        is_sure = self.title.is_near(other.title) and not self.title.is_reworded(other.title)
        return are_informative and not is_sure and one.share(two) < _OTHER_TEXT

    def has_title_of(self, other: "Record") -> bool:
        """Return whether the titles are nearly equal; if a significant word differs, or only one
        names a scope, the texts must match.
        """
        mine, its = self.title, other.title
        is_other = mine.is_reworded(its) or mine.is_narrowed(its)
        return mine.is_near(its) and (not is_other or self.is_worded_alike(other))

    def _translates(self, other: "Record") -> bool:
        """Return whether the same people's title may be in two languages."""
        return (
            self.title.may_translate(other.title)
            and len(self.authors) == len(other.authors) > 0
            and self.year == other.year
            and all(map(is_same_name, self.authors, other.authors))
        )

    def _texts(self, other: "Record") -> tuple[tuple[Print, Print], ...]:
        return ((self.abstract, other.abstract), (self.text, other.text))


def is_one_work(one: Record, other: Record) -> bool:
    """Return whether title, authors and year make two hits the same work."""
    return (
        one.has_title_of(other)
        and one.is_of_same_people(other) is True
        and not one.contradicts(other)
        and not one.is_worded_otherwise(other)
    )


def titles_agree(one: Hit, other: Hit) -> bool:
    """Return whether two titles are nearly equal, numbers and all."""
    return Title(one.title).is_near(Title(other.title))


def _ids(hit: Hit) -> Mapping[str, str]:
    return dict(key.split(":", 1) for key in keys_of(hit) if key.partition(":")[0] in _IDS)


def _is_cut_short(one: str, other: str) -> bool:
    """Return whether one identifier is a prefix of the other, truncated at "<" or the like."""
    short, long = sorted((one, other), key=len)
    return len(short) > 12 and long.startswith(short) and long[len(short) :][:1] in tuple("<>(;[/")
