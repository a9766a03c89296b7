"""docs/architecture.md: the files that each path passes are those that it lists, in that order."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import daemon.composition
from daemon.cli import cli
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.host.due import Wake
from daemon.host.loop import Host
from daemon.host.socket_server import Server
from daemon.model.finding import FindingStatus
from daemon.ports import Stop
from daemon.usecases import writer
from daemon.usecases.topics import NEVER, TopicRequest
from tests.fakes.reviewed_vault import FINDING
from vault_adapters import folder

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
_PENDING = f"---\nlacuna_id: {FINDING.id}\nstatus: pending\n---\n# A\n"
LONGEST = {
    "An edit": 14,
    "A tagged note": 10,
    "A decision": 6,
    "A search": 14,
    "A command": 14,
}


def listed(path: str) -> list[str]:
    """The files of one path, as the page has them."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = page.split(f"**{path}**", 1)[1].split("\n**", 1)[0].split("\n## ", 1)[0]
    return re.findall(r"^\d+\. `([^`]+)`", part, re.MULTILINE)


# Files that continue what was handed to their thread: nothing on their own thread called them.
ON_ANOTHER_THREAD = ("daemon/host/loop.py", "daemon/host/socket_server.py")
WRAPPER = "daemon/host/isolation.py"  # through which the loop calls each part


@dataclass(frozen=True, slots=True)
class Followed:
    """The project's files in the order of their calls, and which files called each."""

    called: list[str] = field(default_factory=list)
    callers: dict[str, set[str]] = field(default_factory=dict)

    def passed(self, path: str) -> int:
        """Check that the work passed the files of the page; return how often it returned."""
        files, calls = listed(path), iter(self.called)
        assert all(file in calls for file in files)
        returns = 0
        for place, file in enumerate(files[1:], start=1):
            callers = self.callers.get(file, set()).intersection(files[:place])
            assert callers or file in ON_ANOTHER_THREAD, f"{file}: no file of the list calls it"
            returns += bool(callers) and files[place - 1] not in callers
        return returns


@cache
def project_file(file: str) -> str:
    """Return a file of the project relative to its root, "" for any other file."""
    is_ours = file.startswith(f"{ROOT}/") and ".venv" not in file
    return file.removeprefix(f"{ROOT}/") if is_ours else ""


@contextmanager
def followed() -> Iterator[Followed]:
    """Note each call from one of the project's files to another meanwhile, on any thread."""
    found = Followed()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not (file := project_file(frame.f_code.co_filename)):
            return
        found.called.append(file)
        caller = frame.f_back
        while caller is not None:
            if (name := project_file(caller.f_code.co_filename)) not in ("", file, WRAPPER):
                found.callers.setdefault(file, set()).add(name)
                return
            caller = caller.f_back

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A daemon's loop over a small vault, with the real embedding process but for its model."""
    monkeypatch.setattr("daemon.adapters.embedder._WORKER", "tests.fakes.embed_child")
    monkeypatch.setattr(daemon.composition, "_reranker", lambda *_: None)
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Bees.md").write_text("# Bees\n\nBees dance in the hive. See [[Wasps]].\n")
    (vault / "Wasps.md").write_text("# Wasps\n\nWasps do not dance in their nest.\n")
    (tmp_path / "sources.yaml").write_text("")
    settings = settings_from(
        {
            "vault": vault,
            "weekly.enabled": False,
            "index.debounce_seconds": 0.05,
            "machines.allow_others": False,
        }
    )
    config = tmp_path / "config.toml"
    with closing(open_app(settings, state=tmp_path / "state", config=config)) as app:
        clock = [NOW]
        host = Host(app, lambda: clock[0])
        turns(host)
        clock[0] += timedelta(minutes=2)
        yield host


def turns(host: Host) -> None:
    """Let the loop work until all is embedded."""
    host._turn()
    while host._due.embed:
        host._take_wake(10)
        host._turn()


