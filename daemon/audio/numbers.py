"""Numbers in English words, by the rules of the Unicode CLDR (unicode-rbnf)."""

from functools import cache

from unicode_rbnf import FormatPurpose, RbnfEngine

_ORDINAL_DIGITS = ("st", "nd", "rd", "th")
_MAX_DIGITS = 15  # a longer number is read digit by digit
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@cache
def _engine() -> RbnfEngine:
    return RbnfEngine.for_language("en")


def cardinal(digits: str) -> str:
    """Return a number in words; `digits` may have commas, a decimal point and a minus."""
    plain = digits.replace(",", "").replace("−", "-").replace(" ", "").replace(" ", "")
    minus = "minus " if plain.startswith("-") else ""
    whole, point, decimals = plain.lstrip("-").partition(".")
    words = _whole(whole)
    if point and decimals:
        words += " point " + " ".join(_DIGITS[int(each)] for each in decimals)
    return minus + words


def ordinal(number: int) -> str:
    """Return `third` for 3."""
    return _engine().format_number(number, FormatPurpose.ORDINAL).text.replace("-", " ")


def year(number: int) -> str:
    """Return a year as it is read: `nineteen ninety-eight`."""
    if number % 100 and number % 100 < 10 and number // 100 not in (10, 20):
        return f"{_whole(str(number // 100))} oh {_DIGITS[number % 100]}"
    return _engine().format_number(number, FormatPurpose.YEAR).text


def decade(number: int) -> str:
    """Return `nineteen nineties` for 1990."""
    tens = number % 100
    if not tens:
        return year(number).removesuffix(" hundred") + (" hundreds" if number != 2000 else "s")
    century = _whole(str(number // 100))
    return f"{century} {_whole(str(tens)).removesuffix('y')}ies"


def digit_by_digit(digits: str) -> str:
    """Return the digits one by one."""
    return " ".join(_DIGITS[int(each)] for each in digits if each.isdecimal())


def _whole(digits: str) -> str:
    is_code = len(digits) > 1 and digits.startswith("0")
    if not digits:
        return _DIGITS[0]
    if is_code or len(digits) > _MAX_DIGITS:
        return digit_by_digit(digits)
    return _engine().format_number(int(digits)).text
