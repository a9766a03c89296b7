"""Identity numbers of persons, in the forms of the countries that idnumbers knows.

Any number may be somebody's, so only those forms count that tell them from other numbers: by check
digits, or by hyphens and slashes between groups.
"""

import re
from collections.abc import Iterator

from idnumbers import get_validator, list_supported_countries, normalize_id, validate

_MIN_DIGITS = 11  # of a number of digits alone; shorter ones have too many other meanings
_MIN_LENGTH = 9  # letters and digits of any other
_SIGNS = {"#": "[0-9]", "L": "[A-Z]", "X": "[A-Z0-9]", "*": "[-+A-FU-Y]"}
# As they are often written, besides the forms that the library lists.
_FURTHER = (
    ("FRA", "# ## ## XX ### ### ##"),
    ("GBR", "LL ## ## ## L"),
    ("GBR", "LL######L"),
    ("ESP", "########-L"),
)
_BOOK = r"(?!97[89]\d{10}\b)"  # an ISBN


def _forms() -> Iterator[tuple[str, str]]:
    """Yield a country and a form of its numbers, such as ("USA", "###-##-####")."""
    for country in list_supported_countries():
        known = getattr(get_validator(country.alpha3), "METADATA", None)
        for form in getattr(known, "masks", ()):
            if _is_informative(form, is_checked=bool(known and known.checksum)):
                yield country.alpha3, form
    yield from _FURTHER


def _is_informative(form: str, *, is_checked: bool) -> bool:
    length = sum(form.count(sign) for sign in _SIGNS)
    if not set(form) - {"#"}:
        return is_checked and length >= _MIN_DIGITS
    return length >= _MIN_LENGTH and (is_checked or not set("-/").isdisjoint(form))


def _pattern(form: str) -> str:
    return "".join(_SIGNS.get(sign) or re.escape(sign) for sign in form)


_COUNTRIES: dict[str, set[str]] = {}
for _country, _form in _forms():
    _COUNTRIES.setdefault(_form, set()).add(_country)
_SHAPES = [(re.compile(_pattern(form)), found) for form, found in _COUNTRIES.items()]
_LONGEST_FIRST = sorted(_COUNTRIES, key=lambda form: (-len(form), form))
IDENTITY = re.compile(
    rf"(?<![\w.,/-]){_BOOK}(?:{'|'.join(map(_pattern, _LONGEST_FIRST))})(?![\w/-]|[.,]\d)"
)


def is_identity(text: str) -> bool:
    """Return whether a text that `IDENTITY` found is valid in a country that has this form."""
    countries = (found for shape, found in _SHAPES if shape.fullmatch(text))
    return any(
        validate(country, form).is_valid
        for country in set().union(*countries)
        for form in {text, normalize_id(country, text) or text}
    )
