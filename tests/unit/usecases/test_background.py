"""Work that is waited for only so long: its result, its error, or nothing yet."""

import logging
import time
from concurrent.futures import Future
from typing import Any

import pytest

from daemon.model.errors import LacunaError
from daemon.usecases.background import Background


class ReadyLate(Future[str]):
    """Work that ends right after the wait for it has ended."""

    def done(self) -> bool:
        if not super().done():
            self.set_result("ready")
        return True


def test_work_that_ends_just_after_the_deadline_is_not_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.usecases.background.in_background", lambda _work: ReadyLate())
    assert Background(lambda: "").result(time.monotonic()) == "ready"


def test_work_that_is_not_ready_has_no_result_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.usecases.background.in_background", lambda _work: Future[Any]())
    assert Background(lambda: "").result(time.monotonic()) is None


def test_an_unexpected_error_is_logged_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise TimeoutError

    with pytest.raises(LacunaError, match=r"internal error \(TimeoutError\): see the log"):
        Background(fails).result(time.monotonic() + 60)
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None
