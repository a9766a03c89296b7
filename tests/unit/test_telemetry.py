"""Spans of a run: off by default, counts and nothing else, handed over by a real exporter."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon import telemetry
from tests.fakes.http_server import Reply, serving
from tests.fakes.run_parts import BREAD, BREAD_QUERY, RUN, Pages, Surroundings, a_hit, a_task
from tests.fakes.run_parts import an_agenda as agenda_of
from tests.fakes.source import FakeSource

TASK = a_task("staling of bread", BREAD_QUERY)


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    telemetry.turn_off()


@pytest.fixture
def spans() -> Any:
    """The spans that were handed over, kept in memory."""
    export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter = export.InMemorySpanExporter()
    telemetry.turn_on("", lambda: exporter)
    return exporter


def run(folder: Path) -> None:
    source = FakeSource("one", by_query={TASK.query: [a_hit("bread")]})
    around = Surroundings({"one": source, "two": FakeSource("two")}, Pages({"bread": BREAD}))
    asyncio.run(around.run(agenda_of(TASK), folder / RUN))


def ended(exporter: Any) -> dict[str, Any]:
    telemetry._state.provider.force_flush()
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_run_is_told_in_spans_with_its_counts(spans: Any, tmp_path: Path) -> None:
    with telemetry.span("research.run", tasks=1) as measured:
        run(tmp_path)
        measured.set(findings=1)
    told = ended(spans)
    assert set(told) == {"research.run", "research.task", "research.synthesis"}
    whole = told["research.run"]
    assert dict(whole.attributes) == {"lacuna.tasks": 1, "lacuna.findings": 1}
    for part in ("research.task", "research.synthesis"):
        assert told[part].parent.span_id == whole.context.span_id
    assert dict(told["research.task"].attributes) == {"lacuna.sources": 2, "lacuna.hits": 1}
    assert dict(told["research.synthesis"].attributes) == {
        "lacuna.findings": 1,
        "lacuna.left_out": 0,
        "lacuna.quotes": 3,
    }


def test_no_span_holds_text_of_a_note_a_question_or_a_page(spans: Any, tmp_path: Path) -> None:
    run(tmp_path)
    telemetry._state.provider.force_flush()
    told = " ".join(span.to_json() for span in spans.get_finished_spans())
    assert "research.task" in told
    for word in ("bread", "Bread", "stale", "example.org"):
        assert word not in told


def test_what_went_wrong_is_told_by_its_kind_only(spans: Any) -> None:
    with pytest.raises(ValueError, match="diary"), telemetry.span("research.run"):
        raise ValueError("my diary")
    told = ended(spans)["research.run"]
    assert told.status.description == "ValueError"
    assert "diary" not in told.to_json()


def test_spans_reach_a_collector(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    collector = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    with serving() as server:
        server.fallback = Reply(b"", 200, "application/x-protobuf")
        telemetry.turn_on(f"{server.origin}/")
        run(tmp_path)
        telemetry.turn_off()
    [asked] = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/traces")
    told = collector.ExportTraceServiceRequest.FromString(asked.body)
    [resource] = told.resource_spans
    names = {span.name for scope in resource.scope_spans for span in scope.spans}
    assert names == {"research.task", "research.synthesis"}


def test_who_turns_it_off_leaves_it_on_for_whoever_turned_it_on_since(spans: Any) -> None:
    off_before = telemetry.turn_on("", lambda: spans)
    off = telemetry.turn_on("", lambda: spans)
    off_before()
    with telemetry.span("research.run"):
        pass
    assert set(ended(spans)) == {"research.run"}
    off()
    with telemetry.span("research.task"):
        pass
    assert telemetry._state.provider is None


def test_while_it_is_off_nothing_of_it_is_imported() -> None:
    script = (
        "import sys\n"
        "from daemon import telemetry\n"
        "import daemon.cycle.runs\n"
        "with telemetry.span('research.run') as measured: measured.set(findings=1)\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_without_the_extra_it_is_said_once_how_to_have_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    telemetry.turn_on("http://127.0.0.1:4318")
    run(tmp_path)
    [record] = [record for record in caplog.records if record.name == "daemon.telemetry"]
    assert "pip install 'lacuna-daemon[telemetry]'" in record.getMessage()
