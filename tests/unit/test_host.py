import gc
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import Settings, settings_from
from daemon.findings.render import finding_text
from daemon.host.due import JobDue, Wake
from daemon.host.loop import Host
from daemon.host.memory import release_memory, restore_collection
from daemon.host.reload import Ending, Reload
from daemon.index.sync_report import SyncReport
from daemon.model.errors import (
    CorruptStoreError,
    ModelError,
    SettingsError,
    StoppedError,
    UnreadableStoreError,
)
from daemon.model.finding import FindingStatus
from daemon.model.request import RequestState
from daemon.ports import Vectors
from daemon.store.heartbeat import last_beat
from daemon.store.troubles import TroubleStore
from daemon.usecases.commands import fulfil
from scheduler.conditions import Surroundings
from tests.fakes.conditions import with_conditions
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.notices import a_notice
from tests.fakes.values import a_finding
from vault_adapters.note import Role
from vault_adapters.wikilink import Linker

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "vault").mkdir()
    settings = settings_from(
        {"vault": tmp_path / "vault", "weekly.enabled": False, "machines.allow_others": False}
    )
    opened = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    yield opened
    opened.close()


def test_the_library_is_indexed_a_little_at_a_time_between_other_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    monkeypatch.setattr("daemon.host.indexing._LIBRARY_SECONDS", 0.0)
    for folder in ("vault", "library"):
        (tmp_path / folder).mkdir()
    for name in ("ash", "elm"):
        (tmp_path / "library" / f"{name}.md").write_text(f"A text about {name}.")
    settings = settings_from(
        {
            "vault": tmp_path / "vault",
            "library.folder": tmp_path / "library",
            "weekly.enabled": False,
        }
    )
    clock = [NOW]
    app = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    try:
        host, library = Host(app, lambda: clock[0]), app.index.library
        assert library is not None
        read: list[tuple[int, int]] = []
        while not read or host._due.library:
            host._turn()
            counts = library.progress().counts
            read.append((counts.files - counts.due, counts.embedded))
        assert read[0] == (1, 0)
        assert read[-1] == (2, 2)
        (tmp_path / "library" / "yew.md").write_text("A text about yews.")
        host._turn()
        assert library.progress().counts.files == 2
        clock[0] += timedelta(minutes=5)
        host._turn()
        assert library.progress().counts.files == 3
    finally:
        app.close()


def test_a_watcher_that_died_is_restarted_and_the_vault_scanned(app: App) -> None:
    host = Host(app, lambda: NOW)
    watcher = host._watcher()
    host._due.sync = False
    host._check_watcher(watcher)
    try:
        assert watcher.alive
        assert host._due.sync
    finally:
        watcher.stop()


def test_events_received_during_a_sync_are_handled_in_one_sync(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(app, lambda: NOW)
    host._turn()
    syncs, sync = list[Any](), app.index.knowledge.sync

    def counted(**how: Any) -> SyncReport:
        syncs.append(how["among"])
        return sync(**how)

    monkeypatch.setattr(app.index.knowledge, "sync", counted)
    for number in range(300):
        (app.adapter.root / f"{number}.md").write_text("Bees dance.")
        host._wakes.put(frozenset({f"{number}.md"}))
    host._wait()
    host._turn()
    assert len(syncs) == 1
    assert len(syncs[0]) == 300
    assert app.stores.notes.counts()[0] == 300


def test_a_change_without_an_event_is_found_within_the_configured_time(app: App) -> None:
    clock = [NOW]
    host = Host(app, lambda: clock[0])
    host._turn()
    (app.adapter.root / "Bees.md").write_text("Bees dance.")
    minutes = app.settings.index.rescan_minutes
    for passed, notes in ((minutes - 1, 0), (minutes + 1, 1)):
        clock[0] = NOW + timedelta(minutes=passed)
        host._turn()
        assert app.stores.notes.counts()[0] == notes


def test_a_deleted_finding_counts_as_dismissed_when_its_grace_ends_and_not_half_an_hour_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "vault").mkdir()
    settings = settings_from(
        {"vault": tmp_path / "vault", "weekly.enabled": False, "inbox.delete_grace_hours": 0.1}
    )
    clock, finding = [NOW], a_finding()
    with closing(open_app(settings, state=tmp_path / "state", config=tmp_path / "c.toml")) as app:
        text = finding_text(finding, link=Linker([]), tz=UTC)
        path = app.review.inbox.add_finding(finding, text, taken=[]).path
        host = Host(app, lambda: clock[0])
        host._turn()
        (app.adapter.root / path).unlink()
        host._due.sync = host._due.whole = True
        host._turn()
        for minutes, status in ((5, FindingStatus.PENDING), (7, FindingStatus.DISMISSED)):
            clock[0] = NOW + timedelta(minutes=minutes)
            host._turn()
            assert app.review.reviews.find(finding.id).status is status


