"""Whether the user's own document is the work in an index's record.

A file can claim anything. Title and people must match the record, and its text the abstract; a
saved web page can claim any address, and is never a work.
"""

import re

from daemon.model.evidence import Hit
from daemon.research.fitting import has_text_of
from daemon.research.identity import is_record
from daemon.research.people_names import are_same_people, folded, surnames
from daemon.research.records import Record, titles_agree

_HEAD = 4000  # characters of a document in which its authors must occur
_TITLE_HEAD = 700  # in which its title must occur, if its metadata has none
_LONG_TITLE = 30  # characters
_FIRST_AUTHORS = 2  # of a record that are searched for in the text
_WORD = re.compile(r"\w+")


def is_copy_of(own: Hit, text: str, record: Hit, *, is_web_page: bool) -> bool:
    """Return whether `own` and its text match an index's record of a work."""
    if is_web_page or not is_record(record):
        return False
    has_names = _has_title(own, text, record) and _has_people(own, text, record)
    return has_names and has_text_of(Record(own, text), Record(record))


def _has_title(own: Hit, text: str, record: Hit) -> bool:
    """Return whether the titles match, or the text begins with a long one."""
    if titles_agree(own, record):
        return True
    title = _plain(record.title)
    return len(title) >= _LONG_TITLE and title in _plain(text[:_TITLE_HEAD])


def _has_people(own: Hit, text: str, record: Hit) -> bool:
    """Return whether the authors match; the program that made a file is sometimes named as its
    author.
    """
    if are_same_people(own.authors, record.authors, in_any_order=True):
        return True
    words = set(_plain(text[:_HEAD]).split())
    families = [names for name in record.authors if (names := surnames(name))][:_FIRST_AUTHORS]
    return bool(families) and all(names & words for names in families)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(folded(text)))
