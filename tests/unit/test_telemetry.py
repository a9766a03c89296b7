"""Spans of a run: off by default, counts and nothing else, handed over by a real exporter."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from daemon.model.late import LateModule
from daemon.store.events import EventLog
from daemon.store.reporter import Reporter
from daemon.telemetry import Telemetry
from tests.fakes.http_server import Reply, serving
from tests.fakes.run_parts import BREAD, BREAD_QUERY, NOW, RUN, Pages, Surroundings, a_hit, a_task
from tests.fakes.run_parts import an_agenda as agenda_of
from tests.fakes.source import FakeSource

TASK = a_task("staling of bread", BREAD_QUERY)


@pytest.fixture
def exporter() -> Any:
    return InMemorySpanExporter()


@pytest.fixture
def telemetry(exporter: Any) -> Iterator[Telemetry]:
    """Telemetry whose spans are kept in memory."""
    with closing(Telemetry("", exporter=lambda: exporter)) as telemetry:
        yield telemetry


def run(folder: Path, telemetry: Telemetry) -> None:
    """Research in a run that its caller reports."""
    source = FakeSource("one", by_query={TASK.query: [a_hit("bread")]})
    pages = Pages({"bread": BREAD})
    with reported(folder, telemetry) as report:
        around = Surroundings({"one": source, "two": FakeSource("two")}, pages, report=report)
        with report.step("research", "Bread", counts={"tasks": 1}) as step:
            asyncio.run(around.run(agenda_of(TASK), folder / RUN))
            step.count(findings=1)


@contextmanager
def reported(folder: Path, telemetry: Telemetry) -> Iterator[Reporter]:
    with closing(EventLog(folder, folder.joinpath, lambda: NOW)) as log:
        log.subscribe(telemetry.read)
        yield Reporter(log, run=RUN)


def ended(telemetry: Telemetry, exporter: Any) -> dict[str, Any]:
    telemetry.flush()
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_run_is_traced_in_spans_with_its_counts(
    telemetry: Telemetry, exporter: Any, tmp_path: Path
) -> None:
    run(tmp_path, telemetry)
    spans = ended(telemetry, exporter)
    assert set(spans) == {"research.run", "research.task", "research.synthesis"}
    whole = spans["research.run"]
    assert dict(whole.attributes) == {"lacuna.tasks": 1, "lacuna.findings": 1}
    for part in ("research.task", "research.synthesis"):
        assert spans[part].parent.span_id == whole.context.span_id
    assert dict(spans["research.task"].attributes) == {"lacuna.sources": 2, "lacuna.hits": 1}
    assert dict(spans["research.synthesis"].attributes) == {
        "lacuna.findings": 1,
        "lacuna.left_out": 0,
        "lacuna.quotes": 3,
    }


def test_no_span_holds_text_of_a_note_a_question_or_a_page(
    telemetry: Telemetry, exporter: Any, tmp_path: Path
) -> None:
    run(tmp_path, telemetry)
    telemetry.flush()
    spans = " ".join(span.to_json() for span in exporter.get_finished_spans())
    assert "research.task" in spans
    for word in ("bread", "Bread", "stale", "example.org"):
        assert word not in spans


def test_spans_record_only_the_kind_of_an_error(
    telemetry: Telemetry, exporter: Any, tmp_path: Path
) -> None:
    with (
        reported(tmp_path, telemetry) as report,
        pytest.raises(ValueError, match="diary"),
        report.step("research"),
    ):
        raise ValueError("my diary")
    spans = ended(telemetry, exporter)["research.run"]
    assert spans.status.description == "ValueError"
    assert "diary" not in spans.to_json()


def test_spans_reach_a_collector(tmp_path: Path) -> None:
    with serving() as server:
        server.fallback = Reply(b"", 200, "application/x-protobuf")
        with closing(Telemetry(f"{server.origin}/")) as telemetry:
            run(tmp_path, telemetry)
    [asked] = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/traces")
    spans = ExportTraceServiceRequest.FromString(asked.body)
    [resource] = spans.resource_spans
    names = {span.name for scope in resource.scope_spans for span in scope.spans}
    assert names == {"research.run", "research.task", "research.synthesis"}


def test_while_it_is_off_nothing_of_it_is_imported() -> None:
    script = (
        "import sys\n"
        "import daemon.notifying, daemon.cycle.runs\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_without_the_extra_the_install_command_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.delitem(sys.modules, "daemon.spans", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.setattr("daemon.telemetry.spans", LateModule("daemon.spans"))
    run(tmp_path, Telemetry("http://127.0.0.1:4318"))
    [record] = [record for record in caplog.records if record.name == "daemon.telemetry"]
    assert "pip install 'lacuna-daemon[telemetry]'" in record.getMessage()
