"""The headings of a document, in order: what it treats as a whole. Pure."""

import re
from itertools import pairwise

from daemon.model.evidence import Document
from daemon.research.instructions import is_suspect
from daemon.research.steering import is_steering

_FEWEST = 3
_LONGEST = 90  # characters
_MOST_WORDS = 12
_PARAGRAPH = 80  # characters from which a line is one
_SENTENCE = 30  # characters of a paragraph below a Heading in Capitals
_SMALL_WORD = 3  # letters of a word that has no capital in such a heading
_SENTENCE_ENDS = re.compile(r"[.!?]$")
_MARK = re.compile(r"^\s{0,3}#{1,4}\s+")
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*|[IVX]+)[.)]?\s+")
_FIELD = re.compile(r"^\w{1,20}(?: \w{1,12})?:\s")  # "License: cc-by"
_ENDS = re.compile(r"[.,;:!…]$")
# Headings of what is around a text, not of it.
_AROUND = re.compile(
    r"^(?:related|references|share|comments?|about (?:the )?author|subscribe|newsletter"
    r"|read (?:more|next)|see also|further reading|tags?|categories|leave a|recent|popular"
    r"|advertis\w*|sign up|menu|footnotes?|notes|external links|acknowledge?ments?|contact"
    r"|follow us|abstract|keywords?|next steps?)\b",
    re.IGNORECASE,
)
_PAGED = "pdf"  # its lines end anywhere


def contents(document: Document, end: int) -> tuple[str, ...]:
    """Return the headings before `end`, without those around the text; none if there are few."""
    if _PAGED in document.extracted_by:
        return ()
    lines = [line.strip() for line in document.text[:end].split("\n")]
    filled = [line for line in lines if line]
    found = [
        _NUMBER.sub("", _MARK.sub("", line)).rstrip("¶ ")
        for line, after in pairwise(filled)
        if _is_heading(line, after)
    ]
    title = document.hit.title.casefold()
    named = dict.fromkeys(each for each in found if each.casefold() != title)
    kept = [each for each in named if not (_AROUND.match(each) or _steers(each))]
    return tuple(kept) if len(kept) >= _FEWEST else ()


def _steers(heading: str) -> bool:
    return is_suspect(heading) or is_steering(heading, ())


def _is_heading(line: str, after: str) -> bool:
    """Return whether a line is marked as a heading, or is short and a paragraph is below it."""
    if _MARK.match(line):
        return len(line) <= _LONGEST
    is_short = len(line) <= _LONGEST and len(line.split()) <= _MOST_WORDS
    is_name = line[:1].isupper() and not _ENDS.search(line) and not _FIELD.match(line)
    words = [word for word in line.split() if len(word) > _SMALL_WORD]
    is_capital = len(words) > 1 and all(word[0].isupper() for word in words)
    least = _SENTENCE if is_capital and _SENTENCE_ENDS.search(after) else _PARAGRAPH
    return is_short and is_name and len(after) >= least
