"""Copies of one vault on several machines, each with the real App and run loop, and a slow sync."""

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from daemon.app import App
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.host.due import JobDue
from daemon.host.loop import Host
from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.run import RunRow
from scheduler.conditions import Network, Surroundings
from tests.fakes.conditions import with_conditions
from tests.fakes.named import named
from tests.fakes.only_library import ONLY_LIBRARY

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)  # a Saturday
STEP = timedelta(minutes=30)
TURNS = 4  # after which nothing is left to do at a moment


@dataclass
class SyncedMachine:
    """One machine. Its clock is `ahead` of the true time; it works only while it `is_awake`."""

    folder: Path
    name: str
    settings: dict[str, Any]
    ahead: timedelta = timedelta(0)
    is_awake: bool = True
    is_online: bool = True
    time: datetime = START
    opened: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.start()

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    @property
    def now(self) -> datetime:
        return self.time + self.ahead

    def start(self) -> None:
        """As a new process would."""
        self.opened.close()
        config = self.folder / "config.toml"
        config.with_name("sources.yaml").write_text(ONLY_LIBRARY)
        settings = settings_from({"vault": self.vault, **named(self.settings)})
        app = open_app(settings, state=self.folder / "state", config=config)
        self.opened.callback(app.close)
        app.review.machines._known.name = self.name
        self.app: App = with_conditions(app, self)
        self.host = Host(self.app, lambda: self.now, zone=lambda: UTC)
        self._engine = self.host._jobs.engine(lambda name: self.host._wakes.put(JobDue(name)))

    def read(self) -> Surroundings:
        """Answer for the system what surrounds the machine."""
        return Surroundings(Network.FREE if self.is_online else Network.ABSENT)

    def turn(self) -> None:
        """Do what the run loop does until nothing is left to do."""
        self._engine.check()
        self.host._take_wake(timeout=0)
        due = self.host._due
        due.sync = due.whole = True
        for number in range(TURNS):
            self.host._turn()
            if number and not (due.sync or due.review or due.library):
                break

    @property
    def leads(self) -> bool:
        return not self.app.review.machines.standby(self.now)

    @property
    def runs(self) -> list[RunRow]:
        return self.app.stores.runs.all()

    @property
    def agendas(self) -> list[Agenda]:
        return self.app.stores.agendas.all()

    def agendas_that_are(self, *statuses: AgendaStatus) -> list[Agenda]:
        return [agenda for agenda in self.agendas if agenda.status in statuses]


@dataclass(frozen=True)
class _Change:
    """A change on its way to a machine: what the file became, and what it was where it was made."""

    arrives_at: datetime
    to: int
    path: str
    data: bytes | None
    before: bytes | None


class SyncedVault:
    """Machines on copies of one vault, and what carries changes between them after a `delay`.

    What was changed on two sides becomes a copy beside the file, as sync programs do it. A machine
    that is off or not online neither sends nor receives.
    """

    def __init__(self, folder: Path, *, delay: timedelta, **settings: Any) -> None:
        self._folder = folder
        self.delay = delay
        self._settings = settings
        self.time = START
        self.machines: list[SyncedMachine] = []
        self._seen: list[dict[str, bytes]] = []
        self._under_way: list[_Change] = []
        self.conflicts: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for machine in self.machines:
            machine.opened.close()

    def add(self, name: str, *, ahead: timedelta = timedelta(0)) -> SyncedMachine:
        """Set up Lacuna on one more machine, which has the vault as the first has it now."""
        folder = self._folder / f"{len(self.machines)} {name}"
        if self.machines:
            shutil.copytree(self.machines[0].vault, folder / "vault")
        else:
            (folder / "vault").mkdir(parents=True)
            # Nothing is written into an empty vault.
            (folder / "vault/Start.md").write_text("# Start\n")
        machine = SyncedMachine(folder, name, self._settings, ahead, time=self.time)
        self.machines.append(machine)
        self._seen.append(_files(machine.vault))
        return machine

    def write(self, path: str, text: str, *machines: SyncedMachine) -> None:
        """Have the user write a note: on all machines at once when none is named."""
        for number, machine in enumerate(self.machines):
            if machine in (machines or self.machines):
                file = machine.vault / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                if not machines:
                    self._seen[number][path] = text.encode()

    def live(self, span: timedelta, step: timedelta = STEP) -> None:
        """Let time pass."""
        end = self.time + span
        while self.time < end:
            self.time = min(end, self.time + step)
            self._sync()
            for machine in self.machines:
                machine.time = self.time
                if machine.is_awake:
                    machine.turn()

    def _sync(self) -> None:
        for number, machine in enumerate(self.machines):
            if not (machine.is_awake and machine.is_online):
                continue
            now, seen = _files(machine.vault), self._seen[number]
            for path in sorted(now.keys() | seen.keys()):
                if now.get(path) != seen.get(path):
                    self._send(number, path, now.get(path), seen.get(path))
            self._seen[number] = now
        waiting, self._under_way = self._under_way, []
        for change in waiting:
            receiver = self.machines[change.to]
            if change.arrives_at <= self.time and receiver.is_awake and receiver.is_online:
                self._receive(change)
            else:
                self._under_way.append(change)

    def _send(self, sender: int, path: str, data: bytes | None, before: bytes | None) -> None:
        for number in range(len(self.machines)):
            if number != sender:
                arrives_at = self.time + self.delay
                self._under_way.append(_Change(arrives_at, number, path, data, before))

    def _receive(self, change: _Change) -> None:
        file = self.machines[change.to].vault / change.path
        there = file.read_bytes() if file.exists() else None
        if there == change.data:
            return
        if there != change.before:  # changed on both sides
            self.conflicts.append(change.path)
            if change.data is None:
                return
            digest = sha256(change.data).hexdigest()[:4]
            file = file.with_name(f"{file.stem} (conflicted copy {digest}){file.suffix}")
        if change.data is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(change.data)
        seen = self._seen[change.to]
        path = file.relative_to(self.machines[change.to].vault).as_posix()
        seen.pop(path, None)
        if change.data is not None:
            seen[path] = change.data


def _files(vault: Path) -> dict[str, bytes]:
    return {
        path.relative_to(vault).as_posix(): path.read_bytes()
        for path in vault.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
