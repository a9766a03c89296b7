"""The event stream: numbered, bounded, and whole after a kill; nobody waits for its readers."""

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.model.event import (
    EVENT,
    Done,
    Error,
    Event,
    FindingWritten,
    Handoff,
    SourceAnswered,
    StepComplete,
    StepProgress,
    StepStart,
    StreamToken,
    line_of,
)
from daemon.store import events as module
from daemon.store import line_file
from daemon.store.events import EventLog
from daemon.store.reporter import SILENT, Reporter

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ENVELOPE: dict[str, Any] = {"seq": 7, "at": NOW, "pid": 1, "run": "r-1", "request": 3}
EVERY = (
    StepStart(**ENVELOPE, step="gather", plan=("arxiv: q",)),
    StepProgress(**ENVELOPE, step="gather", done=1, total=2, seconds_left=3.5),
    StepComplete(**ENVELOPE, step="gather", done=2, seconds=4),
    FindingWritten(
        **ENVELOPE, id="f-1", path="a.md", title="A", source="https://a", credibility=0.5
    ),
    SourceAnswered(**ENVELOPE, source="arxiv", status="ok", results=3, asked="q"),
    StreamToken(**ENVELOPE, answer="a-1", text="Bread"),
    Handoff(**ENVELOPE, giver="fast", taker="thorough", why="the question is hard"),
    Done(**ENVELOPE, ends="command", document={"notes": 1}),
    Error(**ENVELOPE, ends="run", message="no network"),
)


def opened(state: Path) -> EventLog:
    return EventLog(state, lambda run: state / "runs" / run, lambda: NOW)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with closing(opened(tmp_path)) as log:
        yield log


def answered(log: EventLog, number: int, run: str | None = None) -> None:
    report = Reporter(log, run=run)
    report.source_answered(source="arxiv", status="ok", results=number, asked="q")


def results(events: list[Any]) -> list[int]:
    return [event.results for event in events]


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.type)
def test_an_event_is_one_line_and_comes_back_as_it_was(event: Event) -> None:
    line = line_of(event)
    assert "\n" not in line
    assert EVENT.validate_json(line) == event


