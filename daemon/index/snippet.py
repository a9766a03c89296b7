"""The stretch of a text that shows why it was found."""

import unicodedata
from collections.abc import Sequence

from daemon.index.plain_text import plain

_MAX_LENGTH = 240
_BEFORE = 60  # characters of context before the first matching word


def snippet(text: str, terms: Sequence[str], longest: int = _MAX_LENGTH) -> str:
    """Return at most `longest` characters of Markdown `text` as plain words on one line.

    It is the stretch with most of `terms` (in lower case, from `parse_query`) in it, or the
    beginning if there are none.
    """
    words = plain(text)
    if len(words) <= longest:
        return words
    room = longest - 2  # for an ellipsis at either end
    start = max(_best_start(words, terms, room) - _BEFORE, 0)
    start = min(start, len(words) - room)
    start = _word_start(words, start)
    end = _word_end(words, min(start + room, len(words)))
    before, after = "…" if start else "", "…" if end < len(words) else ""
    return f"{before}{words[start:end].strip()}{after}"


def _best_start(words: str, terms: Sequence[str], room: int) -> int:
    folded = _fold(words)
    places = sorted(
        (at, term) for term in terms for at in _places(folded, _fold(term)) if at < len(words)
    )
    best, most = 0, 0
    for number, (start, _) in enumerate(places):
        seen = {term for at, term in places[number:] if at < start + room - _BEFORE}
        if len(seen) > most:
            best, most = start, len(seen)
    return best


def _places(text: str, term: str, most: int = 20) -> list[int]:
    found: list[int] = []
    at = text.find(term)
    while at >= 0 and len(found) < most:
        if at == 0 or not text[at - 1].isalnum() or ord(text[at]) > 0x0E00:
            found.append(at)
        at = text.find(term, at + 1)
    return found


class _Folded(dict[int, str]):
    """Code point → its one replacement character, computed on first use."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKD", chr(code))[:1].lower()[:1] or " "
        self[code] = folded
        return folded


_FOLDED = _Folded()


def _fold(text: str) -> str:
    """Lower-case and strip accents character by character, so that offsets stay the same."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def _word_start(words: str, at: int) -> int:
    """Move on to the next word start, unless it is far away."""
    if at == 0 or words[at - 1].isspace():
        return at
    space = words.find(" ", at, at + 24)
    return space + 1 if space >= 0 else at


def _word_end(words: str, at: int) -> int:
    if at >= len(words) or words[at].isspace():
        return at
    space = words.rfind(" ", at - 24, at)
    return space if space >= 0 else at
