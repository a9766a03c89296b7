"""OpenTelemetry spans of runs: off by default, and then only counts are sent.

While it is off nothing of OpenTelemetry is imported. It is set up by the first span, so that only a
process that researches pays for it. A missing collector blocks nothing.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_log = logging.getLogger(__name__)

Count = int | float | bool | str
INSTALL = "pip install 'lacuna-daemon[telemetry]'"
_PREFIX = "lacuna."
_SECONDS = 5.0  # that sending spans may take


class Measured:
    """The attributes of a span; without telemetry, nobody receives them."""

    def set(self, **counts: Count) -> None:
        """Add attributes: numbers, and our own words; never text of a note or a page."""


class _Span(Measured):
    def __init__(self, span: Any) -> None:
        self._span = span

    def set(self, **counts: Count) -> None:
        for name, value in counts.items():
            self._span.set_attribute(_PREFIX + name, value)


class _State:
    """The current setup: the requested collector, and the provider once there is one."""

    def __init__(self) -> None:
        self.make_exporter: Callable[[], Any] | None = None
        # the owner of the current setup, or the last one
        self.mine: Callable[[], Any] | None = None
        self.provider: Any = None
        self.guard = threading.Lock()


_NOBODY = Measured()
_state = _State()


def turn_on(
    endpoint: str, exporter: Callable[[], Any] | None = None, *, headers: str = ""
) -> Callable[[], None]:
    """Send spans to the OTLP/HTTP collector at `endpoint`, or to the one that `exporter` makes.

    `headers` are those of a request, in the form of `OTEL_EXPORTER_OTLP_HEADERS`. Return what turns
    only this off again, not a later setup.
    """
    turn_off()
    make = exporter or (lambda: _otlp(endpoint, headers))
    with _state.guard:
        _state.make_exporter = _state.mine = make
    return lambda: turn_off() if _state.mine is make else None


def turn_off() -> None:
    """Hand over what there is, within a few seconds, and tell nobody from now on."""
    with _state.guard:
        provider, _state.provider, _state.make_exporter = _state.provider, None, None
    if provider is not None:
        provider.shutdown()


@contextmanager
def span(name: str, **counts: Count) -> Iterator[Measured]:
    """Measure a stretch of work, below the one that is measured around it."""
    provider = _provider()
    if provider is None:
        yield _NOBODY
        return
    from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 only while it is on

    tracer = provider.get_tracer("lacuna")
    # What an exception says may quote a note: only its type is told.
    with tracer.start_as_current_span(
        name, record_exception=False, set_status_on_exception=False
    ) as found:
        measured = _Span(found)
        measured.set(**counts)
        try:
            yield measured
        except BaseException as error:
            found.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def _provider() -> Any:
    """Return what spans are made by, set up if it was asked for, or None."""
    if _state.provider is None and _state.make_exporter is not None:
        with _state.guard:
            if _state.provider is None and _state.make_exporter is not None:
                try:
                    _state.provider = _set_up(_state.make_exporter)
                except ImportError:
                    _log.warning("telemetry is on, but OpenTelemetry is not there: %s", INSTALL)
                    _state.make_exporter = None
    return _state.provider


def _set_up(make_exporter: Callable[[], Any]) -> Any:
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 only while it is on
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 only while it is on
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 only while it is on

    provider = TracerProvider(
        resource=Resource.create({"service.name": "lacuna"}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(make_exporter()))
    return provider


def _otlp(endpoint: str, headers: str) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 only while it is on
        OTLPSpanExporter,
    )
    from opentelemetry.util.re import parse_env_headers  # noqa: PLC0415 only while it is on

    told = parse_env_headers(headers, liberal=True) if headers else None
    return OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=_SECONDS, headers=told)
