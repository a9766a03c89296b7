"""Parts of sentences: counts, names in quotation marks, points in time."""

import re
from datetime import datetime

_MINUTE = 60.0  # seconds
_SMALL_NUMBERS = "One Two Three Four Five Six Seven Eight Nine"
_SECOND_COUNT = re.compile(r"^(notes? and )([1-9])\b")
_NUMBERS = dict(zip("123456789", _SMALL_NUMBERS.split(), strict=True))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 note`, `3,000 notes`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def sentence_start(sentence: str) -> str:
    """Return a sentence that begins with counts: numbers below ten become words.

    `3 notes and 1 canvas link` becomes `Three notes and one canvas link`.
    """
    number, _, rest = sentence.partition(" ")
    rest = _SECOND_COUNT.sub(lambda found: found[1] + _NUMBERS[found[2]].lower(), rest)
    return f"{_NUMBERS.get(number, number)} {rest}"


def quoted(text: str) -> str:
    """Return a text in quotation marks, which show where it ends."""
    return f"“{text}”"


def moment(at: datetime) -> str:
    """Return a time as `Sat 2026-11-21 09:30`, in local time."""
    return f"{at.astimezone():%a %Y-%m-%d %H:%M}"


def time_left(seconds: float | None) -> str:
    """Return an estimate to append to a count, as `, about 3 min left`; "" without one."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return ", less than 1 min left"
    return f", about {round(seconds / _MINUTE)} min left"
