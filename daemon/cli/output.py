"""Output to stdout (results) and to stderr (progress, logs)."""

import json
import os
import re
import sys
import textwrap
from typing import Any

import click

from daemon.model.known_keys import mask

# Control characters that a terminal would obey: names and titles are untrusted.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WIDEST = 100  # columns
_USUAL = 80  # columns, where the terminal does not say


def emit(document: Any) -> None:
    """Print one JSON document on stdout."""
    click.echo(mask(json.dumps(document, ensure_ascii=False, indent=2)))


def say(text: str = "") -> None:
    """Print one or more lines of a result for the user."""
    click.echo(printable(text))


def printable(text: str) -> str:
    """Remove terminal control characters, and any known key."""
    return _CONTROL.sub("", mask(text))


def shortened(text: str, longest: int = 200) -> str:
    """Return a name or heading for one line of output: in a note, it may be any text."""
    return text if len(text) <= longest else f"{text[:longest].rstrip()}…"


def say_folded(text: str, indent: int) -> None:
    """Print paragraphs, each wrapped to the terminal's width and indented."""
    width = min(_columns(), _WIDEST)
    for paragraph in text.splitlines():
        for line in textwrap.wrap(paragraph, max(width - indent, 40), break_on_hyphens=False):
            say(" " * indent + line)


def _columns() -> int:
    """Return the width of the terminal, as `shutil` does, which takes 5 ms to load."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        terminal = sys.__stdout__.fileno() if sys.__stdout__ is not None else -1
        return os.get_terminal_size(terminal).columns or _USUAL
    except (ValueError, OSError):  # there is none, or it is no terminal
        return _USUAL


def warn(line: str) -> None:
    """Print a remark for a person on stderr, next to the result."""
    click.echo(f"lacuna: {printable(line)}", err=True)