def test_unnoticed_damage_is_found_by_the_integrity_check(app: App) -> None:
    (app.adapter.root / "Bees.md").write_text("Bees dance.")
    clock = [NOW]
    host = Host(app, lambda: clock[0])
    host._turn()
    another = sqlite3.connect(app.state / "lacuna.db", isolation_level=None)
    another.execute("UPDATE chunk_words_data SET block = X'ffffffffffff' WHERE id > 10")
    another.close()
    clock[0] += timedelta(hours=1)
    host._turn()
    clock[0] += timedelta(hours=6)
    with pytest.raises(CorruptStoreError):
        host._turn()


def test_a_daemon_does_not_go_on_with_a_database_that_was_taken_away(app: App) -> None:
    host = Host(app, lambda: NOW)
    host._turn()
    (app.state / "lacuna.db").rename(app.state / "elsewhere.db")
    for turn in (host._turn, host._meanwhile):
        with pytest.raises(CorruptStoreError):
            turn()


def test_the_heartbeat_says_whether_the_vault_is_watched(app: App) -> None:
    host = Host(app, lambda: NOW)
    watcher = host._watcher()
    watcher.start()
    try:
        host._check_watcher(watcher)
    finally:
        watcher.stop()
    sign = last_beat(app.state)
    assert sign is not None
    assert (sign.beat_at, sign.watching, sign.polling) == (NOW, True, "")


def test_a_torn_heartbeat_is_ignored(app: App) -> None:
    (app.state / "daemon.json").write_text('{"beat_at": "20')
    assert last_beat(app.state) is None


def test_memory_is_released_after_work_and_not_while_idle(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[float] = []
    monkeypatch.setattr("daemon.host.loop.release_memory", lambda: given_back.append(1))
    host = Host(app, lambda: NOW)
    host._rested_at = time.process_time() - 60
    for _ in range(3):
        host._wakes.put(JobDue("weekly"))
        host._wait()
    assert len(given_back) == 1


def test_once_it_is_ready_garbage_is_collected_at_the_default_thresholds() -> None:
    usual = gc.get_threshold()
    try:
        gc.set_threshold(50_000)
        restore_collection()
        assert gc.get_threshold() == (700, 10, 10)
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def test_releasing_memory_is_harmless() -> None:
    kept = [bytes(1000) for _ in range(1000)]
    release_memory()
    assert len(kept) == 1000


def test_a_renamed_inbox_is_reported_with_what_to_do_and_decides_nothing(app: App) -> None:
    host = Host(app, lambda: NOW)
    host._turn()
    finding = a_finding()
    app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])))
    host._due.sync = True
    host._turn()
    (app.adapter.root / app.settings.inbox.folder).rename(app.adapter.root / "Eingang")
    host._due.sync = True
    host._turn()
    host._turn()
    (trouble,) = TroubleStore(app.db).last()
    assert (trouble.part, trouble.over_at) == ("inbox", None)
    assert "lacuna config set inbox.folder Eingang" in trouble.line
    (record,) = app.stores.findings.all()
    assert record.status is FindingStatus.PENDING
    row = app.stores.notes.get(record.path)
    assert row is not None
    assert row.role is Role.OWN
    inbox = app.adapter.root / app.settings.inbox.folder
    inbox.parent.mkdir(parents=True, exist_ok=True)
    (app.adapter.root / "Eingang").rename(inbox)
    host._due.sync = True
    host._turn()
    (trouble,) = TroubleStore(app.db).last()
    assert trouble.over_at is not None


