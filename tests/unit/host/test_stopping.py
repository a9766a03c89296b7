"""One command is ended by its number; quick ones are carried out between the steps of long ones."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.host.answering import Answering
from daemon.model.errors import LacunaError, NotFoundError, StoppedError
from daemon.model.event import BaseEvent, StepStart
from daemon.model.request import Request, RequestState
from daemon.ports import Stop
from daemon.usecases.command import Work
from daemon.usecases.commands import COMMANDS, SLOW
from daemon.usecases.in_process import InProcess
from tests.fakes.embedder import FakeEmbedder

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A vault with a library of three documents."""
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    vault, library = tmp_path / "vault", tmp_path / "library"
    for folder in (vault, library):
        folder.mkdir()
    (vault / "Bees.md").write_text("# Bees\n\nQueens are reared in spring.\n")
    for number in range(3):
        (library / f"{number}.md").write_text(f"# Number {number}\n\nRye rises slowly, {number}.\n")
    settings = settings_from({"vault": vault, "library.folder": library})
    with closing(open_app(settings, state=tmp_path / "state", config=tmp_path / "c.toml")) as app:
        yield app


def given(app: App, name: str, **body: object) -> int:
    return app.stores.requests.ask(name, body, now=NOW)


def stored(app: App, number: int) -> Request:
    found = app.stores.requests.get(number)
    assert found is not None
    return found


def answering(app: App, stop: Stop, between: list[Callable[[], None]]) -> Answering:
    """Return what answers requests, and does the next thing whenever a long one waits."""

    def meanwhile() -> None:
        if between:
            between.pop(0)()
            made.answer_all(excluded=SLOW)

    made = Answering(app, lambda: NOW, stop, None, meanwhile)
    return made


def test_a_quick_command_is_carried_out_during_a_scan_of_the_library(app: App) -> None:
    stop, quick = Stop(), list[int]()
    scan = given(app, "library-scan")
    between = [lambda: quick.append(given(app, "topic-never", topic="rye"))]
    states = list[RequestState]()
    between.append(lambda: states.extend(stored(app, each).state for each in (*quick, scan)))
    answering(app, stop, between).answer_all()
    assert states == [RequestState.DONE, RequestState.WORKING]
    assert stored(app, scan).state is RequestState.DONE


def test_a_command_is_ended_by_its_number_and_the_daemon_goes_on(app: App) -> None:
    stop = Stop()
    scan, after = given(app, "library-scan"), given(app, "topic-never", topic="rye")
    end = [lambda: (given(app, "work-stop", command=scan), None)[1]]
    answering(app, stop, end).answer_all()
    ended = stored(app, scan)
    assert ended.state is RequestState.FAILED
    assert ended.answer["error"] == "stopped; what was done so far is kept"
    assert stored(app, after).state is RequestState.DONE
    assert not stop.is_requested


def test_a_daemon_that_stops_leaves_its_command_to_be_resumed(app: App) -> None:
    stop, scan = Stop(), given(app, "library-scan")
    with pytest.raises(StoppedError):
        answering(app, stop, [stop.request]).answer_all()
    assert stored(app, scan).state is RequestState.NEW


def test_a_command_that_waits_is_cancelled_and_an_unknown_one_is_not_found(app: App) -> None:
    scan = given(app, "library-scan")
    command = COMMANDS["work-stop"]
    work = Work(app, NOW, Stop())
    command.carry_out(work, command.request(command=scan))
    assert app.stores.requests.get(scan) is None
    with pytest.raises(NotFoundError, match=f"no command {scan} is in progress"):
        command.carry_out(work, command.request(command=scan))


def test_without_a_daemon_a_command_is_ended_by_the_number_in_its_events(app: App) -> None:
    here, scan, end = InProcess(app, print), COMMANDS["library-scan"], COMMANDS["work-stop"]

    def stop_it(event: BaseEvent) -> None:
        if isinstance(event, StepStart) and event.step == "library":
            here(end, end.request(command=event.request), lambda _: None, Stop(), "")

    library = app.index.library
    assert library is not None
    with ThreadPoolExecutor() as threads:
        app.events.subscribe(lambda event: threads.submit(stop_it, event).result())
        with pytest.raises(LacunaError, match="what was done so far is kept"):
            here(scan, scan.request(), lambda _: None, Stop(), "")
    assert library.progress().counts.due > 0
