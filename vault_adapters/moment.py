"""Names of daily notes: a Moment.js date format as a pattern."""

import re

_TOKEN = re.compile(
    r"\[(?P<literal>[^\]]*)\]|(?P<token>YYYY|gggg|GGGG|MMMM|MMM|Mo|MM|M|DDDD|DDD|Do|DD|D"
    r"|dddd|ddd|dd|d|ww|wo|w|WW|Wo|W|Qo|Q|YY|gg|GG|E|e)"
)
_WORD = r"[^\W\d_]+\.?"
_DIGITS = {
    **dict.fromkeys(("YYYY", "gggg", "GGGG"), r"\d{4}"),
    **dict.fromkeys(("YY", "gg", "GG", "MM", "DD", "ww", "WW"), r"\d{2}"),
    **dict.fromkeys(("M", "D", "w", "W"), r"\d{1,2}"),
    **dict.fromkeys(("Mo", "Do", "wo", "Wo", "Qo"), r"\d{1,2}\w*\.?"),
    **dict.fromkeys(("MMMM", "MMM", "dddd", "ddd", "dd"), rf"(?:\d{{1,2}})?{_WORD}"),
    "DDDD": r"\d{3}",
    "DDD": r"\d{1,3}",
    "Q": "[1-4]",
    "d": "[0-6]",
    "e": "[0-6]",
    "E": "[1-7]",
}
_WORDS = frozenset(token for token, pattern in _DIGITS.items() if "+" in pattern or "*" in pattern)
_MAX_WORDS = 4


def date_pattern(date_format: str) -> re.Pattern[str]:
    """Return a pattern that matches names of `date_format` in full, in any language.

    Months and weekdays are any word, numbers any digits: it distinguishes daily notes from others,
    not valid dates from invalid ones. `[…]` is literal, as in Moment. No name matches a format of
    more words than a date has, because trying them all would never end.
    """
    words = [found for found in _TOKEN.finditer(date_format) if found["token"] in _WORDS]
    if len(words) > _MAX_WORDS:
        return re.compile(r"(?!)")
    pattern, at = "", 0
    for found in _TOKEN.finditer(date_format):
        pattern += re.escape(date_format[at : found.start()])
        token = found["token"]
        pattern += _DIGITS[token] if token else re.escape(found["literal"])
        at = found.end()
    return re.compile(pattern + re.escape(date_format[at:]))
