"""A log in one file, as launchd keeps it, does not grow for ever."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.host.log_file import turn_over


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "daemon.log"


@pytest.fixture
def descriptor(log: Path) -> Iterator[int]:
    """What stderr is under launchd: the file, written to at its end."""
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    yield opened
    os.close(opened)


def test_a_log_that_has_grown_large_is_begun_anew_and_goes_on_in_the_same_file(
    log: Path, descriptor: int
) -> None:
    for number in range(1000):
        os.write(descriptor, f"line {number}\n".encode())
        turn_over(log.parent, descriptor=descriptor, most_bytes=500)
    assert log.stat().st_size <= 500 + len("line 999\n")
    kept = (log.with_name("daemon.log.1").read_text() + log.read_text()).splitlines()
    assert kept == [f"line {number}" for number in range(1000 - len(kept), 1000)]
    assert sorted(path.name for path in log.parent.iterdir()) == ["daemon.log", "daemon.log.1"]


def test_a_small_one_is_left_alone(log: Path, descriptor: int) -> None:
    os.write(descriptor, b"line\n")
    assert not turn_over(log.parent, descriptor=descriptor)
    assert log.read_text() == "line\n"


def test_a_file_that_the_user_keeps_is_the_user_s(log: Path, descriptor: int) -> None:
    other = log.with_name("mine.log")
    log.rename(other)
    log.write_text("another")
    os.write(descriptor, b"x" * 1000)
    assert not turn_over(log.parent, descriptor=descriptor, most_bytes=500)
    assert other.stat().st_size == 1000


def test_one_that_is_not_written_at_its_end_would_get_a_hole(log: Path) -> None:
    with log.open("wb", buffering=0) as file:
        file.write(b"x" * 1000)
        assert not turn_over(log.parent, descriptor=file.fileno(), most_bytes=500)
