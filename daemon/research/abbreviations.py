"""What the abbreviations of quotes stand for, as their documents introduce them.

The long form is found as by Schwartz and Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text" (2003): the words before "(ABBR)" whose letters spell it.
"""

import re
from collections.abc import Iterable, Iterator

from daemon.model.finding import Abbreviation
from daemon.research.instructions import is_suspect

_MAX_SHOWN = 5
_SHORT = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z][\w-]*[A-Z])[A-Za-z][\w-]{1,9}(?![\w-])")
_MAX_LENGTH = 120  # characters of the text before the parenthesis


def abbreviations(quoted: Iterable[tuple[str, str]], note: str) -> tuple[Abbreviation, ...]:
    """Return the abbreviations of quotes with their long forms, verbatim, in the order of use.

    `quoted` has each quote and the text of its document. What a quote explains itself, or the user
    writes in `note`, is not among them.
    """
    pairs = list(quoted)
    shown = " ".join(quote for quote, _ in pairs)
    found: dict[str, str] = {}
    for quote, text in pairs:
        for short in _short_forms(quote):
            is_known = short in found or re.search(rf"\b{re.escape(short)}s?\b", note)
            long = None if is_known else long_form(short, text)
            if long and long.casefold() not in shown.casefold() and not is_suspect(long):
                found[short] = long
    return tuple(Abbreviation(*each) for each in list(found.items())[:_MAX_SHOWN])


def _short_forms(quote: str) -> Iterator[str]:
    for match in _SHORT.finditer(quote):
        short = match[0]
        yield short[:-1] if short.endswith("s") and short[:-1].isupper() else short


def long_form(short: str, text: str) -> str | None:
    """Return the words whose letters spell an abbreviation, where a text introduces it."""
    for opened in re.finditer(rf"\(\s*{re.escape(short)}s?\s*[);,:]", text):
        before = " ".join(text[max(opened.start() - _MAX_LENGTH, 0) : opened.start()].split())
        words = re.split(r"(?<=[.;:!?()])\s", before)[-1].split()
        most = min(len(short) + 5, 2 * len(short))
        if (long := _spelled(short, " ".join(words[-most:]))) is not None:
            return long
    return None


def _spelled(short: str, before: str) -> str | None:
    """Match the letters of an abbreviation from the end; its first letter begins a word."""
    at = len(before)
    letters = [each for each in short.casefold() if each.isalnum()]
    folded = [each.casefold()[:1] for each in before]  # as long as the text: "ß" would be longer
    for place, letter in reversed(list(enumerate(letters))):
        at -= 1
        while at >= 0 and (folded[at] != letter or (place == 0 and before[at - 1 : at].isalnum())):
            at -= 1
        if at < 0:
            return None
    long = before[at:]
    is_longer = (len(long) > len(short) + 2 and " " in long) or len(long) > 2 * len(short)
    return long if is_longer and short not in long.split() else None