def test_a_lost_state_takes_a_renamed_inbox_for_the_inbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    notes = tmp_path / "vault" / "Eingang"
    notes.mkdir(parents=True)
    (notes / "Finding.md").write_text(finding_text(a_finding(), link=Linker([])))
    (notes / "Agenda.md").write_text("---\ntype: agenda\nlacuna_id: a-1\nstatus: done\n---\n")
    settings = settings_from({"vault": tmp_path / "vault", "weekly.enabled": False})
    app = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    try:
        Host(app, lambda: NOW)._turn()
        (record,) = app.stores.findings.all()
        assert record.status is FindingStatus.PENDING
        assert app.review.reviews.moved_inbox() == "Eingang"
    finally:
        app.close()


class SlowEmbedder(FakeEmbedder):
    """Answers once it is let; an interruption ends it, as it ends the process."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = threading.Event()
        self.is_interrupted = False

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        assert self.may_answer.wait(60)
        if self.is_interrupted:
            raise StoppedError("the embedding process was stopped")
        return super().embed(texts, progress)

    def interrupt(self) -> None:
        self.is_interrupted = True
        self.may_answer.set()


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[App, SlowEmbedder]]:
    """A vault with a note, and a model that takes its time."""
    embedder = SlowEmbedder()
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: embedder)
    monkeypatch.setattr("daemon.host.indexing._EMBED_SECONDS", 0.0)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Bees.md").write_text("Bees dance.")
    settings = settings_from({"vault": tmp_path / "vault", "weekly.enabled": False})
    opened = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    yield opened, embedder
    embedder.may_answer.set()
    opened.close()


def test_a_tagged_note_and_a_review_do_not_wait_for_the_model(
    slow: tuple[App, SlowEmbedder],
) -> None:
    app, embedder = slow
    host = Host(app, lambda: NOW)
    finding = a_finding()
    record = app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])))
    host._turn()
    assert host._due.embed
    path = app.adapter.root / record.path
    path.write_text(path.read_text().replace("status: pending", "status: accepted"))
    (app.adapter.root / "Asks.md").write_text("---\nresearch: true\n---\nHow do bees dance?")
    host._due.sync = True
    host._turn()
    assert app.stores.findings.all()[0].status is FindingStatus.ACCEPTED
    assert [agenda.note for agenda in app.stores.agendas.all()] == ["Asks.md"]
    assert host._due.embed
    embedder.may_answer.set()
    while app.stores.notes.embeddings.missing("fake"):
        host._turn()


@dataclass
class Place:
    """What the machine is in, as a test says."""

    found: Surroundings

    def read(self) -> Surroundings:
        return self.found


def test_a_long_first_index_pauses_on_battery_and_little_does_not(
    slow: tuple[App, SlowEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, embedder = slow
    embedder.may_answer.set()
    monkeypatch.setattr("daemon.index.embedding._LONG", 0)
    place = Place(Surroundings(battery_percent=80))
    host = Host(with_conditions(opened, place), lambda: NOW)
    host._turn()
    assert host._due.embed
    assert embedder.asked == []
    monkeypatch.setattr("daemon.index.embedding._LONG", 1)
    while opened.stores.notes.embeddings.missing("fake"):
        host._turn()
    assert embedder.asked != []


@pytest.mark.parametrize("is_over", [True, False])
def test_an_index_that_paused_for_other_work_goes_on_when_that_is_over_or_never_ends(
    slow: tuple[App, SlowEmbedder], monkeypatch: pytest.MonkeyPatch, *, is_over: bool
) -> None:
    opened, embedder = slow
    embedder.may_answer.set()
    monkeypatch.setattr("daemon.index.embedding._LONG", 0)
    place, clock = Place(Surroundings(load=9.0)), [NOW]
    host = Host(with_conditions(opened, place), lambda: clock[0])
    host._turn()
    assert embedder.asked == []
    if is_over:
        place.found = Surroundings(load=0.5)
    clock[0] = NOW + timedelta(minutes=2)
    host._turn()
    assert (embedder.asked != []) == is_over
    clock[0] = NOW + timedelta(minutes=6)
    while opened.stores.notes.embeddings.missing("fake"):
        host._turn()


def test_a_signal_ends_the_daemon_in_the_midst_of_embedding(
    slow: tuple[App, SlowEmbedder],
) -> None:
    app, embedder = slow
    host = Host(app, lambda: NOW)
    host._turn()
    host._on_signal(signal.SIGTERM, None)
    assert embedder.is_interrupted
    host.run()  # ends, for it was asked to


def test_an_index_request_lets_reviews_have_their_turn(slow: tuple[App, SlowEmbedder]) -> None:
    app, embedder = slow
    host = Host(app, lambda: NOW)
    finding = a_finding()
    record = app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])))
    host._turn()
    path = app.adapter.root / record.path
    path.write_text(path.read_text().replace("status: pending", "status: accepted"))
    meanwhile, seen = host._meanwhile, list[FindingStatus]()

    def watched() -> None:
        host._wakes.put(frozenset({record.path}))
        meanwhile()
        seen.append(app.stores.findings.all()[0].status)
        embedder.may_answer.set()

    app.stores.requests.ask("index", {"embed": True}, now=NOW)
    request = app.stores.requests.take(now=NOW)
    assert request is not None
    fulfil(request, app, now=NOW, stop=host.stop, meanwhile=watched)
    assert FindingStatus.ACCEPTED in seen
    assert app.stores.notes.embeddings.missing("fake") == []


class BrokenEmbedder(FakeEmbedder):
    """Fails a given number of times."""

    failures = 3

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        if self.failures:
            self.failures -= 1
            raise ModelError("/nowhere: there is no model")
        return super().embed(texts, progress)


def test_embedding_that_failed_is_in_the_status_and_tried_again_ever_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder, clock = BrokenEmbedder(), [NOW]
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: embedder)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Bees.md").write_text("Bees dance.")
    settings = settings_from({"vault": tmp_path / "vault", "weekly.enabled": False})
    app = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    try:
        host = Host(app, lambda: clock[0])
        for minutes, left in ((0, 2), (0.5, 2), (1, 1), (2.5, 1), (3, 0), (6.5, 0)):
            clock[0] = NOW + timedelta(minutes=minutes)
            host._turn()
            assert embedder.failures == left, minutes
            (trouble,) = TroubleStore(app.db).last()
            assert (trouble.part, trouble.over_at) == ("embedding", None)
            assert "/nowhere: there is no model" in trouble.line
        clock[0] = NOW + timedelta(minutes=7)
        host._turn()
        assert app.stores.notes.embeddings.missing("fake") == []
        (trouble,) = TroubleStore(app.db).last()
        assert trouble.over_at is not None
    finally:
        app.close()


def test_a_disk_that_fails_is_tried_again_before_the_loop_gives_up(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, failures = Host(app, lambda: NOW), [2]

    def check() -> None:
        if failures[0]:
            failures[0] -= 1
            raise UnreadableStoreError("lacuna.db cannot be read: check the disk")

    monkeypatch.setattr(app.db, "check", check)
    for _ in range(3):
        host._turn_if_readable()
    assert not host._due.sync
    failures[0] = 99
    for _ in range(3):
        host._turn_if_readable()
    with pytest.raises(UnreadableStoreError):
        host._turn_if_readable()
    assert failures[0] == 99 - 4


def test_a_folder_that_becomes_an_obsidian_vault_is_read_as_one_from_then_on(app: App) -> None:
    def again(settings: Settings) -> App:
        return open_app(settings, state=app.state, config=app.state / "config.toml")

    reload = Reload(lambda: app.settings, again)
    clock = [NOW]
    host = Host(app, lambda: clock[0], reload=reload)
    assert (host._reason_to_end(), app.adapter.name) == (Ending.STOPPED, "plain")
    (app.adapter.root / ".obsidian").mkdir()
    clock[0] += timedelta(seconds=61)
    assert host._reason_to_end() is Ending.RELOADED
    opened = reload.take()
    assert opened.adapter.name == "obsidian"
    (app.adapter.root / ".obsidian").rmdir()
    clock[0] += timedelta(minutes=6)
    assert Host(opened, lambda: clock[0], reload=reload)._reason_to_end() is Ending.STOPPED
    opened.close()


def test_a_note_that_a_command_wrote_is_in_the_index_one_turn_later(app: App) -> None:
    host, finding = Host(app, lambda: NOW), a_finding()
    host._turn()
    text = finding_text(finding, link=Linker([]), tz=UTC)
    path = app.review.inbox.add_finding(finding, text, taken=[]).path
    body = {"ids": [finding.id], "status": "accepted"}
    app.stores.requests.ask("review", body, now=NOW)
    host._turn()
    host._turn()
    assert app.index.knowledge.own_paths() == {finding.id: path}
    syncs = app.review.own_writes.many
    host._turn()
    assert not host._due.sync
    assert app.review.own_writes.many == syncs


def test_a_decision_during_a_sync_is_not_reversed_by_the_review_after_it(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, finding, reviews = Host(app, lambda: NOW), a_finding(), app.review.reviews
    app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])), taken=[])
    host._turn()
    reviews.command(finding.id, FindingStatus.DISMISSED, NOW)
    undone, sync = list[SyncReport](), app.index.knowledge.sync

    def undo(**how: Any) -> SyncReport:
        found = sync(**how)
        if not undone:
            undone.append(found)
            reviews.command(finding.id, FindingStatus.PENDING, NOW)
        return found

    monkeypatch.setattr(app.index.knowledge, "sync", undo)
    host._due.sync = True
    host._turn()
    assert undone
    assert reviews.find(finding.id).status is FindingStatus.PENDING


@pytest.mark.parametrize("why", ["", "max_findings must be a number"])
def test_a_request_to_reload_is_answered_with_what_came_of_it(app: App, why: str) -> None:
    def load() -> Settings:
        if why:
            raise SettingsError(why)
        return app.settings

    reload = Reload(load, lambda settings: open_app(settings, state=app.state))
    host, requests = Host(app, lambda: NOW, reload=reload), app.stores.requests
    id_ = requests.ask("reload", {}, now=NOW)
    host._turn()
    assert host._reason_to_end() is (Ending.STOPPED if why else Ending.RELOADED)
    request = requests.get(id_)
    assert request is not None
    assert request.state is (RequestState.FAILED if why else RequestState.DONE)
    assert request.answer == ({"error": why, "kind": ""} if why else {})
    if not why:
        reload.take().close()


def test_an_idle_loop_sleeps_until_something_is_due_or_a_command_comes(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, waits = Host(app, lambda: NOW), list[float]()
    monkeypatch.setattr(type(host), "_take_wake", lambda _host, timeout: waits.append(timeout))
    host._wait()  # nothing is indexed yet
    host._turn()
    host._wait()
    host._due.beat_at = NOW + timedelta(seconds=50)
    host._wait()
    host._due.review_at = NOW + timedelta(seconds=20)
    host._wait()
    app.notifying.delivery.outbox.add(a_notice(), ["desktop"], due_at=NOW + timedelta(seconds=7))
    host._wait()
    host._due.embed = True
    host._wait()
    assert waits[-6:] == [1.0, 1.0, 50.0, 20.0, 7.0, 1.0]
    monkeypatch.undo()
    host._wakes.put(Wake.REQUEST)
    host._wait()
    assert host._due.requests
    assert host._next_wake.seconds() == 1.0
