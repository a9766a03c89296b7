"""What a daemon finds out for a command is told by the command as it comes."""

from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from daemon.app import now
from daemon.cli.output import Bars
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.ports import Stop
from daemon.store.requests import Request, RequestState
from daemon.usecases import writer
from daemon.usecases.commands import fulfil
from tests.fakes.cli import Cli

QUESTION = "why does bread go stale in the fridge"
BODY = {"topics": [QUESTION], "note": None, "depth": "quick", "sources": []}


def test_the_daemon_leaves_what_it_knows_with_the_request(ready: Cli) -> None:
    app = open_app(load_settings(ready.config, flags={}), config=ready.config)
    with closing(app), app.lock("lacuna run"):
        app.knowledge.sync(now=now())
        assert app.library is not None
        app.library.update(progress=lambda *_: None, stop=Stop())
        request = app.stores.requests.begin("research", BODY, now=now())
        seen: list[dict[str, Any]] = []

        def look(*_: object) -> None:
            known = app.stores.requests.get(request.id)
            assert known is not None
            seen.append(dict(known.answer))

        answer = fulfil(request, app, now=now(), stop=Stop(), progress=look)
    assert len(answer["findings"]) == 1
    news = seen[-1]["news"]
    assert news[0] == f"library: “{QUESTION}”"
    assert news[1].startswith("Quick: ")
    assert news[2] == f"library: ok, 1 results for {QUESTION}"
    assert seen[-1]["told"] == len(news)


def test_each_line_is_told_once_also_when_only_the_last_ones_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writer, "_POLL_SECONDS", 0)
    looks = [
        {},
        {"news": ["one"], "told": 1},
        {"news": ["one"], "told": 1},
        {"news": ["one", "two", "three"], "told": 3},
        {"news": ["three", "four"], "told": 4},
    ]
    states = [Request(7, "research", {}, RequestState.WORKING, look) for look in looks]
    states.append(Request(7, "research", {}, RequestState.DONE, {"findings": []}))
    requests = SimpleNamespace(ask=lambda *_, **__: 7, get=lambda _id: states.pop(0))
    app: Any = SimpleNamespace(
        stores=SimpleNamespace(requests=requests), writer=lambda: "lacuna run (pid 1)"
    )
    told: list[str] = []
    listener = writer.Listener(Bars(), told.append, told.append)
    answer = writer._ask_daemon(app, "research", BODY, Stop(), listener)
    assert answer == {"findings": []}
    assert told == ["one", "two", "three", "four"]
