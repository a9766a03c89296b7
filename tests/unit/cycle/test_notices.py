"""Which notices are sent outside the vault, when, and what they never contain."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.cycle.announce import Announcements
from daemon.cycle.delivery import Delivery
from daemon.cycle.notices import Notices
from daemon.model.agenda import Agenda, AgendaStatus, Depth
from daemon.model.evidence import SourceStatus
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.hook_event import HookEvent
from daemon.model.notice import Notice, NoticeKind
from daemon.store.announcements import AnnouncementStore
from daemon.store.db import Database
from daemon.store.events import EventLog
from daemon.store.outbox import OutboxStore
from daemon.store.troubles import TroubleStore
from tests.fakes.notices import NOW, FakeNotifier, a_notice
from tests.fakes.run_parts import a_task

MINUTE = timedelta(minutes=1)
SECRET = "My diary about Anna"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


def _record(status: FindingStatus = FindingStatus.PENDING) -> FindingRecord:
    return FindingRecord(
        "f-1", "r-1", f"Inbox/{SECRET}.md", status, SECRET, "https://x", "k", SECRET, 0.5, NOW
    )


def _agenda(id_: str = "a-1", **values: Any) -> Agenda:
    reported = {"runs_at": None, "status": AgendaStatus.PROPOSED, **values}
    task = a_task(SECRET)
    return Agenda(id_, NOW, trigger=f"requested in {SECRET}", depth=Depth.QUICK, tasks=(task,),
                  note=f"{SECRET}.md", **reported)  # fmt: skip


@dataclass
class Reported:
    """Announcements with notices that read them."""

    announce: Announcements
    notices: Notices
    store: AnnouncementStore

    @property
    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """What hooks would get that begin to read now."""
        found = []
        while (unread := self.store.next("test")) is not None:
            with self.store.claim("test", unread, is_whole=True):
                assert unread.event is not None
                found.append((unread.event.event, unread.event.body))
        return found


@pytest.fixture
def log(db: Database, tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog(tmp_path, tmp_path.joinpath, lambda: NOW, AnnouncementStore(db))) as log:
        yield log


def _reported(
    log: EventLog, db: Database, *, kinds: frozenset[NoticeKind] = frozenset(NoticeKind), **how: Any
) -> Reported:
    store = AnnouncementStore(db)
    notices = Notices(store, OutboxStore(db), ["desktop"], kinds, **how)
    log.subscribe(notices.read)
    return Reported(Announcements(log, TroubleStore(db)), notices, store)


def _ran(findings: int = 1) -> dict[str, Any]:
    return {
        "run": "r-1",
        "stopped_early": False,
        "findings": [{"title": SECRET}] * findings,
        "skipped": [{"title": SECRET, "url": "https://x", "why": SECRET}],
        "sources": [
            {"name": "arxiv", "status": SourceStatus.DEGRADED.value, "why": SECRET},
            {"name": "library", "status": SourceStatus.OK.value, "why": ""},
        ],
    }


def _tell_everything(announce: Announcements) -> None:
    announce.run_finished(_ran(), _agenda(), NOW)
    announce.proposed(_agenda(), NOW)
    announce.trouble("sync", f"{SECRET}.md cannot be read", NOW)
    announce.budget("day", f"the day's requests are spent on {SECRET}", NOW)


def _waiting(db: Database) -> dict[NoticeKind, Notice]:
    return {each.notice.kind: each.notice for each in OutboxStore(db).all()}


def test_a_notice_counts_and_names_nothing_unless_that_was_asked_for(
    log: EventLog, db: Database
) -> None:
    _tell_everything(_reported(log, db).announce)
    reported = _waiting(db)
    assert set(reported) == set(NoticeKind)
    assert "Anna" not in repr(reported)
    digest = reported[NoticeKind.DIGEST]
    assert digest.title == "Lacuna: 1 finding to review"
    assert digest.text == "1 document skipped.\n1 source did not answer in full."
    assert digest.counts == {
        "findings": 1,
        "left_out": 1,
        "sources_in_trouble": 1,
        "stopped_early": 0,
    }


def test_with_text_a_notice_names_what_it_is_about(log: EventLog, db: Database) -> None:
    _tell_everything(_reported(log, db, with_text=True).announce)
    assert all("Anna" in notice.text for notice in _waiting(db).values())


@pytest.mark.parametrize("off", NoticeKind)
def test_each_kind_can_be_turned_off(log: EventLog, db: Database, off: NoticeKind) -> None:
    _tell_everything(_reported(log, db, kinds=frozenset(NoticeKind) - {off}).announce)
    assert set(_waiting(db)) == set(NoticeKind) - {off}


def test_a_run_makes_one_notice_however_much_it_found(log: EventLog, db: Database) -> None:
    reported = _reported(log, db)
    for _ in range(2):  # a run that was killed at its very end comes to it again
        reported.announce.run_finished(_ran(5), _agenda(), NOW)
    assert [each.notice.title for each in OutboxStore(db).all()] == ["Lacuna: 5 findings to review"]
    assert [event for event, _ in reported.events] == [HookEvent.RESEARCH_COMPLETE]


@pytest.mark.parametrize("is_reported", [False, True], ids=["killed before", "killed after"])
def test_a_notice_is_neither_lost_nor_repeated_after_a_kill(
    log: EventLog, db: Database, tmp_path: Path, *, is_reported: bool
) -> None:
    outbox = OutboxStore(db)
    store = AnnouncementStore(db)
    Announcements(log).run_finished(_ran(), _agenda(), NOW)
    if is_reported:
        Notices(store, outbox, ["desktop"], frozenset(NoticeKind)).catch_up()
        outbox.sent(outbox.all()[0].id)
    with closing(Database(tmp_path / "lacuna.db")) as next_db:
        notices = Notices(
            AnnouncementStore(next_db), OutboxStore(next_db), ["desktop"], frozenset(NoticeKind)
        )
        notices.catch_up()
        assert len(OutboxStore(next_db).all()) == (0 if is_reported else 1)


def test_what_is_rolled_back_is_not_announced(log: EventLog, db: Database) -> None:
    reported = _reported(log, db)
    with suppress(RuntimeError), db.transaction():
        reported.announce.decided(_record(FindingStatus.ACCEPTED), NOW)
        raise RuntimeError
    assert reported.events == []


def test_only_an_agenda_that_waits_for_approval_is_announced(log: EventLog, db: Database) -> None:
    reported = _reported(log, db)
    announce = reported.announce
    announce.proposed(_agenda("a-1", runs_at=NOW), NOW)
    announce.proposed(_agenda("a-2", status=AgendaStatus.APPROVED), NOW)
    announce.proposed(_agenda("a-3", status=AgendaStatus.CANCELLED), NOW)
    assert _waiting(db) == {}
    assert len(reported.events) == 2
    announce.proposed(_agenda("a-4"), NOW)
    assert set(_waiting(db)) == {NoticeKind.AGENDA}


def test_a_persistent_problem_is_announced_once(log: EventLog, db: Database) -> None:
    reported = _reported(log, db)
    announce = reported.announce
    for minutes in range(200):
        announce.trouble("sync", "the vault is gone", NOW + minutes * MINUTE)
    assert len(OutboxStore(db).all()) == 1
    assert [event for event, _ in reported.events] == [HookEvent.ERROR]
    OutboxStore(db).sent(OutboxStore(db).all()[0].id)
    announce.recovered("sync", NOW + 300 * MINUTE)
    announce.trouble("sync", "the vault is gone", NOW + 400 * MINUTE)
    assert len(OutboxStore(db).all()) == 1


def test_a_problem_fixed_by_the_next_attempt_is_not_announced(log: EventLog, db: Database) -> None:
    announce, outbox = _reported(log, db).announce, OutboxStore(db)
    announce.trouble("sync", "the vault is not there yet", NOW)
    announce.trouble("run a-1", "no model", NOW)
    assert outbox.due(NOW + MINUTE) == []
    announce.recovered("sync", NOW + MINUTE)
    [left] = outbox.due(NOW + 2 * MINUTE)
    assert left.notice.id.startswith("error-run-")


def test_a_failed_hook_is_recorded_and_no_hook_is_notified_of_it(
    log: EventLog, db: Database
) -> None:
    reported = _reported(log, db)
    announce = reported.announce
    announce.failed_hook("error mail.py", "it took longer than 30 s", NOW)
    assert reported.events == []
    assert TroubleStore(db).last(1)[0].part == "hook error mail.py"


@pytest.mark.parametrize(
    ("status", "event"),
    [
        (FindingStatus.ACCEPTED, HookEvent.FINDING_ACCEPTED),
        (FindingStatus.DISMISSED, HookEvent.FINDING_DISMISSED),
        (FindingStatus.PENDING, HookEvent.FINDING_REOPENED),
    ],
)
def test_hooks_are_notified_of_decisions(
    log: EventLog, db: Database, status: FindingStatus, event: HookEvent
) -> None:
    reported = _reported(log, db)
    announce = reported.announce
    announce.decided(_record(status), NOW)
    [(name, body)] = reported.events
    assert name == event
    assert body["finding"]["status"] == status
    assert set(body["finding"]) == {
        "id", "run", "path", "status", "title", "source", "topic", "credibility", "feedback",
    }  # fmt: skip


def test_silence_is_no_failure() -> None:
    _tell_everything(Announcements())


def test_what_is_due_is_handed_over_once(db: Database) -> None:
    outbox, desktop = OutboxStore(db), FakeNotifier()
    outbox.add(a_notice(), ["desktop"], due_at=NOW)
    delivery = Delivery(outbox, {"desktop": desktop})
    for _ in range(2):
        delivery.start(NOW)
        delivery.close()
    assert desktop.sent == [a_notice()]


def test_a_failure_is_tried_again_ever_more_seldom_and_then_given_up(db: Database) -> None:
    outbox, ntfy = OutboxStore(db), FakeNotifier("ntfy", trouble="HTTP 500")
    outbox.add(a_notice(), ["ntfy"], due_at=NOW)
    delivery = Delivery(outbox, {"ntfy": ntfy})
    tried = []
    for minutes in range(3 * 24 * 60):
        before = ntfy.tries
        delivery.deliver(NOW + minutes * MINUTE)
        tried += [minutes] if ntfy.tries > before else []
    assert tried[:8] == [0, 1, 3, 7, 15, 31, 63, 127]
    assert tried[8:10] == [255, 511]
    assert len(tried) < 18
    assert outbox.all() == []


def test_a_failing_channel_does_not_delay_the_others(db: Database) -> None:
    outbox = OutboxStore(db)
    broken, works = FakeNotifier("ntfy", trouble="HTTP 500"), FakeNotifier("webhook")
    outbox.add(a_notice(), ["ntfy", "webhook", "gone"], due_at=NOW)
    Delivery(outbox, {"ntfy": broken, "webhook": works}).deliver(NOW)
    assert works.sent == [a_notice()]
    assert [(each.channel, each.trouble) for each in outbox.all()] == [("ntfy", "HTTP 500")]


def test_no_notification_is_sent_in_quiet_hours(db: Database) -> None:
    outbox, desktop = OutboxStore(db), FakeNotifier()
    over_at = NOW + 60 * MINUTE
    delivery = Delivery(
        outbox, {"desktop": desktop}, quiet=lambda now: over_at if now < over_at else None
    )
    outbox.add(a_notice(), ["desktop"], due_at=NOW)
    for minutes in (0, 59):
        delivery.start(NOW + minutes * MINUTE)
        delivery.deliver(NOW + minutes * MINUTE)
    assert desktop.tries == 0
    delivery.start(over_at)
    delivery.close()
    assert desktop.sent == [a_notice()]