def edited(host: Host, path: str, text: str) -> Followed:
    """Change a note; return which files were passed until all was done."""
    with followed() as found:
        watcher = host._watcher()
        watcher.start()
        try:
            (host.app.adapter.root / path).write_text(text)
            while not host._due.sync:
                host._take_wake(10)
        finally:
            watcher.stop()
        turns(host)
    return found


@pytest.mark.parametrize("path", LONGEST)
def test_each_path_is_short_and_its_files_exist(path: str) -> None:
    files = listed(path)
    assert 0 < len(files) <= LONGEST[path]
    assert all((ROOT / file).is_file() for file in files)


def test_an_edit_becomes_a_vector(host: Host) -> None:
    found = edited(host, "Wasps.md", "# Wasps\n\nWasps sting, and do so more than once.\n")
    found.passed("An edit")


def test_a_tagged_note_becomes_an_agenda(host: Host) -> None:
    note = "---\nresearch: true\n---\n# Wasps\n\n## Why do wasps not dance in their nest?\n"
    found = edited(host, "Wasps.md", note)
    assert host.app.stores.agendas.open()
    assert found.passed("A tagged note") <= 4


def test_a_changed_note_is_read_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the index, the research request, the agenda and the review together."""
    reads: list[str] = []
    read = folder._read

    def counted(file: str, path: str, real_root: str) -> bytes:
        reads.append(path)
        return read(file, path, real_root)

    monkeypatch.setattr(folder, "_read", counted)
    edited(host, "Bees.md", "# Bees\n\nBees dance in the dark.\n")
    assert reads.count("Bees.md") == 1
    reads.clear()
    edited(host, "Wasps.md", "---\nresearch: true\n---\n# Wasps\n\n## Why do wasps sting?\n")
    assert host.app.stores.agendas.open()
    assert reads.count("Wasps.md") == 1
    record = host.app.review.inbox.add_finding(FINDING, _PENDING)
    host._due.sync = host._due.whole = True
    turns(host)
    reads.clear()
    edited(host, record.path, _PENDING.replace("pending", "accepted"))
    assert host.app.review.reviews.find(FINDING.id).status is FindingStatus.ACCEPTED
    assert reads.count(record.path) == 1


def test_a_search_is_answered_by_the_daemon(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    app = host.app
    server = Server(app)
    place = ["--vault", str(app.adapter.root), "--state", str(app.state)]
    with followed() as found, app.lock("lacuna run"):
        server.start()
        try:
            cli(["search", "wasps", *place], standalone_mode=False)
        finally:
            server.stop()
    assert "Wasps" in capsys.readouterr().out
    found.passed("A search")


def test_a_command_is_carried_out_by_the_daemon(host: Host) -> None:
    app, is_stored, is_over = host.app, threading.Event(), threading.Event()

    def on_request() -> None:
        host._wakes.put(Wake.REQUEST)
        is_stored.set()

    def work() -> None:
        is_stored.wait(60)  # a turn that was under way already would take the command, too
        while not is_over.is_set():
            host._take_wake(10)
            host._turn()

    server = Server(app, on_request)
    with followed() as found, app.lock("lacuna run"):
        server.start()
        worker = threading.Thread(target=work)
        worker.start()
        try:
            listener = writer.Listener(lambda _event: None, lambda _line: None)
            writer.ask(app, NEVER, TopicRequest(topic="wasps"), Stop(), listener)
        finally:
            is_over.set()
            host._wakes.put(Wake.STOP)
            worker.join()
            server.stop()
    found.passed("A command")


def test_a_decision_is_taken_from_its_note(host: Host) -> None:
    app = host.app
    record = app.review.inbox.add_finding(FINDING, _PENDING)
    host._due.sync = host._due.whole = True
    turns(host)
    note = (app.adapter.root / record.path).read_text().replace("pending", "accepted")
    found = edited(host, record.path, note)
    assert app.review.reviews.find(FINDING.id).status is FindingStatus.ACCEPTED
    found.passed("A decision")
