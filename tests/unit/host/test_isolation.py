"""A fault in one part of the work does not end the daemon."""

import logging
from datetime import UTC, datetime, timedelta

import pytest

from daemon.cycle.announce import Announcements
from daemon.host.due import Due
from daemon.host.isolation import Isolation
from daemon.model.errors import CorruptStoreError
from daemon.ports import Stop


class Clock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def isolation(clock: Clock) -> Isolation:
    return Isolation(Announcements(), Due(), lambda: clock.now, Stop())


def wrong() -> None:
    raise KeyError("passages")


def test_a_fault_of_the_program_ends_one_part_only_and_its_place_is_in_the_log(
    isolation: Isolation, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []
    with caplog.at_level(logging.ERROR):
        isolation.run("run 7", wrong)
        isolation.run("run 8", lambda: done.append("run 8"))
    assert done == ["run 8"]
    assert isolation.failure("run 7") == "run 7: an error of Lacuna (KeyError); see its log"
    assert "in wrong" in caplog.text


def test_what_fails_by_a_fault_again_is_retried_after_twice_the_time(
    isolation: Isolation, clock: Clock
) -> None:
    isolation.run("run 7", wrong)
    assert not isolation.may_try("run 7")
    clock.pass_(minutes=1)
    assert isolation.may_try("run 7")
    isolation.run("run 7", wrong)
    clock.pass_(minutes=1)
    assert not isolation.may_try("run 7")
    clock.pass_(minutes=1)
    isolation.run("run 7", lambda: None)
    assert not isolation.has_failures


def test_nothing_continues_with_a_corrupt_database(isolation: Isolation) -> None:
    def corrupt() -> None:
        raise CorruptStoreError("the index is corrupt")

    with pytest.raises(CorruptStoreError):
        isolation.run("sync", corrupt)
