"""`search --web` keeps its time limit, also where notes have changed."""

import time
from threading import Event
from typing import Any

import pytest

from daemon.app import App
from daemon.ports import Stop
from daemon.usecases import searching
from daemon.usecases.following import NOBODY


def test_the_update_of_the_index_ends_at_its_deadline(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refresh(_app: App, stop: Stop, *_: Any, **__: Any) -> None:
        pause = Event()
        for _step in range(500):  # at most five seconds
            stop.check()
            pause.wait(0.01)
        raise AssertionError("nothing ended it")

    monkeypatch.setattr(searching, "_REFRESH", 0.01)
    monkeypatch.setattr("daemon.usecases.searching.writer.refresh", refresh)
    found = searching._Searching(app, "rye", 3, time.monotonic(), NOBODY)._refresh()
    assert found == "the index is behind your notes: run `lacuna index`"
