"""Mail addresses, phone, card, account and identity numbers, taken out of what models are given.

Patterns find what may be one; libraries decide: validators by the form of addresses and the check
digits of cards and accounts, phonenumbers by the data of Google's libphonenumber, and
`identity_numbers` by the rules of idnumbers.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import validators
from phonenumbers import PhoneNumberMatcher, is_valid_number, parse

from daemon.models.identity_numbers import IDENTITY, is_identity

_MAIL = re.compile(r"(?<![\w+-])\w[\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{2,63})+")
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d.,]*\d|\w)")
_CALLED = re.compile(
    r"(?<![\w.,/-])\(?[2-9]\d\d(?:\) ?|-)\d{3}-\d{4}(?![\w/-]|[.,]\d)"
)  # in the US
_MIN_PHONE_LENGTH = 8  # characters of a text that can hold a phone number


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without personal numbers and addresses, and how many of each kind were in it."""

    text: str
    counts: Mapping[str, int]


def redact(text: str) -> Redacted:
    """Return `text` with `[MAIL]`, `[ACCOUNT]`, `[CARD]`, `[ID]`, `[PHONE]` in their places."""
    counts = Counter[str]()
    for kind, pattern, holds in _KINDS:

        def put(
            found: re.Match[str], kind: str = kind, holds: Callable[[str], bool] = holds
        ) -> str:
            if not holds(found.group()):
                return found.group()
            counts[kind] += 1
            return f"[{kind}]"

        text = pattern.sub(put, text)
    return Redacted(_without_phones(text, counts), dict(counts))


def _is_mail(text: str) -> bool:
    return validators.email(text) is True


def _is_account(text: str) -> bool:
    return validators.iban(text.replace(" ", "")) is True


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return len(set(digits)) > 1 and validators.card_number(digits) is True


def _is_called(text: str) -> bool:
    return is_valid_number(parse(text, "US"))


_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("MAIL", _MAIL, _is_mail),
    ("ACCOUNT", _ACCOUNT, _is_account),
    ("CARD", _CARD, _is_card),
    ("PHONE", _CALLED, _is_called),
    ("ID", IDENTITY, is_identity),
)


def _without_phones(text: str, counts: Counter[str]) -> str:
    """Take out numbers with a country code; most without one could be something else."""
    if "+" not in text or len(text) < _MIN_PHONE_LENGTH:
        return text
    for found in reversed(list(PhoneNumberMatcher(text, None))):
        text = f"{text[: found.start]}[PHONE]{text[found.end :]}"
        counts["PHONE"] += 1
    return text
