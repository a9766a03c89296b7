"""A table of what the daemon does, redrawn in place; above it, a line for each event."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from daemon.cli.output import printable
from daemon.model.event import (
    BaseEvent,
    StepComplete,
    StepKey,
    StepProgress,
    StepStart,
    StreamToken,
    step_key,
)
from daemon.model.wording import time_left
from daemon.usecases.event_lines import lines_of, lines_of_steps

_TAIL = 300  # characters of the text that a language model is writing
_BETWEEN = 0.2  # seconds between two redraws for progress alone
_BAR = 24  # columns


class Board:
    """What is in progress, by the events so far."""

    def __init__(self) -> None:
        self.steps: dict[StepKey, StepStart | StepProgress] = {}
        self.text = ""
        self._pid = 0

    def take(self, event: BaseEvent) -> None:
        """Update it by an event; the work of a process that has ended is gone."""
        if event.pid != self._pid:
            self._pid = event.pid
            self.steps.clear()
        match event:
            case StepStart() | StepProgress():
                self.steps[step_key(event)] = event
            case StepComplete():
                self.steps.pop(step_key(event), None)
                self.text = "" if event.step == "write" else self.text
            case StreamToken():
                self.text = (self.text + event.text)[-_TAIL:]
            case _:
                pass


class FollowTable:
    """Shows a board in a terminal."""

    def __init__(self, console: Console, live: Live) -> None:
        self._console = console
        self._live = live
        self._board = Board()
        self._drawn_at = -math.inf

    def show(self, event: BaseEvent) -> None:
        """Show an event."""

        self._board.take(event)
        for line in (*lines_of(event), *lines_of_steps(event)):
            self._console.print(Text(printable(line)), soft_wrap=True)
        self._live.update(table_of(self._board), refresh=self._is_due(event))

    def _is_due(self, event: BaseEvent) -> bool:
        """Return whether to redraw now: progress and text wait a moment for more of it."""
        now = time.monotonic()
        if isinstance(event, StepProgress | StreamToken) and now - self._drawn_at < _BETWEEN:
            return False
        self._drawn_at = now
        return True


@contextmanager
def follow_table(console: Console | None = None) -> Iterator[FollowTable]:
    """Show a table in the terminal for a while; it is redrawn only where it changed."""

    console = console or Console(stderr=True, highlight=False)
    with Live(
        table_of(Board()),
        console=console,
        auto_refresh=False,
        vertical_overflow="crop",
        redirect_stdout=False,
        redirect_stderr=False,
    ) as live:
        yield FollowTable(console, live)


def table_of(board: Board) -> Table:
    """Return the rich table of a board: step, progress, count, time left."""

    table = Table.grid(padding=(0, 2), expand=False)
    table.add_column(no_wrap=True)
    table.add_column(width=_BAR)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="ellipsis", no_wrap=True)
    for each in board.steps.values():
        what = printable(each.what) if each.what != each.step else ""
        if isinstance(each, StepProgress) and each.total > 0:
            bar = ProgressBar(total=each.total, completed=each.done, width=_BAR)
            left = time_left(each.seconds_left).lstrip(", ")
            last = " · ".join(part for part in (left, what) if part)
            table.add_row(Text(each.step), bar, f"{each.done} of {each.total}", Text(last))
        else:
            table.add_row(Text(each.step), "", "", Text(what))
    if not board.steps:
        table.add_row(Text("nothing to do", style="dim"), "", "", "")
    if board.text:
        table.add_row(Text("text"), "", "", Text("…" + " ".join(printable(board.text).split())))
    return table
