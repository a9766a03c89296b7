"""Screen untrusted content on its way in: nothing invisible stays, no command is followed."""

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from daemon.model.evidence import Flag, Hit
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.deposits import as_stated
from daemon.research.identity import is_record
from daemon.research.instructions import (
    is_about_commands,
    is_instruction,
    is_suspect,
    score,
)
from daemon.research.letters import clean
from daemon.research.sentences import WRAPPED, units

# Increased when screening changes what stays of a text.
SCREEN_VERSION = 1
MAX_TEXT_LENGTH = 1_000_000  # characters of a document that are stored: a thick book
_MAX_TITLE_LENGTH = 300
_MAX_SNIPPET_LENGTH = 10_000
_MAX_FIGURES = 20
_FLAGS = (
    "hidden text",
    "instructions",
    "possible instructions",
    "zero-width characters",
    "bidi characters",
    "tag characters",
    "look-alike letters",
)


@dataclass(frozen=True, slots=True)
class Screened:
    """The stored part of a document: the text for checking quotes, and what screening saw."""

    hit: Hit
    final_url: str
    text: str
    flags: tuple[Flag, ...]
    is_cut: bool  # whether the text was longer than that
    places: tuple[tuple[int, str], ...] = ()  # pages and chapters, by their offset in `text`


def screen(retrieved: RetrievedDocument) -> Screened:
    """Screen a document's text and metadata."""
    hit = screen_hit(_described(retrieved))
    cleaned, seen = clean(retrieved.extracted.text)
    text = cleaned[:MAX_TEXT_LENGTH]
    seen["hidden text"] += retrieved.extracted.hidden
    seen |= _unseen_in_page(retrieved)
    _, in_title = clean(retrieved.hit.title or retrieved.extracted.title)
    wrapped = retrieved.extracted.extracted_by in WRAPPED
    commands = [text[start:end] for start, end in commands_in(text, wrapped=wrapped)]
    if is_suspect(hit.title):
        commands.append(hit.title)
        hit = replace(hit, title=_plain_name(hit.url))
    flags = _flags(seen + in_title, commands, shows_them=is_about_commands(text))
    return Screened(
        hit,
        _line(retrieved.final_url, 4000),
        text,
        flags,
        is_cut=len(cleaned) > len(text),
        places=_places(retrieved.extracted, cleaned, len(text)),
    )


def screen_hit(hit: Hit) -> Hit:
    """Remove from a hit what a reader does not see, and fields that only an index's record may
    state.

    The result can then be stored.
    """
    is_known = is_record(hit)
    return replace(
        hit,
        url=_line(hit.url, 4000),
        title=_line(hit.title, _MAX_TITLE_LENGTH),
        snippet=clean(hit.snippet)[0][:_MAX_SNIPPET_LENGTH],
        authors=tuple(filter(None, (_line(name, 100) for name in hit.authors[:50]))),
        published=_line(hit.published, 40),
        doi=_line(hit.doi, 300) if is_known else "",
        arxiv_id=_line(hit.arxiv_id, 60) if is_known else "",
        citations=hit.citations if is_known else None,
        retracted=hit.retracted and is_known,
        content_url=_line(hit.content_url, 4000),
        venue=_line(hit.venue, 200) if is_known or hit.file else "",
        publisher=_line(hit.publisher, 200),
        claimed_doi=_line(hit.claimed_doi, 300) if is_known else "",
        figures=tuple(
            (_line(what, 80), _line(value, 200))
            for what, value in hit.figures[:_MAX_FIGURES]
            if not is_suspect(f"{what}: {value}")
        ),
    )


def screen_result(hit: Hit) -> Hit:
    """Screen what a source returned: a DOI that only a depositor typed becomes a claim."""
    return as_stated(screen_hit(hit))


def commands_in(text: str, *, wrapped: bool) -> list[tuple[int, int]]:
    """Find the sentences, headings, cells and lines of code that may command their reader."""
    spans = units(text, wrapped=wrapped)
    return [(start, end) for start, end in spans if is_suspect(text[start:end])]


def _unseen_in_page(retrieved: RetrievedDocument) -> Counter[str]:
    """Count in a page's own bytes what its extraction may have dropped silently."""
    if retrieved.extracted.extracted_by != "trafilatura":
        return Counter()
    _, seen = clean(html.unescape(retrieved.body.decode("utf-8", "ignore")))
    for kind in ("look-alike letters", "bidi characters"):
        seen.pop(kind, None)  # elsewhere on the page they reverse nothing that could be quoted
    return seen


def _described(retrieved: RetrievedDocument) -> Hit:
    """Fill fields that the source did not state from the document's own metadata."""
    hit, extracted = retrieved.hit, retrieved.extracted
    return replace(
        hit,
        title=hit.title.strip() or extracted.title.strip() or _plain_name(retrieved.final_url),
        authors=hit.authors or tuple(filter(_is_name, extracted.authors)),
        published=hit.published or extracted.published,
        publisher=hit.publisher or extracted.publisher,
    )


def _places(extracted: Extracted, cleaned: str, end: int) -> tuple[tuple[int, str], ...]:
    """Move pages and chapters to their offsets in the cleaned text; see `moved`."""
    starts = moved(extracted.text, [at for at, _ in extracted.places], cleaned)
    found = zip(starts, extracted.places[: len(starts)], strict=True)
    return tuple((at, _line(name, 80)) for at, (_, name) in found if at < end)


def moved(text: str, offsets: Sequence[int], cleaned: str) -> list[int]:
    """Return ascending offsets of a text as those in the text after `clean`.

    None are returned if they do not add up to the whole text: none is better than a wrong one.
    """
    ends = list(offsets)
    if not ends or ends != sorted(set(ends)) or not 0 <= ends[0] <= ends[-1] <= len(text):
        return []
    stretches = zip([0, *ends], [*ends, len(text)], strict=True)
    found = list(accumulate(len(clean(text[start:stop])[0]) for start, stop in stretches))
    return found if found.pop() == len(cleaned) else []


def _is_name(author: str) -> bool:
    return len(author) <= 80 and not is_suspect(author)


def _plain_name(url: str) -> str:
    """Name a document by its file, or its site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "Untitled"
    stem = PurePosixPath(unquote(parts.path)).stem
    return _line(stem.replace("-", " ").replace("_", " "), 120) or parts.hostname or "Untitled"


def _line(text: str, longest: int) -> str:
    return " ".join(clean(text)[0].split())[:longest]


def _flags(seen: Counter[str], commands: Sequence[str], *, shows_them: bool) -> tuple[Flag, ...]:
    """Count what was seen; the most certain command gives its score."""
    sure = [] if shows_them else [command for command in commands if is_instruction(command)]
    found = {
        "instructions": sure,
        "possible instructions": [command for command in commands if command not in sure],
    }
    counts = seen + Counter({kind: len(those) for kind, those in found.items()})
    return tuple(
        Flag(kind, counts[kind], max(map(score, found.get(kind, ())), default=0.0))
        for kind in _FLAGS
        if counts[kind] > 0
    )
