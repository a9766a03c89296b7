"""Independent voices: the same text, work, site or people are one voice."""

import re
from itertools import product

from daemon.model.evidence import Document
from daemon.research.accounts import account_of, are_one_organisation, is_platform
from daemon.research.authority import weighed_as
from daemon.research.identity import arxiv_of, doi_of, is_record, keys_of, site_of
from daemon.research.likeness import Print
from daemon.research.people_names import folded, is_same_writer
from daemon.research.publishers import may_show
from daemon.research.records import Record
from daemon.research.series import page_of

SAME_TEXT, SAME_WORK = "the same text", "the same work"
SAME_SENTENCE = "the same sentence"
_REPUBLISHED = 0.5  # share of the shorter text's five-word runs that the other also has
_SHORT_RUNS = 8  # five-word runs: a sentence that two people hardly write by chance
_LONG_TITLE = 40  # characters of a title that two works hardly have in common by chance
# Sites with texts of all authors: both being there says nothing about who wrote them.
_HOSTS = frozenset(("academia.edu", "researchgate.net", "nih.gov", "zenodo.org", "osf.io"))
_NOBODY = re.compile(
    r"\b(?:admin|administrator|authors?|editors?|editorial|guest|staff|team)\b", re.I
)
_LEGAL = re.compile(r"\b(?:the|inc|llc|ltd|limited|gmbh|ag|sa|plc|corp(?:oration)?|company|co)\b")
_AGENCIES = {
    "AFP": r"AFP|Agence France[- ]Presse",
    "ANSA": "ANSA",
    "AP": r"AP|Associated Press",
    "Bloomberg": "Bloomberg",
    "dpa": "dpa|DPA",
    "EFE": "EFE",
    "IANS": "IANS",
    "PA": "PA Media|Press Association",
    "PTI": "PTI|Press Trust of India",
    "Reuters": "Reuters|REUTERS",
    "TASS": "TASS",
    "UPI": "UPI",
    "Xinhua": "Xinhua",
}
_BYLINE = 400  # characters at the beginning and the end in which an agency is named
_AGENCY = {
    name: re.compile(rf"\((?:{words})\)|^\W*(?:By |Source: |©\s*)?(?:The )?(?:{words})\W*$", re.M)
    for name, words in _AGENCIES.items()
}


class Voice:
    """The voice of a document; built once, compared with many."""

    def __init__(self, document: Document) -> None:
        hit = weighed_as(document)
        self.is_work = is_record(hit) or bool(doi_of(hit.url) or arxiv_of(hit.url))
        self.site = site_of(hit.url)
        self.account = account_of(hit.url)
        self.is_hosted = self.site in _HOSTS or may_show(hit.url, doi_of(hit.doi))
        self.keys = frozenset(keys_of(hit)) - {""}
        # The people who did the work come first; the head of the group last.
        named = (*hit.authors[:1], *hit.authors[-1:])
        self.people = frozenset(name for name in named if not _NOBODY.search(name))
        self.record = Record(hit, document.text)
        self.text = self.record.text
        self.publisher = "" if is_platform(hit.url) else _organisation(hit.publisher)
        self.publication = "" if is_platform(hit.url) else _organisation(hit.venue)
        self.page = page_of(document)
        self.agency = "" if self.is_work else _agency(document.text)

    def echoes(self, other: "Voice") -> str:
        """Return why this only repeats the other ("the same text"), or "" if each has its own
        voice.

        A page may claim any title and authors: a work repeats no page because of that.
        """
        if _is_copied(self.text, other.text):
            return SAME_TEXT
        if self._is_work_of(other):
            return SAME_WORK
        is_believed = other.is_work or not self.is_work
        has_people = is_believed and any(
            is_same_writer(*pair) for pair in product(self.people, other.people)
        )
        if self.is_work and other.is_work and self.people and other.people:
            return "the same authors" if has_people else ""
        is_hosted = (self.is_hosted or other.is_hosted) and (self.is_work or other.is_work)
        if self.account and self.account == other.account and not is_hosted:
            return "the same site"
        if not (self.is_work or other.is_work) and (why := self._house_of(other)):
            return why
        return "the same author" if has_people else ""

    def _is_work_of(self, other: "Voice") -> bool:
        """Return whether both are versions or copies of one work: a preprint, and the journal's."""
        mine, its = self.record, other.record
        if self.keys & other.keys and not mine.is_unlike(its):
            return True
        if not other.is_work:
            return False
        is_long = min(len(mine.title.plain), len(its.title.plain)) >= _LONG_TITLE
        is_titled = mine.title.is_near(its.title) and not mine.title.is_reworded(its.title)
        people = mine.is_of_same_people(its)
        return is_titled and (people is True or (people is None and is_long))

    def _house_of(self, other: "Voice") -> str:
        """Return that one organisation, publication or news agency is behind two pages, or ""."""
        if self.publisher and self.publisher == other.publisher:
            return "the same publisher"
        are_named = self.people and other.people  # two authors in one journal are two voices
        if self.publication and self.publication == other.publication and not are_named:
            return "the same publication"
        if self.page and other.page and self.page.is_beside(other.page):
            return "the same manual"
        if are_one_organisation(self.account, other.account):
            return "the same organisation"
        return "the same news agency" if self.agency and self.agency == other.agency else ""


def _is_copied(one: Print, other: Print) -> bool:
    """Return whether much of a text is in the other; for a short text, all of it."""
    share = one.share(other)
    if one.is_distinctive and other.is_distinctive:
        return share >= _REPUBLISHED
    return share == 1 and min(len(one.runs), len(other.runs)) >= _SHORT_RUNS


def _organisation(name: str) -> str:
    """Return the comparable name of an organisation: "The BBC Ltd." is "bbc"."""
    return " ".join(_LEGAL.sub(" ", re.sub(r"[\W_]+", " ", folded(name))).split())


def _agency(text: str) -> str:
    """Return the news agency in a report's first or last lines, or ""."""
    ends = f"{text[:_BYLINE]}\n{text[-_BYLINE:]}"
    return next((name for name, rule in _AGENCY.items() if rule.search(ends)), "")
