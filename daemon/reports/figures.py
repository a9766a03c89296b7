"""The values and the dates in statements, as they are written: the table and the timeline."""

import re
from collections import Counter
from collections.abc import Iterable

from daemon.model.report import Dated, Figure, Said, source_of, text_of
from daemon.research.quantities import values_in

_MAX_FIGURES, _MAX_DATES = 12, 12
_MAX_OF_ONE = 3  # of one source
_MAX_VALUES = 4  # of one statement
_INTERVAL = re.compile(r"\b9\d(?:\.\d)?\s?%\s?(?:CIs?\b|confidence)", re.IGNORECASE)  # no result
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
# A year alone may be a citation or a number: a word before it says that it is a time.
_DATE = re.compile(
    rf"\b(?:(?P<day>[0-3]?\d)(?:st|nd|rd|th)? )?{_MONTH}"
    r"(?: (?P<day_after>[0-3]?\d)(?:st|nd|rd|th)?)?"
    r",? (?P<year>1[5-9]\d\d|20\d\d)\b"
    r"|\b(?:in|since|by|until|from|during|around) (?:early |late |mid-?)?"
    r"(?P<lone>1[5-9]\d\d|20\d\d)\b(?!s|[-–/]\d)",
    re.IGNORECASE,
)


def figures_of(said: Iterable[Said]) -> tuple[Figure, ...]:
    """Return the statements with values and units, the values of each; few of each source."""
    found: list[Figure] = []
    counts = Counter[str]()
    for each in said:
        text = text_of(each)
        values = list(dict.fromkeys(values_in(_INTERVAL.sub("", text))))[:_MAX_VALUES]
        if values and counts[source_of(each)] < _MAX_OF_ONE:
            counts[source_of(each)] += 1
            found.append(Figure(" · ".join(values), each, date_in(text)))
    return tuple(found[:_MAX_FIGURES])


def timeline_of(said: Iterable[Said]) -> tuple[Dated, ...]:
    """Return the statements that name when something was, the earliest first."""
    found: list[Dated] = []
    counts = Counter[str]()
    for each in said:
        when = date_in(text_of(each))
        if when and counts[source_of(each)] < _MAX_OF_ONE:
            counts[source_of(each)] += 1
            found.append(Dated(when, each))
    return tuple(sorted(found[:_MAX_DATES], key=lambda one: one.when))


def date_in(text: str) -> str:
    """Return the first date in a text in ISO 8601, as precise as it is; "" for none."""
    match = _DATE.search(text)
    if match is None:
        return ""
    if match["lone"]:
        return match["lone"]
    month = _MONTHS.index(match["month"].lower()) + 1
    day = int(match["day"] or match["day_after"] or 0)
    return f"{match['year']}-{month:02}" + (f"-{day:02}" if 1 <= day <= 31 else "")
