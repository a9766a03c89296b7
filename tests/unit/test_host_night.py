"""A night: the queue note is researched, ticked, and summed up in the morning."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import daemon.composition
from daemon.cycle.night_queue import NightQueue
from daemon.model.agenda import AgendaStatus
from daemon.research import gather
from scheduler.conditions import Network, Surroundings
from tests.fakes.cli import LIBRARY, NOTES, lay_out
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.only_library import ONLY_LIBRARY
from tests.fakes.speech import needs_espeak
from tests.unit.test_host_jobs import VIENNA, Machine

NIGHT = datetime(2026, 11, 22, 2, 0, 5, tzinfo=VIENNA)
QUEUE = "Inbox/Research/Queue.md"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "sources.yaml").write_text(ONLY_LIBRARY)
    lay_out(tmp_path / "vault", NOTES)
    library = lay_out(tmp_path / "library", LIBRARY)
    found = Machine(tmp_path, library__folder=library, weekly__enabled=False, nightly__enabled=True)
    found.turn()
    yield found
    for app in found.opened:
        app.close()


def queue(machine: Machine) -> Path:
    return machine.app.adapter.root / QUEUE


def write(machine: Machine, *lines: str) -> None:
    """As the user would, while the daemon looks on."""
    text = queue(machine).read_text("utf-8")
    queue(machine).write_text(text + "\n".join(lines) + "\n", "utf-8")
    machine.host._wakes.put(frozenset({QUEUE}))


def open_lines(machine: Machine) -> list[str]:
    lines = queue(machine).read_text("utf-8").splitlines()
    return [line for line in lines if line.startswith(("- [ ] ", "http")) and line != "- [ ] "]


def briefings(machine: Machine) -> list[str]:
    folder = queue(machine).parent
    return [path.read_text("utf-8") for path in sorted(folder.glob("Briefing *.md"))]


def test_the_queue_note_is_there_once_the_nightly_schedule_is_on(machine: Machine) -> None:
    text = queue(machine).read_text("utf-8")
    assert "type: queue\nlacuna_id: queue\n" in text
    machine.start()
    machine.turn()
    assert queue(machine).read_text("utf-8") == text
    names = sorted(path.name for path in queue(machine).parent.iterdir())
    assert names == ["Machines", "Queue.md"]
    assert QUEUE in machine.app.index.knowledge.own_paths().values()


def test_a_night_answers_ticks_and_reports_in_the_morning(machine: Machine) -> None:
    write(machine, "- [ ] why does bread go stale in the fridge", "- [ ] zebra unicorn xylophone",
          "http://127.0.0.1:9/page")  # fmt: skip
    machine.live(NIGHT - timedelta(minutes=5))
    assert (len(open_lines(machine)), machine.agendas) == (3, [])
    machine.live(NIGHT + timedelta(minutes=30))
    (agenda,) = machine.agendas
    assert (agenda.status, agenda.trigger) == (AgendaStatus.DONE, "nightly queue")
    assert agenda.deadline_at == datetime(2026, 11, 22, 6, tzinfo=VIENNA)
    assert open_lines(machine) == []
    text = queue(machine).read_text("utf-8")
    assert (
        "- [x] why does bread go stale in the fridge → [[2026-11-22 Why does bread go stale in"
        in text
    )
    assert "- [x] zebra unicorn xylophone → nothing new (2026-11-22)" in text
    assert "- [x] http://127.0.0.1:9/page → refused: 127.0.0.1: " in text
    (reported,) = briefings(machine)
    assert "1 of 3 questions in [[Queue]] had results." in reported
    assert (
        "## Found\n\n- “why does bread go stale in the fridge”: [[2026-11-22 Why does bread go"
        in reported
    )
    assert "## Nothing new\n\n- “zebra unicorn xylophone”: " in reported
    assert "http://127.0.0.1:9/page" in reported
    assert "## Stays" not in reported
    machine.live(NIGHT + timedelta(days=1, hours=1))  # the next one has nothing to do
    assert (len(machine.agendas), len(briefings(machine))) == (1, 1)


def test_a_night_takes_documents_in_as_the_command_does(tmp_path: Path, machine: Machine) -> None:
    paper = tmp_path / "paper.md"
    paper.write_text(
        "# Mites\n\nA colony with three mites in a hundred bees is treated in August. Formic acid"
        " reaches the mites in the brood. Oxalic acid does not reach them there.\n",
        "utf-8",
    )
    write(machine, f"- [ ] ingest {paper}")
    machine.live(NIGHT + timedelta(minutes=30))
    assert f"- [x] ingest {paper} → Ingest/" in queue(machine).read_text("utf-8")
    (note,) = (queue(machine).parent / "Ingest").glob("*.md")
    assert "A colony with three mites" in note.read_text("utf-8")
    assert (machine.agendas, briefings(machine)) == ([], [])


def test_a_night_takes_so_many_and_the_rest_is_for_the_next(
    tmp_path: Path, machine: Machine
) -> None:
    machine._settings["nightly__max_items"] = 2
    machine.start()
    machine.turn()
    write(machine, *(f"- [ ] zebra number{number}" for number in range(5)))
    machine.live(NIGHT + timedelta(minutes=30))
    assert [len(agenda.tasks) for agenda in machine.agendas] == [2]
    assert open_lines(machine) == [f"- [ ] zebra number{number}" for number in (2, 3, 4)]
    assert "3 more questions wait in [[Queue]]" in briefings(machine)[0]
    machine.live(NIGHT + timedelta(days=1, minutes=30))
    assert open_lines(machine) == ["- [ ] zebra number4"]


def test_what_is_not_done_by_the_hour_stays_for_the_next_night(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(machine, "- [ ] why does bread go stale in the fridge")
    machine.live(NIGHT - timedelta(minutes=1))

    async def hangs(gathering: gather._Gathering) -> None:
        machine.time = NIGHT + timedelta(hours=5)  # the library takes until the morning
        gathering._network = replace(gathering._network, grace=0.1)
        await asyncio.sleep(3600)

    with monkeypatch.context() as patch:
        patch.setattr(gather._Gathering, "run", hangs)
        machine.time = NIGHT
        machine.turn()
        machine.turn()
    (agenda,) = machine.agendas
    assert agenda.status is AgendaStatus.FAILED
    assert agenda.trouble == "stopped before anything was read: its deadline was 06:00"
    assert open_lines(machine) == ["- [ ] why does bread go stale in the fridge"]
    (reported,) = briefings(machine)
    assert "Stopped early: its deadline was 06:00." in reported
    assert (
        "## Carried over to the next night\n\n"
        "- “why does bread go stale in the fridge”: no source could" in reported
    )
    assert (machine.host.stop.enough, machine.host.stop.why) == (False, "")


def test_a_queue_that_is_just_being_written_is_ticked_later(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(machine, "- [ ] zebra unicorn xylophone")
    machine.live(NIGHT - timedelta(minutes=1))
    files, edit = machine.app.review.inbox.files, machine.app.review.inbox.files.edit

    def interrupted(path: str, edit: object) -> bool:
        write(machine, "- [ ] typed meanwhile")
        return False

    with monkeypatch.context() as patch:
        patch.setattr(files, "edit", interrupted)
        machine.time = NIGHT
        for _ in range(3):
            machine.turn()
        assert briefings(machine) == []
    assert files.edit == edit
    machine.live(machine.time + timedelta(minutes=5), minutes=1)
    assert open_lines(machine) == ["- [ ] typed meanwhile"]
    assert len(briefings(machine)) == 1


def test_a_night_that_was_slept_through_is_made_up_for_on_waking_once(machine: Machine) -> None:
    write(machine, "- [ ] why does bread go stale in the fridge")
    machine.turn()
    machine.time = datetime(2026, 11, 24, 9, tzinfo=VIENNA)  # two nights later
    for _ in range(4):
        machine.turn()
    (agenda,) = machine.agendas
    assert agenda.deadline_at == datetime(2026, 11, 24, 13, tzinfo=VIENNA)
    assert open_lines(machine) == []


def test_killed_between_the_ticks_and_the_briefing_the_next_start_writes_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(machine, "- [ ] why does bread go stale in the fridge")
    machine.live(NIGHT - timedelta(minutes=1))
    machine.time = NIGHT

    def killed(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    machine.turn()
    with monkeypatch.context() as patch:
        patch.setattr(machine.app.review.inbox, "write_own", killed)
        with pytest.raises(KeyboardInterrupt):
            machine.turn()
    assert (open_lines(machine), briefings(machine)) == ([], [])
    machine.start()
    machine.turn()
    (reported,) = briefings(machine)
    assert "1 of 1 question in [[Queue]] had results." in reported
    assert len(machine.agendas) == 1


def test_a_page_waits_for_a_network(machine: Machine) -> None:
    machine.place.surroundings = Surroundings(Network.ABSENT)
    write(machine, "https://example.org/page")
    machine.live(NIGHT + timedelta(minutes=30))
    (agenda,) = machine.agendas
    assert agenda.status is AgendaStatus.PROPOSED
    assert open_lines(machine) == ["https://example.org/page"]


def test_a_queue_note_that_was_deleted_is_made_again(machine: Machine) -> None:
    queue(machine).unlink()
    machine.host._wakes.put(frozenset({QUEUE}))
    machine.live(NIGHT + timedelta(minutes=30))
    assert queue(machine).is_file()
    assert machine.agendas == []


def test_without_the_nightly_schedule_there_is_no_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    monkeypatch.setattr(NightQueue, "make_note", lambda *_: pytest.fail("it was made"))
    lay_out(tmp_path / "vault", NOTES)
    machine = Machine(tmp_path)
    machine.turn()
    assert not queue(machine).exists()
    for app in machine.opened:
        app.close()


@needs_espeak
@pytest.mark.long(6)
def test_the_findings_of_a_night_are_read_aloud_in_the_morning(
    tmp_path: Path, machine: Machine
) -> None:
    machine.app.close()
    library = tmp_path / "library"
    options = {"weekly__enabled": False, "nightly__enabled": True, "library__folder": library}
    heard = Machine(tmp_path, **options, audio__daily=True, audio__topical=True)
    machine.opened.append(heard.app)
    heard.turn()
    write(heard, "- [ ] why does bread go stale in the fridge")
    audio = queue(heard).parent / "Audio"
    heard.live(datetime(2026, 11, 22, 5, 50, tzinfo=VIENNA), minutes=30)
    assert not audio.exists()
    heard.live(datetime(2026, 11, 22, 6, 10, tzinfo=VIENNA))
    (script,) = audio.glob("*.script.md")  # of the day; no topic has two findings
    assert "Lacuna has one new finding for you" in script.read_text("utf-8")
    assert len(list(audio.glob("*.ogg"))) == 1
