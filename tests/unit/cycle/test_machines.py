"""Several machines on one synced vault: each request and each turn of a schedule runs once."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import daemon.composition
import daemon.cycle.machines
from daemon.cli.machines import machine_lines
from daemon.model.agenda import AgendaStatus
from daemon.usecases.machines import machines
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.extractor import FakeExtractor
from tests.fakes.synced import SyncedMachine, SyncedVault
from vault_adapters.edit import read_property

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MINUTES = timedelta(minutes=1)
TAGGED = "---\nresearch: true\n---\n# Yew hedges\n\nHow fast does a yew hedge grow in shade?\n"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    monkeypatch.setattr(daemon.composition, "ChildExtractor", FakeExtractor)
    monkeypatch.setattr(daemon.composition, "_reranker", lambda *_: None)
    monkeypatch.setattr(daemon.cycle.machines, "_GAP", 2 * HOUR)  # fewer steps of time
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "yew.md").write_text("# Yew hedges\n\nA yew hedge grows 30 cm a year in shade.\n")
    return folder


@pytest.fixture
def vault(tmp_path: Path, library: Path) -> Iterator[SyncedVault]:
    with SyncedVault(tmp_path, delay=20 * MINUTES, library__folder=library) as made:
        yield made


def runs_of(vault: SyncedVault) -> list[str]:
    return [machine.name for machine in vault.machines for _ in machine.runs]


def leaders(vault: SyncedVault) -> list[str]:
    return [machine.name for machine in vault.machines if machine.leads]


def a_pair(vault: SyncedVault) -> tuple[SyncedMachine, SyncedMachine]:
    """Two machines that know each other; the first leads."""
    desk = vault.add("desk")
    vault.live(HOUR, HOUR)
    laptop = vault.add("laptop")
    vault.live(HOUR, HOUR)
    assert leaders(vault) == ["desk"]
    return desk, laptop


def test_without_it_both_machines_research_a_tagged_note(tmp_path: Path, library: Path) -> None:
    off = SyncedVault(
        tmp_path, delay=20 * MINUTES, library__folder=library, machines__allow_others=False
    )
    with off as vault:
        vault.add("desk")
        vault.add("laptop")
        vault.write("Yew.md", TAGGED)
        vault.live(HOUR)
        assert sorted(runs_of(vault)) == ["desk", "laptop"]


def test_a_tagged_note_is_researched_by_the_leader_alone(vault: SyncedVault) -> None:
    _desk, laptop = a_pair(vault)
    vault.write("Yew.md", TAGGED, laptop)
    vault.live(3 * HOUR)
    assert runs_of(vault) == ["desk"]
    assert laptop.agendas == []
    assert vault.conflicts == []


def test_two_machines_set_up_in_the_same_minute_agree_before_the_note_runs_twice(
    vault: SyncedVault,
) -> None:
    first, second = vault.add("desk"), vault.add("laptop")
    vault.live(2 * HOUR)
    assert len(leaders(vault)) == 1
    vault.write("Yew.md", TAGGED, second)
    vault.live(3 * HOUR)
    assert len(runs_of(vault)) == 1
    assert first.leads is not second.leads
    assert vault.conflicts == []


def test_the_weekly_agenda_is_made_once_by_the_leader(vault: SyncedVault) -> None:
    desk, laptop = a_pair(vault)
    for name in ("Bees", "Bees too"):
        vault.write(f"{name}.md", "See [[Queen rearing]].")
    vault.live(DAY + 9 * HOUR, 3 * HOUR)
    assert [agenda.schedule for agenda in desk.agendas] == ["weekly"]
    assert laptop.agendas == []
    assert laptop.app.stores.triggers.has_run("weekly")


def lines_of(machine: SyncedMachine) -> list[tuple[str, str]]:
    """What the status says of the machines, as seen on one of them."""
    found = machines(machine.app)
    return list(machine_lines(found, machine.app.review.machines.standby(machine.now), machine.now))


def test_both_are_in_the_status_with_what_they_do(vault: SyncedVault) -> None:
    desk, laptop = a_pair(vault)
    vault.live(2 * HOUR)
    (_, leader), (_, follower) = lines_of(desk)
    assert leader.startswith("desk (this machine): leads; last heartbeat ")
    assert follower.startswith("laptop: indexes and reviews; last heartbeat ")
    reported = [line for _, line in lines_of(laptop)]
    assert reported[0].startswith("laptop (this machine): indexes and reviews; ")
    assert reported[1].startswith("desk: leads; ")
    assert reported[2].startswith("not researching here: desk leads")


def test_a_leader_that_is_silent_for_a_day_is_replaced_and_follows_when_it_wakes(
    vault: SyncedVault,
) -> None:
    desk, laptop = a_pair(vault)
    desk.is_awake = False
    vault.write("Yew.md", TAGGED, laptop)
    vault.live(22 * HOUR, 6 * HOUR)
    assert runs_of(vault) == []
    vault.live(4 * HOUR, HOUR)
    assert laptop.leads
    assert runs_of(vault) == ["laptop"]
    desk.is_awake = True
    vault.live(5 * HOUR)
    assert leaders(vault) == ["laptop"]
    assert runs_of(vault) == ["laptop"]
    assert vault.conflicts == []


def test_a_machine_that_slept_does_not_take_the_others_for_silent(vault: SyncedVault) -> None:
    _desk, laptop = a_pair(vault)
    laptop.is_awake = False
    vault.live(3 * DAY, DAY)
    laptop.is_awake = True
    vault.live(2 * HOUR)
    assert leaders(vault) == ["desk"]


def test_a_machine_without_a_network_does_not_take_the_others_for_silent(
    vault: SyncedVault,
) -> None:
    _desk, laptop = a_pair(vault)
    laptop.is_online = False
    vault.live(DAY, 6 * HOUR)
    vault.live(3 * HOUR, HOUR)
    assert leaders(vault) == ["desk"]


def test_what_a_machine_claimed_before_it_fell_silent_is_taken_over_and_run_once(
    vault: SyncedVault,
) -> None:
    desk, _laptop = a_pair(vault)
    vault.write("Yew.md", TAGGED)
    desk.time = vault.time
    desk.turn()  # the agenda waits for a veto
    assert [agenda.status for agenda in desk.agendas] == [AgendaStatus.PROPOSED]
    vault._sync()
    desk.is_awake = False
    vault.live(22 * HOUR, 6 * HOUR)
    assert runs_of(vault) == []
    vault.live(5 * HOUR, HOUR)
    assert runs_of(vault) == ["laptop"]
    desk.is_awake = True
    vault.live(4 * HOUR)
    assert runs_of(vault) == ["laptop"]
    assert [agenda.status for agenda in desk.agendas] == [AgendaStatus.CANCELLED]
    path = desk.agendas[0].path or ""
    assert "laptop researches this" in (desk.vault / path).read_text()


def test_both_offline_for_days_agree_again_on_one_leader_and_run_nothing_twice(
    vault: SyncedVault,
) -> None:
    desk, laptop = a_pair(vault)
    vault.write("Yew.md", TAGGED)
    for machine in (desk, laptop):
        machine.is_online = False
    vault.live(2 * DAY, 12 * HOUR)
    vault.live(3 * HOUR, HOUR)
    for machine in (desk, laptop):
        machine.is_online = True
    vault.live(3 * HOUR)
    assert leaders(vault) == ["desk"]
    assert runs_of(vault) == ["desk"]
    assert vault.conflicts == []


def test_clocks_that_are_days_apart_move_no_lead(vault: SyncedVault) -> None:
    vault.add("desk")
    vault.live(HOUR, HOUR)
    laptop = vault.add("laptop", ahead=7 * DAY)
    late = vault.add("phone", ahead=-7 * DAY)
    vault.live(DAY, 6 * HOUR)
    vault.live(3 * HOUR, HOUR)
    assert leaders(vault) == ["desk"]
    vault.write("Yew.md", TAGGED, laptop)
    vault.live(2 * HOUR)
    assert runs_of(vault) == ["desk"]
    assert not late.agendas


def test_the_lead_moves_on_request(vault: SyncedVault) -> None:
    _desk, laptop = a_pair(vault)
    laptop.app.review.machines.lead(laptop.now)
    assert laptop.leads
    vault.live(HOUR)
    assert leaders(vault) == ["laptop"]
    vault.write("Yew.md", TAGGED)
    vault.live(HOUR)
    assert runs_of(vault) == ["laptop"]


def test_a_new_leader_does_not_research_again_what_the_old_one_did(vault: SyncedVault) -> None:
    desk, laptop = a_pair(vault)
    vault.write("Yew.md", TAGGED)
    vault.live(3 * HOUR)
    assert runs_of(vault) == ["desk"]
    for agenda in (desk.vault / "Inbox").rglob("Agenda*"):
        agenda.unlink()
    vault.live(2 * HOUR)
    laptop.app.review.machines.lead(laptop.now)
    vault.live(4 * HOUR)
    assert runs_of(vault) == ["desk"]
    vault.write("Yew.md", TAGGED.replace("true", "false"))
    vault.live(HOUR)
    vault.write("Yew.md", TAGGED)
    vault.live(HOUR)
    assert runs_of(vault) == ["desk", "laptop"]


def test_two_that_lead_at_once_run_what_both_claimed_once(vault: SyncedVault) -> None:
    """The lead was taken while nothing could be synced, and the note came to both."""
    vault.delay = 0 * MINUTES
    desk, laptop = a_pair(vault)
    for machine in (desk, laptop):
        machine.is_online = False
    laptop.app.review.machines.lead(laptop.now)
    vault.write("Yew.md", TAGGED)
    for machine in (desk, laptop):
        machine.turn()
        machine.is_online = True
        assert len(machine.agendas_that_are(AgendaStatus.PROPOSED)) == 1
    vault.live(2 * HOUR)
    assert runs_of(vault) == ["laptop"]
    assert [agenda.status for agenda in desk.agendas] == [AgendaStatus.CANCELLED]
    assert vault.conflicts == []


def test_heartbeats_are_an_hour_apart_and_seldom_while_a_machine_is_alone(
    vault: SyncedVault,
) -> None:
    desk = vault.add("desk")
    vault.live(MINUTES)
    (note,) = (desk.vault / "Inbox/Research/Machines").iterdir()
    vault.live(DAY, 6 * HOUR)
    alone = read_property(note.read_text(), "beat")
    vault.add("laptop")
    vault.live(6 * HOUR)
    together = read_property(note.read_text(), "beat") - alone
    assert alone == 3
    assert 5 <= together <= 6


@pytest.mark.parametrize("term", [1_000_001, 2**31 - 1])
def test_a_note_with_an_absurd_term_takes_no_lead(vault: SyncedVault, term: int) -> None:
    a_pair(vault)
    vault.write(
        "Inbox/Research/Machines/evil.md",
        f"---\nlacuna_id: m-zzzz\ntype: machine\nmachine: evil\nbeat: 1\nterm: {term}\n---\n",
    )
    vault.live(2 * DAY, HOUR)
    assert leaders(vault) == ["desk"]


def test_a_machine_whose_note_was_deleted_is_forgotten(vault: SyncedVault) -> None:
    desk, laptop = a_pair(vault)
    desk.is_awake = False
    vault.live(HOUR)  # what was on its way has arrived
    for note in (laptop.vault / "Inbox/Research/Machines").glob("desk *"):
        note.unlink()
    vault.live(30 * MINUTES)
    assert laptop.leads
    assert [each.label for each in laptop.app.review.machines.states()] == ["laptop"]


def test_a_machine_that_lost_its_state_keeps_its_identity_and_the_lead(
    vault: SyncedVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.store.own_machine._SYSTEM_ID", tmp_path / "id")
    (tmp_path / "id").write_text("0a1b2c3d")
    desk, _laptop = a_pair(vault)
    desk.opened.close()
    shutil.rmtree(desk.folder / "state")
    desk.start()
    vault.live(HOUR)
    assert leaders(vault) == ["desk"]
    assert len(desk.app.review.machines.states()) == 2
