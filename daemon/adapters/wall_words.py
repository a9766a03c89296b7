"""The phrases of `walls.yaml`, which identify bot checks, consent pages and the like."""

import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

KINDS = {
    "paywall": "a paywall",
    "robots": "a bot check",
    "consent": "a consent page",
    "login": "a login page",
    "error": "an error page",
}
_SITE = r"\W*(?:(?:\s[-|–—·•»]|\|)\s?.{0,80})?"  # the site's name after a title


def kind_of_wall(text: str, *, kinds: Collection[str] = tuple(KINDS)) -> str:
    """Return the first of `kinds` of walls whose phrases are in a text, or ""."""
    text = _plain(text)
    return next((KINDS[kind] for kind in kinds if _phrases(kind).search(text)), "")


def is_payment_request(text: str) -> bool:
    """Return whether a text asks its reader to pay, or to sign in, for the rest of it."""
    return _phrases("paywall").search(_plain(text)) is not None


def is_wall_title(title: str) -> bool:
    """Return whether a title, before the site's name, only says that there is no content."""
    return _titles().fullmatch(_plain(title.strip())) is not None


def _plain(text: str) -> str:
    return text.replace("’", "'")


@cache
def _phrases(kind: str) -> re.Pattern[str]:
    lines = (rf"\A\W*{line[1:]}" if line.startswith("^") else line for line in _table()[kind])
    return re.compile("|".join(f"(?:{line})" for line in lines), re.IGNORECASE | re.MULTILINE)


@cache
def _titles() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(_table()['titles'])}){_SITE}", re.IGNORECASE | re.DOTALL)


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(
        files(__package__).joinpath("walls.yaml").read_text("utf-8")
    )
    return found
