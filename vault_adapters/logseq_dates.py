"""Names of journal pages: dates in the formats that Logseq accepts.

Logseq formats with cljs-time, whose letters are Joda's: `MMM do, yyyy`, `yyyy_MM_dd`. A page name
is a date if one of several formats matches it (`safe-journal-title-formatters` in Logseq's
deps/graph-parser/src/logseq/graph_parser/date_time_util.cljs).
"""

import re
from collections.abc import Iterable
from datetime import date

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TOKEN = re.compile(r"'(?P<literal>[^']*)'|(?P<token>yyyy|yy|MMMM|MMM|MM|M|do|dd|d|EEEE|E{1,3})")
_WORD = r"[^\W\d_]+"
_PATTERNS = {
    "yyyy": r"(?P<year>\d{4})",
    "yy": r"(?P<short>\d{2})",
    "MMMM": rf"(?P<name>{_WORD})",
    "MMM": rf"(?P<name>{_WORD})",
    "MM": r"(?P<month>\d{2})",
    "M": r"(?P<month>\d{1,2})",
    "do": r"(?P<day>\d{1,2})(?:st|nd|rd|th)",
    "dd": r"(?P<day>\d{2})",
    "d": r"(?P<day>\d{1,2})",
}
DEFAULT_FORMAT = ("MMM do, yyyy", "yyyy-MM-dd", "yyyy_MM_dd")


class DateFormat:
    """One format, for reading and writing."""

    def __init__(self, text: str) -> None:
        self._parts = list(_parts(text))
        pattern, seen = "", set()
        for token, literal in self._parts:
            # A group may occur only once; a repeated part must repeat its value.
            part = _PATTERNS.get(token, _WORD) if token else re.escape(literal)
            group = re.match(r"\(\?P<\w+>", part)
            if group and group[0] in seen:
                part = part.replace(group[0], "(?:", 1)
            seen.add(group[0] if group else "")
            pattern += part
        self.pattern = re.compile(pattern, re.IGNORECASE)

    def parse(self, text: str) -> date | None:
        """Return the date that `text` is in this format, in any case, or None."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        parts = found.groupdict()
        year = int(parts["year"]) if parts.get("year") else 2000 + int(parts.get("short") or -2000)
        month = _month(parts["name"]) if parts.get("name") else int(parts.get("month") or 0)
        try:
            return date(year, month, int(parts.get("day") or 0))
        except ValueError:  # no such day, or a format that omits something
            return None

    def format(self, day: date) -> str:
        return "".join(_shown(token, day) if token else literal for token, literal in self._parts)


class Journals:
    """All formats in which a page name may be a date, the vault's own first."""

    def __init__(self, formats: Iterable[str]) -> None:
        self._formats = [
            DateFormat(text) for text in dict.fromkeys((*formats, *DEFAULT_FORMAT)) if text
        ]

    def date_of(self, name: str) -> date | None:
        """Return the date that a page name stands for, or None."""
        if not any(sign.isdigit() for sign in name):
            return None
        return next((day for each in self._formats if (day := each.parse(name))), None)

    def title(self, day: date) -> str:
        """Return the vault's name for the journal page of a day."""
        return self._formats[0].format(day)


def _parts(text: str) -> Iterable[tuple[str, str]]:
    at = 0
    for found in _TOKEN.finditer(text):
        if found.start() > at:
            yield "", text[at : found.start()]
        yield (found["token"], "") if found["token"] else ("", found["literal"])
        at = found.end()
    if at < len(text):
        yield "", text[at:]


def _month(name: str) -> int:
    lower = name.lower()
    for number, month in enumerate(_MONTHS, 1):
        if lower in (month.lower(), month[:3].lower()):
            return number
    return 0


def _shown(token: str, day: date) -> str:
    month, weekday = _MONTHS[day.month - 1], _DAYS[day.weekday()]
    shown = {
        "yyyy": f"{day.year:04}",
        "yy": f"{day.year % 100:02}",
        "MMMM": month,
        "MMM": month[:3],
        "MM": f"{day.month:02}",
        "M": str(day.month),
        "do": f"{day.day}{_ordinal(day.day)}",
        "dd": f"{day.day:02}",
        "d": str(day.day),
        "EEEE": weekday,
    }
    return shown.get(token, weekday[:3])


def _ordinal(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
