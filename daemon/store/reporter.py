"""Report work as events: steps with their progress, findings, sources, the end."""

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from daemon.model.errors import ErrorKind
from daemon.model.event import (
    BaseEvent,
    Count,
    Done,
    Ends,
    Error,
    FindingWritten,
    Handoff,
    QuestionRouted,
    SourceAnswered,
    StepComplete,
    StepProgress,
    StepStart,
    StreamToken,
)
from daemon.model.progress import Progress

_BETWEEN = 0.25  # seconds
_ESTIMATED_AFTER = 2.0  # seconds of a step before its remaining time is estimated
_NO_COUNTS: Mapping[str, Count] = MappingProxyType({})


class EventSink(Protocol):
    """Takes events; see `EventLog`."""

    @property
    def clock(self) -> Callable[[], datetime]: ...

    def write(self, event: BaseEvent) -> None: ...


@dataclass(slots=True)
class _Step:
    """A step in progress."""

    name: str
    began: float
    written_at: float
    part: str = ""
    first: int | None = None  # what was done at the first report of progress
    done: int = 0

    def seconds_left(self, done: int, total: int, now: float) -> float | None:
        """Estimate the remaining time from the pace so far; None if unknown."""
        first, passed = self.first or 0, now - self.began
        if done <= first or passed < _ESTIMATED_AFTER:
            return None
        return round(passed / (done - first) * max(total - done, 0), 1)


class StepReport:
    """What the body of a step reports: its progress, by a call, and counts for its end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.counts: dict[str, Count] = {}

    def __call__(self, done: int, total: int, what: str) -> None:
        self._progress(done, total, what)

    def count(self, **counts: Count) -> None:
        """Add counts to the event of its end."""
        self.counts.update(counts)


class _Pieces:
    """Pieces of a text, written together; thread-safe."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._waiting: list[str] = []
        self._written_at = -math.inf
        self._guard = threading.Lock()

    def add(self, piece: str, between: float) -> None:
        """Take a piece; write what waits if the last event is `between` seconds ago."""
        with self._guard:
            self._waiting.append(piece)
            is_due = time.monotonic() - self._written_at >= between
        if is_due:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        with self._guard:
            text = "".join(self._waiting)
            self._waiting.clear()
            self._written_at = time.monotonic()
            if text:
                self._write(text)


@dataclass(frozen=True, slots=True)
class Reporter:
    """Writes the events of one task into the log; without a log it does nothing.

    `run` and `request` are what it belongs to. Thread-safe.
    """

    log: EventSink | None = None
    run: str | None = None
    request: int | None = None
    between: float = _BETWEEN  # seconds between two progress events of one step
    _counted: list[_Step] = field(default_factory=list)  # the step of `progress`, if any

    def of_run(self, run: str) -> "Reporter":
        """Return a reporter of the same work for a run."""
        return replace(self, run=run, _counted=[])

    def of_request(self, request: int) -> "Reporter":
        """Return a reporter of a command's work."""
        return replace(self, request=request, _counted=[])

    @contextmanager
    def step(
        self,
        name: str,
        what: str = "",
        plan: tuple[str, ...] = (),
        *,
        part: str = "",
        counts: Mapping[str, Count] = _NO_COUNTS,
    ) -> Iterator["StepReport"]:
        """Report the beginning and the end of a step, and the progress of its body in between.

        `part` distinguishes it from steps of the same name that run at the same time. `counts` are
        for telemetry: numbers and words of ours, never text of a note or a page.
        """
        self._write(StepStart, step=name, what=what, plan=plan, part=part, counts=dict(counts))
        step = _Step(name, time.monotonic(), written_at=-math.inf, part=part)
        report, failed = StepReport(partial(self._progress, step)), ""
        try:
            yield report
        except BaseException as error:
            failed = type(error).__name__
            raise
        finally:
            self._end(step, report.counts, failed)

    def progress(self, done: int, total: int, what: str) -> None:
        """Report progress of unnamed steps: one ends when its count is full or restarts.

        The amount in the first report does not count for the estimate.
        """
        if self._counted and done < self._counted[0].done:
            self._end(self._counted.pop())
        if not self._counted:
            if done >= total:
                return
            self._write(StepStart, step=what, what=what)
            self._counted.append(_Step(what, time.monotonic(), written_at=-math.inf))
        self._progress(self._counted[0], done, total, what)
        if done >= total:
            self._end(self._counted.pop())

    def end_counted(self) -> None:
        """End the step of `progress`, if one is in progress."""
        if self._counted:
            self._end(self._counted.pop())

    def source_answered(self, **values: Any) -> None:
        """Report how a source answered; the values are those of the event."""
        self._write(SourceAnswered, **values)

    def finding_written(self, **values: Any) -> None:
        """Report a finding; the values are those of the event."""
        self._write(FindingWritten, **values)

    def state(self, step: str, done: int, total: int, what: str) -> None:
        """Report what a step waits for or has begun, even right after its last progress."""
        self._write(StepProgress, step=step, done=done, total=total, what=what)

    @contextmanager
    def tokens(self, answer: str) -> Iterator[Callable[[str], None]]:
        """Report the text of an answer as its pieces arrive, all of it by the end.

        A few events per second are written; `answer` is an id that they share.
        """
        pieces = _Pieces(lambda text: self._write(StreamToken, answer=answer, text=text))
        try:
            yield lambda piece: pieces.add(piece, self.between)
        finally:
            pieces.flush()

    def handoff(self, giver: str, taker: str, why: str = "") -> None:
        """Report that one worker hands its work to another, such as a reader to a writer."""
        self._write(Handoff, giver=giver, taker=taker, why=why)

    def routed(self, mode: str, reason: str) -> None:
        """Report how a question is going to be answered."""
        self._write(QuestionRouted, mode=mode, reason=reason)

    def done(self, ends: Ends) -> None:
        """Report that a command, a query or a run has succeeded."""
        self._write(Done, ends=ends)

    def error(self, ends: Ends, message: str, kind: ErrorKind = "") -> None:
        """Report that a command, a query or a run has failed."""
        self._write(Error, ends=ends, message=message, kind=kind)

    def _progress(self, step: _Step, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        if step.first is None:
            step.first = done
        step.done = done
        if now - step.written_at < self.between and done < total:
            return
        step.written_at = now
        left = step.seconds_left(done, total, now)
        self._write(
            StepProgress,
            step=step.name,
            part=step.part,
            done=done,
            total=total,
            what=what,
            seconds_left=left,
        )

    def _end(self, step: _Step, counts: Mapping[str, Count] = _NO_COUNTS, failed: str = "") -> None:
        self._write(
            StepComplete,
            step=step.name,
            part=step.part,
            done=step.done,
            seconds=round(time.monotonic() - step.began, 3),
            counts=dict(counts),
            failed=failed,
        )

    def _write(self, kind: type[BaseEvent], /, **values: Any) -> None:
        if self.log is not None:
            at = self.log.clock()
            event = kind(at=at, pid=os.getpid(), run=self.run, request=self.request, **values)
            self.log.write(event)


SILENT = Reporter()
