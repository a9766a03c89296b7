"""A note that asks for research asks once, wherever it is moved to."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.cycle.proposals import Manner
from daemon.model.agenda import Agenda, AgendaStatus, Approval, Depth
from tests.fakes.reviewed_vault import ReviewedVault
from tests.fakes.values import NOW

MANNER = Manner(Approval.VETO, timedelta(hours=1), Depth.QUICK, ("library",))
TAGGED = "---\nresearch: true\n---\nAbout {}.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[ReviewedVault]:
    vault = ReviewedVault(tmp_path)
    yield vault
    vault.db.close()


def fired(vault: ReviewedVault) -> list[str | None]:
    """Sync, and return the notes that asked for research since the last look."""
    vault.knowledge.sync(now=NOW)
    return [agenda.note for agenda in vault.proposals.for_tagged(NOW, MANNER)]


def test_a_tagged_note_that_was_moved_and_edited_does_not_ask_again(vault: ReviewedVault) -> None:
    vault.write("Bees.md", TAGGED.format("bees"))
    vault.write("Bread.md", TAGGED.format("bread"))
    assert fired(vault) == ["Bees.md", "Bread.md"]
    vault.move("Bees.md", "New/Bees.md")
    vault.move("Bread.md", "New/Bread.md")
    vault.write("New/Bees.md", TAGGED.format("bees and wasps"))
    vault.write("New/Bread.md", TAGGED.format("bread and wine"))
    assert fired(vault) == []


def test_one_that_was_saved_anew_elsewhere_does_not_ask_again(vault: ReviewedVault) -> None:
    vault.write("Bees.md", TAGGED.format("bees"))
    assert fired(vault) == ["Bees.md"]
    vault.write("New/Wasps.md", TAGGED.format("bees and wasps"))  # its inode is another
    vault.delete("Bees.md")
    assert fired(vault) == []


def test_another_tagged_note_asks(vault: ReviewedVault) -> None:
    vault.write("Bees.md", TAGGED.format("bees"))
    assert fired(vault) == ["Bees.md"]
    vault.write("Bees.md", "About bees.\n")
    vault.write("Wasps.md", TAGGED.format("wasps"))
    assert fired(vault) == ["Wasps.md"]


def agenda_of(vault: ReviewedVault, properties: str) -> Agenda:
    """Return what a note with these properties is proposed."""
    vault.write("Bees.md", f"---\nresearch: true\n{properties}---\nAbout bees.\n")
    vault.knowledge.sync(now=NOW)
    (agenda,) = vault.proposals.for_tagged(NOW, replace(MANNER, sources=("arxiv", "library")))
    return agenda


def test_a_depth_that_is_none_is_told_in_the_agenda_and_the_usual_one_is_taken(
    vault: ReviewedVault,
) -> None:
    agenda = agenda_of(vault, "research_depth: deeper\n")
    assert agenda.depth is MANNER.depth
    assert "research_depth: 'deeper' is not quick, standard or deep" in agenda.trigger
    assert agenda.path is not None
    assert "is not quick, standard or deep" in (vault.root / agenda.path).read_text()


def test_a_source_that_is_not_on_is_told_in_the_agenda_and_the_others_are_asked(
    vault: ReviewedVault,
) -> None:
    agenda = agenda_of(vault, "research_sources: [library, arxive]\n")
    assert {source for task in agenda.tasks for source in task.sources} == {"library"}
    assert agenda.trigger.endswith("research_sources: not on: arxive")


def test_a_note_limited_to_sources_that_are_off_is_sent_to_no_other(vault: ReviewedVault) -> None:
    agenda = agenda_of(vault, "research_sources: [brave]\n")
    assert (agenda.status, agenda.tasks) == (AgendaStatus.CANCELLED, ())
    assert "research_sources names none that is on (arxiv, library)" in agenda.trigger


@pytest.mark.parametrize("move", ["Plans/{}", "{}"])
def test_an_agenda_that_was_moved_out_of_the_inbox_is_read_and_left_alone(
    vault: ReviewedVault, move: str
) -> None:
    agenda = agenda_of(vault, "")
    assert agenda.path is not None
    moved = move.format(agenda.path.rpartition("/")[2])
    vault.move(agenda.path, moved)
    text = (vault.root / moved).read_text().replace("status: proposed", "status: cancelled")
    vault.write(moved, text)
    vault.knowledge.sync(now=NOW)
    vault.proposals.read(NOW)
    kept = vault.agendas.get(agenda.id)
    assert kept is not None
    assert kept.status is AgendaStatus.CANCELLED
    assert (vault.root / moved).read_text() == text


def test_an_agenda_that_was_moved_out_runs_when_its_time_has_come(vault: ReviewedVault) -> None:
    agenda = agenda_of(vault, "")
    assert agenda.path is not None
    vault.move(agenda.path, "Plans/Agenda.md")
    vault.knowledge.sync(now=NOW)
    due = NOW + timedelta(hours=2)
    vault.proposals.read(due)
    assert [each.id for each in vault.proposals.due(due)] == [agenda.id]
