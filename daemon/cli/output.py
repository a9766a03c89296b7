"""Output to stdout (results) and to stderr (progress, logs)."""

import json
import logging
import re
import shutil
import sys
import textwrap
from typing import Any

import click

from daemon.cli.logs import formatter, is_journal
from daemon.model.known_keys import mask

# Control characters that a terminal would obey: names and titles are untrusted.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WIDEST = 100  # columns


def emit(document: Any) -> None:
    """Print one JSON document on stdout."""
    click.echo(mask(json.dumps(document, ensure_ascii=False, indent=2)))


def say(text: str = "") -> None:
    """Print one or more lines of a result for a person."""
    click.echo(printable(text))


def printable(text: str) -> str:
    """Remove terminal control characters, and any known key."""
    return _CONTROL.sub("", mask(text))


def say_folded(text: str, indent: int) -> None:
    """Print a paragraph, wrapped to the terminal's width and indented."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for line in textwrap.wrap(text, max(width - indent, 40), break_on_hyphens=False):
        say(" " * indent + line)


def warn(line: str) -> None:
    """Print a remark for a person on stderr, next to the result."""
    click.echo(f"lacuna: {printable(line)}", err=True)


def log_to_stderr(level: str, form: str = "text") -> None:
    """Send this program's logs to stderr; libraries only when they warn.

    `form` is `text`, or `json` for one object a line.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form, printable, to_journal=is_journal()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("daemon", "vault_adapters", "scheduler"):
        logging.getLogger(name).setLevel(level.upper())
