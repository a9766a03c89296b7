"""Findings in a real database."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.model.errors import LacunaError
from daemon.model.finding import FindingStatus, Lesson
from daemon.model.own_notes import PendingWrite
from daemon.store.db import Database
from daemon.store.findings import FindingStore
from daemon.store.topics import TopicStore
from tests.fakes.values import NOW, a_record


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


@pytest.fixture
def store(db: Database) -> FindingStore:
    return FindingStore(db)


def test_a_finding_is_a_pending_write_until_its_note_is_written(store: FindingStore) -> None:
    record = a_record()
    store.add_pending(record, "the note")
    assert store.pending() == [PendingWrite(record.id, record.path, "the note")]
    assert store.reviewable() == []
    store.written(record.id, "hash")
    assert store.pending() == []
    assert store.reviewable() == [replace(record, content_hash="hash")]


def test_storing_the_same_finding_twice_changes_nothing(store: FindingStore) -> None:
    store.add_pending(a_record(), "first")
    store.written(a_record().id, "hash")
    store.add_pending(a_record(title="another"), "second")
    assert store.pending() == []
    assert [record.title for record in store.all()] == [a_record().title]


def test_a_record_comes_back_as_it_was_kept(store: FindingStore) -> None:
    kept = a_record(feedback="#good clear", missing_at=NOW, content_hash="h")
    store.add_pending(kept, "")
    store.update(kept)
    assert store.get(kept.id) == kept


@pytest.mark.parametrize(
    "ref",
    [
        "f-1111aaaa",
        "f-1111",
        "Inbox/Research/2026-11-21 One.md",
        "2026-11-21 One.md",
        "2026-11-21 One",
    ],
)
def test_a_finding_is_found_by_id_beginning_path_or_name(store: FindingStore, ref: str) -> None:
    store.add_pending(a_record(id="f-1111aaaa", path="Inbox/Research/2026-11-21 One.md"), "")
    store.add_pending(a_record(id="f-2222bbbb", path="Inbox/Research/2026-11-21 Two.md"), "")
    found = store.get(ref)
    assert found is not None
    assert found.id == "f-1111aaaa"


def test_a_beginning_that_fits_two_findings_is_refused(store: FindingStore) -> None:
    store.add_pending(a_record(id="f-1111aaaa"), "")
    store.add_pending(a_record(id="f-1111bbbb"), "")
    with pytest.raises(LacunaError, match="2 findings match"):
        store.get("f-1111")


@pytest.mark.parametrize("ref", ["", "f", "f-", "nothing", "%", "f-_111"])
def test_what_names_no_finding_finds_none(store: FindingStore, ref: str) -> None:
    store.add_pending(a_record(id="f-1111aaaa"), "")
    assert store.get(ref) is None


def test_two_findings_may_claim_one_path_for_a_moment(store: FindingStore) -> None:
    store.add_pending(a_record(id="f-1"), "")
    store.add_pending(a_record(id="f-2", path="elsewhere.md"), "")
    store.repath("f-2", a_record().path)
    assert {record.path for record in store.all()} == {a_record().path}


def test_a_document_is_known_whatever_was_decided_of_it(store: FindingStore) -> None:
    for number, status in enumerate(FindingStatus):
        record = a_record(id=f"f-{number}", key=f"key-{number}")
        store.add_pending(record, "")
        store.decide(replace(record, status=status), at=NOW)
    assert store.known_keys() == {"key-0", "key-1", "key-2"}


def test_a_run_taken_up_again_does_not_know_its_own_findings(store: FindingStore) -> None:
    store.add_pending(a_record(id="f-1", run="r-1", key="old"), "")
    store.add_pending(a_record(id="f-2", run="r-2", key="own"), "")
    assert store.known_keys(besides_run="r-2") == {"old"}


def test_never_is_kept_with_the_dismissal_and_taken_back_with_it(
    store: FindingStore, db: Database
) -> None:
    store.add_pending(a_record(topic="Rust  Async!"), "")
    dismissed = a_record(topic="Rust  Async!", status=FindingStatus.DISMISSED)
    store.decide(dismissed, at=NOW, never=True)
    assert TopicStore(db).never() == {"rust async"}
    store.decide(replace(dismissed, status=FindingStatus.PENDING), at=NOW)
    assert TopicStore(db).never() == frozenset()


def test_undoing_a_finding_keeps_what_was_said_never_to_elsewhere(
    store: FindingStore, db: Database
) -> None:
    TopicStore(db).never_suggest("rust async", at=NOW, by="a-1")
    dismissed = a_record(status=FindingStatus.DISMISSED)
    store.add_pending(dismissed, "")
    store.decide(dismissed, at=NOW, never=True)
    store.decide(replace(dismissed, status=FindingStatus.PENDING), at=NOW)
    assert TopicStore(db).never() == {"rust async"}


def test_a_banned_topic_can_be_restored(db: Database) -> None:
    topics = TopicStore(db)
    topics.never_suggest("C++ templates", at=NOW)
    topics.restore("c++  Templates", at=NOW)
    assert topics.never() == frozenset()
    assert topics.restored() == {"c++ templates": NOW}


def test_the_box_of_a_finding_does_not_ban_again_what_was_restored_since(
    store: FindingStore, db: Database
) -> None:
    dismissed = a_record(status=FindingStatus.DISMISSED, decided_at=NOW)
    store.add_pending(dismissed, "")
    store.decide(dismissed, at=NOW, never=True)
    TopicStore(db).restore("rust async", at=NOW + timedelta(days=1))
    store.decide(replace(dismissed, path="Elsewhere.md"), at=NOW + timedelta(days=2), never=True)
    assert TopicStore(db).never() == frozenset()
    again = replace(dismissed, decided_at=NOW + timedelta(days=3))
    store.decide(again, at=NOW + timedelta(days=3), never=True)
    assert TopicStore(db).never() == {"rust async"}


def test_a_decision_teaches_about_the_note_it_was_found_because_of_wherever_that_moved(
    store: FindingStore,
) -> None:
    record = a_record(about="Code/Rust async.md")
    store.add_pending(record, "")
    assert store.lessons() == ()  # nothing is decided yet
    store.decide(replace(record, status=FindingStatus.ACCEPTED, decided_at=NOW), at=NOW)
    store.renamed("Code/Rust async.md", "Rust/Async.md")
    assert store.lessons() == (Lesson("rust async", "Rust/Async.md", record.path, True, NOW),)
    store.decide(replace(record, status=FindingStatus.DISMISSED, decided_at=NOW), at=NOW)
    assert store.lessons() == (Lesson("rust async", "Rust/Async.md", "", False, NOW),)


def test_a_never_of_one_finding_survives_that_another_on_the_topic_is_undone(db: Database) -> None:
    topics = TopicStore(db)
    for finding in ("f-1", "f-2"):
        topics.never_suggest("Wasps", at=NOW, by=finding)
    topics.retract("f-1")
    assert topics.never() == {"wasps"}
    topics.retract("f-2")
    assert topics.never() == frozenset()
    for finding in ("f-1", "f-2"):
        topics.never_suggest("Wasps", at=NOW, by=finding)
    topics.restore("Wasps", at=NOW)
    assert topics.never() == frozenset()
