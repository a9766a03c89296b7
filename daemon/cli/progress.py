"""Progress on stderr: a bar or lines, from events."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from daemon.cli.output import printable
from daemon.model.event import BaseEvent, StepComplete, StepProgress
from daemon.model.wording import time_left
from daemon.usecases.event_lines import lines_of, lines_of_steps

_DESCRIPTION = 44  # columns
_PATIENCE = 2.0  # seconds
_BETWEEN_LINES = 5.0  # seconds, if there is no terminal to draw a bar on


class Bars:
    """Progress on stderr, one bar per step: call with (done, total, what).

    A step ends when the count restarts; until then `what` only describes the progress. What is done
    by the first call gets no bar. Without a terminal, a line now and then replaces the bar.
    """

    def __init__(self) -> None:
        self._bar: Any = None
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown_at = time.monotonic()

    def __call__(self, done: int, total: int, what: str) -> None:
        what = printable(what)
        if not self._is_terminal:
            self._log_progress(done, total, what)
            return
        shown = f"{what[:_DESCRIPTION]:<{_DESCRIPTION}}"
        if self._bar is None or done < self._bar.n:
            self.close()
            self._bar = _bar(total, shown) if done < total else None
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_description_str(shown, refresh=False)
            self._bar.update(done - self._bar.n)

    def print(self, line: str) -> None:
        """Print a separate line above the current bar."""
        if self._bar is None:
            click.echo(printable(line), err=True)
        else:
            self._bar.write(printable(line), file=sys.stderr)

    def show(self, event: BaseEvent) -> None:
        """Show an event: the progress, or a line of its own."""
        self.show_counts(event)
        for line in lines_of(event):
            self.print(line)

    def follow(self, event: BaseEvent) -> None:
        """Show an event of any work of a daemon: as `show`, and where steps begin and end."""
        self.show(event)
        if isinstance(event, StepComplete):
            self.close()
        for line in lines_of_steps(event):
            self.print(line)

    def show_counts(self, event: BaseEvent) -> None:
        """Show the progress if an event reports it."""
        if isinstance(event, StepProgress):
            left = "" if self._is_terminal else time_left(event.seconds_left)
            self(event.done, event.total, f"{event.what}{left}")

    def show_at_once(self, event: BaseEvent) -> None:
        """Show the same however recently there was a line."""
        self._shown_at = -math.inf
        self.show_counts(event)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _log_progress(self, done: int, total: int, what: str) -> None:
        if time.monotonic() - self._shown_at >= _BETWEEN_LINES:
            self._shown_at = time.monotonic()
            click.echo(f"{done}/{total} {what}", err=True)


@contextmanager
def progress() -> Iterator[Bars]:
    """Show progress while something runs."""
    bars = Bars()
    try:
        yield bars
    finally:
        bars.close()


class _LateBars:
    """Shows a line and the progress of what takes more than a few seconds; thread-safe."""

    def __init__(self, line: str, bars: Bars) -> None:
        self._line, self._bars = line, bars
        self._lock = threading.Lock()
        self._last: BaseEvent | None = None
        self._is_late = False

    def __call__(self, event: BaseEvent) -> None:
        """Take an event."""
        with self._lock:
            if isinstance(event, StepProgress):
                self._last = event
            if self._is_late:
                self._bars.show_counts(event)

    def begin(self) -> None:
        """Show the line, and the progress so far."""
        with self._lock:
            self._is_late = True
            self._bars.print(self._line)
            if self._last is not None:
                self._bars.show_at_once(self._last)


@contextmanager
def patience(line: str, bars: Bars | None = None) -> Iterator[Callable[[BaseEvent], None]]:
    """Show a line if something takes more than a few seconds, such as above a bar of `bars`.

    Yields what takes the events of the work: their progress is shown from then on.
    """
    own = Bars() if bars is None else bars
    late = _LateBars(line, own)
    timer = threading.Timer(_PATIENCE, late.begin)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        if bars is None:
            own.close()


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
