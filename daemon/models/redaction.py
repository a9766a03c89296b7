"""Mail addresses, phone, card, account and identity numbers, taken out of what models are given.

Phone numbers are found by phonenumbers (the data of Google's libphonenumber); accounts and cards
are distinguished from other numbers by their check digits.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from phonenumbers import PhoneNumberMatcher

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63})+")
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d.,]*\d)")
_IDENTITY = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")  # of the United States
_MIN_PHONE_LENGTH = 8  # characters of a text that can hold a phone number
_MOD_ACCOUNT = 97
_CARD_LENGTHS = range(13, 20)
_NINE = 9


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without personal numbers and addresses, and how many of each kind were in it."""

    text: str
    counts: Mapping[str, int]


def redact(text: str) -> Redacted:
    """Return `text` with `[MAIL]`, `[ACCOUNT]`, `[CARD]`, `[ID]`, `[PHONE]` in their places."""
    counts = Counter[str]()
    kinds: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
        ("MAIL", _MAIL, lambda _: True),
        ("ACCOUNT", _ACCOUNT, is_account),
        ("CARD", _CARD, is_card),
        ("ID", _IDENTITY, lambda _: True),
    )
    for kind, pattern, holds in kinds:

        def put(
            found: re.Match[str], kind: str = kind, holds: Callable[[str], bool] = holds
        ) -> str:
            if not holds(found.group()):
                return found.group()
            counts[kind] += 1
            return f"[{kind}]"

        text = pattern.sub(put, text)
    return Redacted(_without_phones(text, counts), dict(counts))


def is_account(text: str) -> bool:
    """Return whether a text is an IBAN, by its check digits (ISO 7064, mod 97)."""
    plain = text.replace(" ", "")
    digits = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return int(digits) % _MOD_ACCOUNT == 1


def is_card(text: str) -> bool:
    """Return whether a text is a card number, by its check digit (Luhn)."""
    digits = [int(c) for c in text if c.isdigit()]
    if len(digits) not in _CARD_LENGTHS or len(set(digits)) == 1:
        return False
    doubled = [each * 2 for each in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(n - _NINE if n > _NINE else n for n in doubled)) % 10 == 0


def _without_phones(text: str, counts: Counter[str]) -> str:
    """Take out numbers with a country code; without one, any number could be a phone's."""
    if "+" not in text or len(text) < _MIN_PHONE_LENGTH:
        return text
    for found in reversed(list(PhoneNumberMatcher(text, None))):
        text = f"{text[: found.start]}[PHONE]{text[found.end :]}"
        counts["PHONE"] += 1
    return text