def test_numbers_go_on_after_a_kill_and_a_torn_line_is_skipped(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as log:
        answered(log, 1)
        answered(log, 2)
    file = tmp_path / "events.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    with closing(opened(tmp_path)) as log:
        answered(log, 3)
        assert [each.seq for each in log.after(0)] == [1, 2]
        assert results(log.after(0)) == [1, 3]
    with closing(opened(tmp_path)) as log:
        assert results(log.after(1)) == [3]
        assert log.last == 2


def test_a_reader_in_another_process_begins_after_what_was_written_meanwhile(
    log: EventLog, tmp_path: Path
) -> None:
    with closing(opened(tmp_path)) as reader:
        assert reader.last == 0
        for _ in range(3):
            Reporter(log).progress(1, 2, "reading")
        assert reader.last == log.last > 0


def test_the_events_of_a_run_are_kept_with_it_and_numbered_like_all_others(
    log: EventLog, tmp_path: Path
) -> None:
    for number in range(6):
        answered(log, number, run=f"r-{number % 2}")
    Reporter(log, run="r-1").done("run")
    assert [each.seq for each in log.after(2, run="r-1")] == [4, 6, 7]
    with closing(opened(tmp_path)) as other:
        assert [each.seq for each in other.after(0, run="r-0")] == [1, 3, 5]
        assert other.after(0, run="r-9") == []


def test_what_is_kept_is_bounded_and_the_newest(
    log: EventLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_file, "_FULL", 2000)
    log._held.clear()
    for number in range(500):
        answered(log, number, run="r-1")
    log._held.clear()
    for folder in (tmp_path, tmp_path / "runs" / "r-1"):
        assert sum(path.stat().st_size for path in folder.glob("events*.jsonl")) <= 4000
    for run in (None, "r-1"):
        kept = results(log.after(0, run=run))
        assert kept == list(range(500 - len(kept), 500))
        assert len(kept) > 4


def test_who_was_left_behind_reads_on_from_the_file(log: EventLog) -> None:
    follower = log.follow(0)
    answered(log, 0)
    first = next(follower)
    assert first is not None
    assert first.seq == 1
    for number in range(1, 1200):  # more than memory holds
        answered(log, number)
    read = [next(follower) for _ in range(1199)]
    assert [each.seq for each in read if each is not None] == list(range(2, 1201))


def test_a_slow_reader_does_not_hold_the_writer_up(log: EventLog) -> None:
    may_read, seen = threading.Event(), list[int]()

    def read_slowly(event: Any) -> None:
        may_read.wait(60)
        seen.append(event.results)

    with log.read_by(read_slowly):
        for number in range(1200):  # more than is held for it
            answered(log, number)
        assert seen == []
        may_read.set()
    assert seen[-1] == 1199
    assert seen == sorted(seen)
    assert 500 <= len(seen) <= 1200


def test_a_reader_whose_terminal_is_gone_ends_alone(log: EventLog) -> None:
    def fail(_event: Any) -> None:
        raise BrokenPipeError

    seen: list[Any] = []
    with log.read_by(fail), log.read_by(seen.append):
        answered(log, 1)
        answered(log, 2)
    assert results(seen) == [1, 2]
    answered(log, 3)
    assert results(seen) == [1, 2]


def test_a_number_of_another_state_counts_as_none(log: EventLog) -> None:
    answered(log, 1)
    found = next(log.follow(99))
    assert found is not None
    assert found.seq == 1


def test_followers_are_woken_and_end_with_the_log(log: EventLog) -> None:
    seen: list[int] = []
    follower = threading.Thread(
        target=lambda: seen.extend(each.seq for each in log.follow(0, run="r-1") if each)
    )
    follower.start()
    for number in range(50):
        answered(log, number, run=f"r-{number % 2}")
    log.close()
    follower.join(60)
    assert not follower.is_alive()
    assert seen == list(range(2, 51, 2))


def test_a_quiet_log_lets_its_reader_look_around(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_QUIET", 0.0)
    assert next(log.follow(0)) is None


def test_where_nothing_can_be_written_events_are_only_passed_on(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in the place of the folder")
    with closing(opened(tmp_path / "state")) as log:
        answered(log, 1, run="r-1")
        assert results(log.after(0)) == [1]


def test_active_steps_are_those_of_one_process_that_have_not_ended(log: EventLog) -> None:
    report = Reporter(log, between=0)
    with report.step("library") as progress:
        progress(1, 4, "reading")
        for step in ("gather", "judge"):
            with report.of_run("r-1").step(step):
                active = [(each.step, each.run) for each in log.active(log.after(0)[0].pid)]
                assert active == [("library", None), (step, "r-1")]
        assert log.active(1) == []
    assert log.active(log.after(0)[0].pid) == []


def test_a_counted_step_ends_when_its_count_is_full_or_restarts(log: EventLog) -> None:
    report = Reporter(log, between=0)
    for done, total, what in (
        *((0, 0, "nothing"), (5, 5, "reading")),
        *((0, 9, "reading"), (3, 9, "reading"), (9, 9, "reading")),
        *((0, 9, "embedding"), (4, 9, "embedding"), (1, 5, "embedding")),
    ):
        report.progress(done, total, what)
    report.end_counted()
    kept: list[Any] = list(log.after(0))
    ends = [(each.type, each.step) for each in kept if each.type != "step_progress"]
    assert ends == [
        (type_, step)
        for step in ("reading", "embedding", "embedding")
        for type_ in ("step_start", "step_complete")
    ]


def test_the_time_left_is_that_of_the_pace_so_far(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("daemon.store.reporter.time.monotonic", lambda: clock[0])
    with Reporter(log).step("embedding") as progress:
        for seconds, done in ((0, 100), (0.1, 150), (10, 300)):
            clock[0] = 100.0 + seconds
            progress(done, 1100, "embedding")
    counted = [each for each in log.after(0) if isinstance(each, StepProgress)]
    assert [(each.done, each.seconds_left) for each in counted] == [(100, None), (300, 40.0)]


def test_a_text_is_reported_in_a_few_events_and_to_its_end(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("daemon.store.reporter.time.monotonic", lambda: clock[0])
    report = Reporter(log, run="r-1")
    with report.tokens("a-1") as take:
        for piece in ("Bread ", "goes ", "stale "):
            take(piece)
        clock[0] += 1
        take("faster ")
        take("in the cold")
    report.handoff("reader", "writer", "read 2 of 3 sources")
    *pieces, handoff = log.after(0, run="r-1")
    assert [each.text for each in pieces if isinstance(each, StreamToken)] == [
        "Bread ",
        "goes stale faster ",
        "in the cold",
    ]
    assert isinstance(handoff, Handoff)


def test_work_that_nobody_follows_reports_to_nobody() -> None:
    with SILENT.step("library") as progress:
        progress(1, 2, "reading")
    SILENT.done("run")


def test_text_that_utf8_cannot_encode_is_escaped_in_a_line() -> None:
    event = Done(**ENVELOPE, ends="command", document={"caf\udce9": ["\ud800", "é"]})
    assert EVENT.validate_json(line_of(event)) == event.model_copy(
        update={"document": {"caf\\udce9": ["\\ud800", "é"]}}
    )
