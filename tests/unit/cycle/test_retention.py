"""What is removed when, and what never is."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.cycle.retention import LOG, Limits, Pruned, Retention, trim
from daemon.model.agenda import AgendaStatus
from daemon.model.errors import ReplayError
from daemon.model.request import RequestState
from daemon.model.run import RunStatus
from daemon.model.spending import Amounts, Sending
from daemon.store.agendas import agenda_to_json
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.store.requests import RequestStore
from daemon.store.run_files import RunDirectories
from daemon.store.runs import RunStore
from daemon.store.spent import Spent
from tests.fakes.run_parts import an_agenda

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
KB = 1000
AGENDA = json.dumps(agenda_to_json(an_agenda()))
NONE = Limits(runs_days=0, runs_mb=0, cache_mb=0, ledger_days=0, log_mb=0)


class State:
    """A state folder with runs of several ages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = Database(folder / "lacuna.db")
        self.runs = RunStore(self.db, RunDirectories(folder / "runs"))
        self.requests = RequestStore(self.db)
        self.spent = Spent(self.db)

    def run(
        self,
        days_ago: float,
        *,
        kb: int = 10,
        status: RunStatus = RunStatus.DONE,
        agenda: str = "done",
        finding: str = "",
    ) -> str:
        """Make a run with a record of so many kilobytes, and perhaps a finding in some status."""
        at = NOW - timedelta(days=days_ago)
        id_ = f"{at:%Y%m%dT%H%M%SZ}-aaaaaa"
        of = f"a-{id_}"
        self.db.execute(
            "INSERT INTO agendas (id, status, created_at, body) VALUES (?, ?, ?, ?)",
            (of, AgendaStatus(agenda).value, at.isoformat(), AGENDA),
        )
        self.db.execute(
            "INSERT INTO runs (id, agenda, status, started_at, ended_at) VALUES (?, ?, ?, ?, ?)",
            (id_, of, status.value, at.isoformat(), at.isoformat()),
        )
        if finding:
            self.db.execute(
                "INSERT INTO findings (id, run, path, status, title, source, key, topic,"
                " credibility, created_at, written) VALUES (?, ?, 'f.md', ?, '', '', '', '', 0.5,"
                " ?, 1)",
                (f"f-{id_}", id_, finding, at.isoformat()),
            )
        documents = self.folder / "runs" / id_ / "documents"
        documents.mkdir(parents=True)
        (documents / "one.bin").write_bytes(b"x" * kb * KB)
        (documents.parent / "run.json").write_text("{}")
        return id_

    def left(self) -> list[str]:
        return self.runs.storage.runs()

    def keeping(self, **limits: float) -> Retention:
        given = {**{name: getattr(NONE, name) for name in NONE.__slots__}, **limits}
        return Retention(self.folder, self.runs, self.requests, self.spent, Limits(**given))


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path)
    yield state
    state.db.close()


def test_a_record_goes_when_it_is_old_and_its_line_stays(state: State) -> None:
    old, young = state.run(31), state.run(29)
    assert state.keeping(runs_days=30).prune(NOW) == Pruned((old,), bytes=10 * KB + 2)
    assert state.left() == [young]
    row = state.runs.get(old)
    assert row is not None
    assert row.pruned_at == NOW
    with pytest.raises(ReplayError, match="deleted on 2026-11-21"):
        state.runs.to_replay(old)


def test_the_oldest_go_until_all_fit(state: State) -> None:
    runs = [state.run(days, kb=400) for days in (4, 3, 2, 1)]
    assert state.keeping(runs_mb=1).prune(NOW).runs == tuple(runs[:2])
    assert state.left() == runs[2:]
    assert state.keeping(runs_mb=1).prune(NOW) == Pruned()


@pytest.mark.parametrize(
    "needed",
    [
        {"finding": "pending"},
        {"status": RunStatus.STOPPED},
        {"status": RunStatus.RUNNING},
        {"agenda": "running"},  # killed before the agenda was marked: it comes to its end again
    ],
)
def test_what_is_undecided_or_unfinished_stays_whatever_the_limits_say(
    state: State, needed: dict[str, str]
) -> None:
    id_ = state.run(500, kb=5000, **needed)  # type: ignore[arg-type]
    assert state.keeping(runs_days=1, runs_mb=1).prune(NOW) == Pruned()
    assert state.left() == [id_]


@pytest.mark.parametrize("decided", ["accepted", "dismissed"])
def test_what_was_decided_needs_its_record_no_longer(state: State, decided: str) -> None:
    id_ = state.run(500, finding=decided)
    assert state.keeping(runs_days=1).prune(NOW).runs == (id_,)


def test_a_folder_that_no_row_knows_is_left_for_recovery(state: State) -> None:
    lost = state.folder / "runs" / "20200101T000000Z-bbbbbb"
    lost.mkdir(parents=True)
    (lost / "run.json").write_text("{}")
    assert state.keeping(runs_days=1, runs_mb=0.0001).prune(NOW) == Pruned()
    assert lost.is_dir()


def test_a_process_that_was_killed_half_way_removes_the_rest_the_next_time(state: State) -> None:
    id_ = state.run(500)
    state.runs.mark_pruned(id_, NOW)
    (state.folder / "runs" / id_ / "run.json").unlink()
    assert state.keeping(runs_days=1).prune(NOW).runs == (id_,)
    assert state.left() == []


