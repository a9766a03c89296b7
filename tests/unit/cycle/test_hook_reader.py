"""Event hooks read the stream: in order, each once, also after a kill; nobody waits for them."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.command_hooks import CommandHooks
from daemon.cycle.announce import Announcements
from daemon.cycle.hook_reader import HookReader
from daemon.model.hook_event import HookEvent
from daemon.store.announcements import AnnouncementStore, TakenError
from daemon.store.db import Database
from daemon.store.events import EventLog
from tests.fakes.hooks import FakeHook, FakeHooks
from tests.fakes.notices import NOW

_PATIENCE = 30.0


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "lacuna.db")) as db:
        yield db


@pytest.fixture
def log(db: Database, tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog(tmp_path, tmp_path.joinpath, lambda: NOW, AnnouncementStore(db))) as log:
        yield log


def errors(log: EventLog, *numbers: int) -> None:
    for number in numbers:
        Announcements(log).trouble("sync", str(number), NOW)


def lines(hook: FakeHook) -> list[str]:
    return [body["line"] for body in hook.asked]


def test_hooks_run_in_order_and_a_failure_stops_nothing(
    log: EventLog, db: Database, tmp_path: Path
) -> None:
    path = tmp_path / "hook.py"
    path.write_text(
        "import json, sys\n"
        "body = json.load(sys.stdin)\n"
        "open('told', 'a').write(f\"{sys.argv[1]} {body['line']} {body['id']}\\n\")\n"
        "raise SystemExit(body['line'] == '1')\n"
    )
    lists = [[sys.executable, str(path), name] for name in ("a", "b")]
    hooks = CommandHooks({HookEvent.ERROR: lists}, seconds=_PATIENCE, cwd=tmp_path)
    failures: list[tuple[str, str]] = []
    reader = HookReader(
        AnnouncementStore(db),
        hooks,
        seconds=_PATIENCE,
        failed=lambda name, why: failures.append((name, why)),
    )
    log.subscribe(reader.read)
    errors(log, 1, 2)
    Announcements(log).recovered("sync", NOW)
    reader.close()
    assert (tmp_path / "told").read_text().split("\n")[:-1] == ["a 1 1", "b 1 1", "a 2 2", "b 2 2"]
    assert failures == [("error hook.py", "it ended with exit code 1")] * 2


def test_writers_never_wait_for_a_hook(log: EventLog, db: Database, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    table = {HookEvent.ERROR: [["/bin/sh", "-c", f"read line < '{gate}'"]]}
    hooks = CommandHooks(table, seconds=600, cwd=tmp_path)
    reader = HookReader(AnnouncementStore(db), hooks, seconds=0.2)
    log.subscribe(reader.read)
    errors(log, *range(300))
    assert log.last == 300
    reader.close()  # ends the hook, and leaves the rest to the next process
    unread = AnnouncementStore(db).next("hooks")
    assert unread is not None
    assert unread.id <= 2


class KilledError(BaseException):
    """The process is gone."""


@dataclass
class Killed(FakeHook):
    """Its caller is killed before it begins, or right after that."""

    has_begun: bool = False

    def ask(
        self,
        body: Mapping[str, Any],
        is_over: Callable[[], bool] = lambda: False,
        *,
        starting: AbstractContextManager[None] | None = None,
    ) -> dict[str, Any]:
        if self.has_begun:
            super().ask(body, is_over, starting=starting)
        raise KilledError


@pytest.mark.parametrize("after", [False, True], ids=["before the hook begins", "while it runs"])
def test_a_hook_is_neither_lost_nor_started_twice_after_a_kill(
    log: EventLog, db: Database, tmp_path: Path, *, after: bool
) -> None:
    """One of two hooks is interrupted; the next process continues with exactly what is left."""
    first, second = FakeHook(lambda _body: {}), FakeHook(lambda _body: {})

    killed = Killed(first.ask, has_begun=after)
    errors(log, 1, 2)
    with suppress(KilledError):
        hooks = FakeHooks({HookEvent.ERROR: [killed, second]})
        reader = HookReader(AnnouncementStore(db), hooks, seconds=1)
        while reader._take_next():
            pass
    with closing(Database(tmp_path / "lacuna.db")) as next_db:
        hooks = FakeHooks({HookEvent.ERROR: [first, second]})
        reader = HookReader(AnnouncementStore(next_db), hooks, seconds=1)
        while reader._take_next():
            pass
    assert lines(first) == ["1", "2"]
    assert lines(second) == ["1", "2"]


def test_two_processes_do_not_run_the_same_hook(log: EventLog, db: Database) -> None:
    store = AnnouncementStore(db)
    errors(log, 1)
    unread = store.next("hooks")
    assert unread is not None
    with store.claim("hooks", unread, is_whole=False):
        pass
    with pytest.raises(TakenError), store.claim("hooks", unread, is_whole=False):
        pytest.fail("claimed twice")


def test_a_hook_that_is_set_up_later_gets_later_events(log: EventLog, db: Database) -> None:
    store, hook = AnnouncementStore(db), FakeHook(lambda _body: {})
    with log.read_by(HookReader(store, FakeHooks(), seconds=1).read):
        errors(log, 1, 2)
    reader = HookReader(store, FakeHooks({HookEvent.ERROR: [hook]}), seconds=1)
    log.subscribe(reader.read)
    errors(log, 3)
    reader.close()
    assert lines(hook) == ["3"]


def test_closing_waits_no_longer_than_one_call_may_take(
    log: EventLog, db: Database, tmp_path: Path
) -> None:
    hooks = CommandHooks({HookEvent.ERROR: [["/bin/sleep", "600"]]}, seconds=600, cwd=tmp_path)
    failures: list[str] = []
    store = AnnouncementStore(db)
    reader = HookReader(store, hooks, seconds=0.2, failed=lambda _name, why: failures.append(why))
    log.subscribe(reader.read)
    errors(log, *range(50))
    reader.close()
    assert failures in ([], ["it was cancelled"])
    assert store.next("hooks") is not None
