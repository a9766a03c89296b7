"""What goes to stdout (results) and to stderr (progress, logs)."""

import json
import logging
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from daemon.cli.logs import formatter, is_journal
from daemon.model.known_keys import mask

_DESCRIPTION = 44  # columns
# What a terminal would obey: names and titles come from anywhere.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BETWEEN_LINES = 5.0  # seconds, where there is no terminal to draw a bar on
_WIDEST = 100  # columns


def emit(document: Any) -> None:
    """Print one JSON document on stdout."""
    click.echo(mask(json.dumps(document, ensure_ascii=False, indent=2)))


def say(text: str = "") -> None:
    """Print a line of a result, or several, that a person reads."""
    click.echo(printable(text))


def printable(text: str) -> str:
    """Take out what would make a terminal do anything but show it, and any key that is known."""
    return _CONTROL.sub("", mask(text))


def say_folded(text: str, indent: int) -> None:
    """Print a paragraph, folded to the terminal's width and indented."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for line in textwrap.wrap(text, max(width - indent, 40), break_on_hyphens=False):
        say(" " * indent + line)


def warn(line: str) -> None:
    """Tell on stderr what a person should know beside the result."""
    click.echo(f"lacuna: {printable(line)}", err=True)


class Bars:
    """Progress on stderr, one bar per stretch of work: call with (done, total, what).

    A stretch ends when the count starts anew; until then `what` only tells how far it is. What is
    done by the first time it is told gets no bar. Where there is no terminal, a line now and then
    stands for the bar.
    """

    def __init__(self) -> None:
        self._bar: Any = None
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._told_at = time.monotonic()

    def __call__(self, done: int, total: int, what: str) -> None:
        what = printable(what)
        if not self._is_terminal:
            self._tell(done, total, what)
            return
        shown = f"{what[:_DESCRIPTION]:<{_DESCRIPTION}}"
        if self._bar is None or done < self._bar.n:
            self.close()
            self._bar = _bar(total, shown) if done < total else None
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_description_str(shown, refresh=False)
            self._bar.update(done - self._bar.n)

    def say(self, line: str) -> None:
        """Tell a line of its own, above the bar that is shown."""
        if self._bar is None:
            click.echo(printable(line), err=True)
        else:
            self._bar.write(printable(line), file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _tell(self, done: int, total: int, what: str) -> None:
        if time.monotonic() - self._told_at >= _BETWEEN_LINES:
            self._told_at = time.monotonic()
            click.echo(f"{done}/{total} {what}", err=True)


def _bar(total: int, shown: str) -> Any:
    from tqdm import tqdm  # noqa: PLC0415 only where somebody looks on

    return tqdm(
        desc=shown,
        total=total,
        file=sys.stderr,
        dynamic_ncols=True,
        mininterval=0.2,
        bar_format="{desc} {bar:24} {n_fmt}/{total_fmt} [{elapsed}<{remaining}]",
    )


@contextmanager
def progress() -> Iterator[Bars]:
    """Show progress while something runs."""
    bars = Bars()
    try:
        yield bars
    finally:
        bars.close()


def log_to_stderr(level: str, form: str = "text") -> None:
    """Send this program's logs to stderr; libraries only when they warn.

    `form` is `text`, or `json` for one object a line.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form, printable, to_journal=is_journal()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("daemon", "vault_adapters", "scheduler"):
        logging.getLogger(name).setLevel(level.upper())
