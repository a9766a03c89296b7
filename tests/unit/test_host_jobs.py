"""The run loop and the clock: schedules run one after another, when they may, and once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.config.own_schedules import Schedule
from daemon.host.due import JobDue
from daemon.host.loop import Host
from daemon.model.agenda import Agenda
from scheduler.conditions import Network, Surroundings
from tests.fakes.conditions import with_conditions
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.named import named
from tests.fakes.only_library import ONLY_LIBRARY

VIENNA = ZoneInfo("Europe/Vienna")
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
SUNDAY = datetime(2026, 11, 22, 8, 0, 5, tzinfo=UTC)


class Place:
    """What the machine is in, as a test says; counts how often it is asked."""

    def __init__(self) -> None:
        self.surroundings = Surroundings(Network.FREE)
        self.looks = 0

    def read(self) -> Surroundings:
        self.looks += 1
        return self.surroundings


class Machine:
    """A host with a clock and a place that a test can change, on one vault and one state."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self._folder = folder
        self._settings = settings
        self.time = SATURDAY
        self.place = Place()
        self.opened: list[App] = []
        self.start()

    def start(self) -> None:
        """As a new process would."""
        vault = self._folder / "vault"
        settings = settings_from({"vault": vault, **named(self._settings)})
        app = open_app(settings, state=self._folder / "state", config=self._folder / "config.toml")
        self.opened.append(app)
        self.app = with_conditions(app, self.place)
        self.host = Host(self.app, lambda: self.time, zone=lambda: VIENNA)
        self._engine = self.host._jobs.engine(lambda name: self.host._wakes.put(JobDue(name)))

    def live(self, until: datetime, minutes: int = 10) -> None:
        """Let time pass, with a look at the clock and a turn of the loop every few minutes."""
        while self.time < until:
            self.time = min(until, self.time + timedelta(minutes=minutes))
            self.turn()

    def turn(self) -> None:
        self._engine.check()
        self.host._take_wake(timeout=0)
        self.host._turn()

    @property
    def agendas(self) -> list[Agenda]:
        return self.app.stores.agendas.all()[::-1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "sources.yaml").write_text("")
    for path, link in (("A/Bees", "Queen rearing"), ("B/Plan", "Depreciation")):
        for name in (path, f"{path} too"):
            note = tmp_path / "vault" / f"{name}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"See [[{link}]].")
    return tmp_path


@pytest.fixture
def machine(folder: Path) -> Iterator[Machine]:
    found = Machine(folder, conditions__min_battery_percent=30, agenda__veto_hours=24 * 365)
    yield found
    for app in found.opened:
        app.close()


def schedules_of(machine: Machine) -> list[str]:
    return [agenda.schedule for agenda in machine.agendas]


def test_a_week_runs_once_at_its_hour(machine: Machine) -> None:
    machine.live(SUNDAY - timedelta(minutes=1))
    assert machine.agendas == []
    machine.live(SUNDAY + timedelta(hours=5))
    assert schedules_of(machine) == ["weekly"]
    assert machine.agendas[0].created_at < SUNDAY + timedelta(minutes=10)


def test_a_machine_that_slept_and_one_that_was_off_run_once_on_waking(machine: Machine) -> None:
    machine.time += timedelta(weeks=3)  # asleep: the process wakes as it was
    for _ in range(5):
        machine.turn()
    assert schedules_of(machine) == ["weekly"]
    machine.start()  # and once more, in a process of its own
    for _ in range(5):
        machine.turn()
    assert schedules_of(machine) == ["weekly"]


@pytest.mark.parametrize(
    ("surroundings", "why"),
    [
        (Surroundings(Network.ABSENT), "there is no network"),
        (Surroundings(Network.METERED), "the network is metered"),
        (Surroundings(Network.FREE, 12), "the battery is at 12 %, less than 30 %"),
    ],
)
def test_what_may_not_run_waits_says_why_and_runs_once_when_it_may(
    machine: Machine, surroundings: Surroundings, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "daemon.host.jobs")
    machine.place.surroundings = surroundings
    machine.live(SUNDAY + timedelta(days=2), minutes=60)
    assert machine.agendas == []
    assert caplog.text.count(f"the schedule weekly waits: {why}") == 1
    machine.start()  # it still waits after a restart
    machine.live(machine.time + timedelta(hours=1))
    assert machine.agendas == []
    machine.place.surroundings = Surroundings(Network.FREE, 90)
    machine.live(machine.time + timedelta(hours=1))
    assert schedules_of(machine) == ["weekly"]
    assert "the schedule weekly no longer waits" in caplog.text


def test_while_nothing_is_due_nothing_is_checked_otherwise_once_a_minute(
    machine: Machine,
) -> None:
    machine.live(SUNDAY - timedelta(minutes=1))
    assert machine.place.looks == 0
    machine.place.surroundings = Surroundings(Network.ABSENT)
    machine.live(SUNDAY)
    for second in range(300):
        machine.time = SUNDAY + timedelta(seconds=second)
        machine.turn()
    assert 1 <= machine.place.looks <= 7


def test_a_pause_holds_over_a_restart_and_what_was_missed_runs_once(machine: Machine) -> None:
    machine.app.scheduling.schedules.pause("weekly", machine.time)
    machine.live(SUNDAY + timedelta(days=8), minutes=60)
    machine.start()
    machine.live(machine.time + timedelta(hours=3))
    assert machine.agendas == []
    machine.app.scheduling.schedules.resume("weekly")
    machine.live(machine.time + timedelta(hours=3))
    assert schedules_of(machine) == ["weekly"]


def test_several_that_were_missed_run_one_after_another_and_share_what_is_in_common(
    folder: Path,
) -> None:
    own = {
        "bees": Schedule(cron="0 7 * * *", folders=("A",)),
        "all": Schedule(cron="0 8 * * *"),
    }
    machine = Machine(folder, schedules=own, agenda__veto_hours=24 * 365)
    machine.time += timedelta(weeks=2)
    seen = []
    for _ in range(6):
        machine.turn()
        seen.append(schedules_of(machine))
        assert len(seen[-1]) <= len(seen[-2] if len(seen) > 1 else []) + 1
    topics = [task.topic for agenda in machine.agendas for task in agenda.tasks]
    assert sorted(topics) == ["Depreciation", "Queen rearing"]
    for app in machine.opened:
        app.close()


def test_an_agenda_whose_veto_ends_in_quiet_hours_runs_when_they_are_over(folder: Path) -> None:
    (folder / "sources.yaml").write_text(ONLY_LIBRARY)
    machine = Machine(
        folder, agenda__veto_hours=2, quiet_hours__start="10:00", quiet_hours__end="13:00"
    )
    statuses = {}
    for hour in (9, 10, 12, 13):
        machine.live(datetime(2026, 11, 22, hour, 30, tzinfo=VIENNA))
        statuses[hour] = [agenda.status.value for agenda in machine.agendas]
    assert statuses == {9: ["proposed"], 10: ["proposed"], 12: ["proposed"], 13: ["done"]}
    for app in machine.opened:
        app.close()
