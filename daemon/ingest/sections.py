"""Where a document's abstract and its conclusion are, by their headings."""

import re
from dataclasses import dataclass

Span = tuple[int, int]

_NUMBER = r"(?:(?:\d+|[IVX]+)(?:\.\d+)*\.?[ \t]+)?"
_MARKS = r"(?:\#{1,6}[ \t]*)?\**"
_ABSTRACT = re.compile(
    rf"^[ \t]*{_MARKS}{_NUMBER}(?:abstract|(?:executive )?summary|tl;?dr|key (?:points|takeaways"
    r"|findings|messages)|highlights|zusammenfassung|résumé|resumen|riassunto|摘要)"
    r"\**[ \t]*(?:$|[:.—–-][ \t]*)",
    re.IGNORECASE | re.MULTILINE,
)
_CONCLUSION = re.compile(
    rf"^[ \t]*{_MARKS}{_NUMBER}(?:(?:discussion and )?conclusions?(?: and [\w ]{{3,30}})?"
    r"|concluding remarks|takeaways|the bottom line|in (?:summary|conclusion|short)|fazit|schluss"
    r"|conclusiones|结论)\**[ \t]*(?:$|[:.—–-][ \t]*)",
    re.IGNORECASE | re.MULTILINE,
)
# What ends an abstract besides a heading: a short line that is no sentence.
_NEXT = re.compile(
    rf"^[ \t]*{_MARKS}{_NUMBER}(?:introduction|background|keywords?|key words|index terms|contents"
    r"|ccs concepts|categories|einleitung|引言|关键词)\b"
    r"|^[ \t]*(?:\#{1,6}[ \t]|\d+(?:\.\d+)*\.?[ \t]+[A-Z])[^\n]{0,80}$"
    r"|^(?:text|body)\W*:",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 8000  # characters in which an abstract begins
_LONGEST = 3000  # characters of an abstract or a conclusion
_SHORTEST = 100
_LATE = 0.5  # share of the text after which a conclusion begins


@dataclass(frozen=True, slots=True)
class Sections:
    """Stretches of a text; None where it has none that can be recognised."""

    abstract: Span | None
    conclusion: Span | None


def sections(text: str, end: int) -> Sections:
    """Find both before `end`, where the references begin."""
    head = _first(_ABSTRACT, text, 0, min(_HEAD, end))
    last = _first(_CONCLUSION, text, int(_LATE * end), end)
    return Sections(head, last)


def is_in(start: int, span: Span | None) -> bool:
    """Return whether a sentence that begins at `start` is in a span."""
    return span is not None and span[0] <= start < span[1]


def _first(heading: re.Pattern[str], text: str, start: int, end: int) -> Span | None:
    for found in heading.finditer(text, start, end):
        after = _NEXT.search(text, found.end())
        until = min(found.end() + _LONGEST, after.start() if after else len(text))
        if until - found.end() >= _SHORTEST:
            return found.end(), until
    return None
