"""A note that asks for research asks once, wherever it is moved to."""

from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from daemon.cycle.proposals import Manner, Proposals
from daemon.model.agenda import Approval, Depth
from daemon.store.agendas import AgendaStore
from daemon.store.triggers import TriggerStore
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
    proposals = Proposals(
        vault.knowledge,
        AgendaStore(vault.db),
        vault.findings,
        TriggerStore(vault.db),
        vault.inbox_writer,
        tz=UTC,
    )
    vault.knowledge.sync(now=NOW)
    return [agenda.note for agenda in proposals.for_tagged(NOW, MANNER)]


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