def test_without_limits_nothing_goes(state: State) -> None:
    id_ = state.run(10_000, kb=3000)
    assert state.keeping().prune(NOW) == Pruned()
    assert state.left() == [id_]


def test_of_caches_what_was_written_longest_ago_goes_first(state: State) -> None:
    for number, place in enumerate(("cache/library/texts", "cache/library", "replays/r")):
        file = state.folder / place / f"{number}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 400 * KB)
        written = (NOW - timedelta(days=10 - number)).timestamp()
        os.utime(file, (written, written))
    other = state.folder / "cache" / "mcp" / "servers-own"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"x" * 900 * KB)
    assert state.keeping(cache_mb=1).prune(NOW) == Pruned(cached=1, bytes=400 * KB)
    assert not (state.folder / "cache/library/texts/0.json").exists()
    assert (state.folder / "cache/library/1.json").exists()
    assert other.exists()


def test_a_cached_file_that_may_be_in_use_stays(state: State) -> None:
    file = state.folder / "cache" / "library" / "new.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x" * 400 * KB)
    os.utime(file, (NOW.timestamp() - 60, NOW.timestamp() - 60))
    assert state.keeping(cache_mb=0.1).prune(NOW) == Pruned()
    assert file.exists()


@pytest.mark.parametrize(
    ("gone", "kept"),
    [("tmp/old", "tmp/new"), (".backup-a1", ".backup-b2"), (".restore-a1", ".restore-b2")],
)
def test_what_a_killed_process_left_behind_goes_a_day_later(
    state: State, gone: str, kept: str
) -> None:
    old, new = state.folder / gone, state.folder / kept
    for path, days in ((old, 2.0), (new, 0.5)):
        (path / "inside").mkdir(parents=True)
        written = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (written, written))
    state.keeping().prune(NOW)
    assert not old.exists()
    assert new.is_dir()


def test_old_requests_are_forgotten_and_their_sums_are_not(state: State) -> None:
    for days in (40, 20):
        at = NOW - timedelta(days=days)
        ledger = Ledger(state.db, clock=lambda at=at: at, zone=lambda: UTC)  # type: ignore[misc]
        ledger.record(Sending("arxiv", "question", "export.arxiv.org"))
    assert state.keeping(ledger_days=30).prune(NOW) == Pruned(entries=1)
    assert len(list(state.spent.entries())) == 1
    assert sum((each.amounts for each in state.spent.sums()), Amounts()) == Amounts(2)


def test_answered_requests_of_commands_do_not_pile_up(state: State) -> None:
    with state.db.transaction():
        for _ in range(150):
            request = state.requests.begin("index", {}, now=NOW)
            state.requests.answer(request, RequestState.DONE, {"notes": 1})
    state.keeping().prune(NOW)
    assert state.db.value("SELECT count(*) FROM requests") <= 101


def test_the_older_half_of_a_log_goes_between_lines_and_its_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / LOG
    with log.open("ab", buffering=0) as writer:
        for number in range(1000):
            writer.write(f"line {number:04}\n".encode())
        assert trim(log, 5000) == 10_000 - 2500
        writer.write(b"the next\n")
    lines = log.read_bytes().decode().splitlines()
    assert lines[0] == "line 0750"
    assert lines[-2:] == ["line 0999", "the next"]
    assert trim(log, 5000) == 0


def test_it_is_done_a_while_after_the_start_and_then_once_a_day(state: State) -> None:
    keeping = state.keeping(runs_days=30)
    first = state.run(31)
    keeping.prune_if_due(NOW)
    assert state.left() == [first]
    keeping.prune_if_due(NOW + timedelta(minutes=5))
    assert state.left() == []
    second = state.run(40)
    keeping.prune_if_due(NOW + timedelta(hours=23))
    assert state.left() == [second]
    keeping.prune_if_due(NOW + timedelta(hours=24, minutes=5))
    assert state.left() == []


def test_a_clock_that_is_set_back_does_not_put_it_off_for_years(state: State) -> None:
    keeping = state.keeping(runs_days=30)
    keeping.prune_if_due(NOW + timedelta(days=3650))
    id_ = state.run(31)
    keeping.prune_if_due(NOW)
    assert state.left() == [id_]
    keeping.prune_if_due(NOW + timedelta(minutes=6))
    assert state.left() == []


def test_a_year_of_nights_stays_within_its_limits(state: State) -> None:
    """365 nights, each with a run of 40 kB and ten requests, pruned every day."""
    keeping = state.keeping(runs_days=60, runs_mb=1, ledger_days=30)
    clock = [NOW]
    ledger = Ledger(state.db, clock=lambda: clock[0], zone=lambda: UTC)
    with state.db.transaction():  # one journal for all: it is what is kept that is looked at
        for night in range(365):
            clock[0] = NOW + timedelta(days=night)
            state.run(-night, kb=40, finding="accepted")
            for number in range(10):
                ledger.record(Sending(f"source-{number % 8}", "question", "example.org", "x" * 300))
            keeping.prune(clock[0])
    kept = sum(file.stat().st_size for file in (state.folder / "runs").rglob("*") if file.is_file())
    assert kept <= 1_000_000
    assert len(list(state.spent.entries())) <= 10 * 31
    assert sum(each.amounts.requests for each in state.spent.sums()) == 365 * 10
    assert len(state.runs.all(limit=1000)) == 365
