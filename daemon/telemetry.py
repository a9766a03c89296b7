"""OpenTelemetry spans of runs, read from the event stream: off by default, only counts are sent.

It is set up by the first step of a run, so that only a process that researches pays for it. Spans
are sent in the background: a missing or slow collector blocks nothing.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from daemon.model.event import BaseEvent, Count, StepComplete, StepKey, StepStart, step_key
from daemon.model.late import LateModule

if TYPE_CHECKING:
    from daemon import spans
else:
    spans = LateModule("daemon.spans")  # the optional library

_log = logging.getLogger(__name__)

INSTALL = "pip install 'lacuna-daemon[telemetry]'"
_PREFIX = "lacuna."
# Steps whose duration is sent, by the names of their spans; the first contains the others.
_SPANS = {"research": "research.run", "task": "research.task", "judge": "research.synthesis"}


class Telemetry:
    """A reader of the event stream that sends the steps of runs to an OTLP/HTTP collector.

    `headers` are those of a request, in the form of `OTEL_EXPORTER_OTLP_HEADERS`; `exporter` sends
    the spans elsewhere.
    """

    def __init__(
        self, endpoint: str, headers: str = "", exporter: Callable[[], Any] | None = None
    ) -> None:
        self._make_exporter = exporter or (lambda: spans.make_exporter(endpoint, headers))
        self._is_on = True
        self._provider: Any = None
        self._open: dict[StepKey, Any] = {}
        self._guard = threading.Lock()

    def read(self, event: BaseEvent) -> None:
        """Begin or end a span, if this is a step of a run."""
        if not isinstance(event, StepStart | StepComplete) or event.step not in _SPANS:
            return
        with self._guard:
            if isinstance(event, StepStart):
                self._begin(event)
            elif (span := self._open.pop(step_key(event), None)) is not None:
                self._end(span, event)

    def flush(self) -> None:
        """Send what there is."""
        if self._provider is not None:
            self._provider.force_flush()

    def close(self) -> None:
        """Send what there is, within a few seconds, and nothing from now on."""
        with self._guard:
            provider, self._provider, self._is_on = self._provider, None, False
        if provider is not None:
            provider.shutdown()

    def _begin(self, event: StepStart) -> None:
        if not self._is_on or not self._set_up():
            return
        whole = self._open.get((event.run, event.request, next(iter(_SPANS)), ""))
        span = self._provider.get_tracer("lacuna").start_span(
            _SPANS[event.step],
            context=spans.set_span_in_context(whole) if whole is not None else None,
            attributes=_attributes(event.counts),
            start_time=_nanoseconds(event.at),
        )
        self._open[step_key(event)] = span

    def _end(self, span: Any, event: StepComplete) -> None:
        span.set_attributes(_attributes(event.counts))
        if event.failed:  # the message might quote a note
            span.set_status(spans.Status(spans.StatusCode.ERROR, event.failed))
        span.end(_nanoseconds(event.at))

    def _set_up(self) -> bool:
        """Return whether spans can be made."""
        if self._provider is None:
            try:
                self._provider = spans.make_provider(self._make_exporter)
            except ImportError:
                _log.warning("telemetry is on, but OpenTelemetry is not there: %s", INSTALL)
                self._is_on = False
        return self._provider is not None


def _attributes(counts: Mapping[str, Count]) -> dict[str, Count]:
    return {f"{_PREFIX}{name}": value for name, value in counts.items()}


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000_000)
