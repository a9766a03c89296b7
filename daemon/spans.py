"""The part of OpenTelemetry that is used: loaded while telemetry is on, if it is installed."""

from collections.abc import Callable
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode, set_span_in_context
from opentelemetry.util.re import parse_env_headers

__all__ = ["Status", "StatusCode", "make_exporter", "make_provider", "set_span_in_context"]

_SECONDS = 5.0  # that sending spans may take


def make_provider(make_exporter: Callable[[], Any]) -> Any:
    """Return a tracer provider that sends spans in the background."""
    provider = TracerProvider(
        resource=Resource.create({"service.name": "lacuna"}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(make_exporter()))
    return provider


def make_exporter(endpoint: str, headers: str) -> Any:
    """Return an exporter to an OTLP/HTTP collector."""
    parsed = parse_env_headers(headers, liberal=True) if headers else None
    return OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=_SECONDS, headers=parsed)
