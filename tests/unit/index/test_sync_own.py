"""What takes no part: what we wrote and nobody accepted, and whatever else is in the inbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.model.finding import FindingState, FindingStatus
from tests.fakes.indexed_vault import IndexedVault
from vault_adapters.note import Role

PENDING = "---\ntype: finding\nlacuna_id: f-1\nstatus: pending\n---\nAbout [[bread]].\n"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    vault = IndexedVault(tmp_path)
    yield vault
    vault.db.close()


def counting(vault: IndexedVault) -> list[str]:
    """The notes that count after a sync."""
    vault.sync()
    return sorted(row.path for row in vault.notes.all() if row.role is Role.NOTE)


def decide(vault: IndexedVault, status: str, path: str) -> None:
    vault.decided["f-1"] = FindingState(FindingStatus(status), path)


def test_nothing_in_the_inbox_counts_but_what_was_accepted(vault: IndexedVault) -> None:
    vault.write("Inbox/Mine.md", "[[Bread]] and bees")
    vault.write("Inbox/Board.canvas", '{"nodes": [], "edges": []}')
    vault.write("Inbox/Found.md", PENDING.replace("pending", "accepted"))
    vault.write("Inbox.md", "beside it")
    assert counting(vault) == ["Inbox.md", "Inbox/Found.md"]
    assert not vault.notes.chunks("Inbox/Mine.md")
    assert {link.source for link in vault.notes.links()} == {"Inbox/Found.md"}
    vault.move("Inbox/Mine.md", "Mine.md")
    assert counting(vault) == ["Inbox.md", "Inbox/Found.md", "Mine.md"]


def test_a_decision_that_is_kept_goes_before_what_the_note_says(vault: IndexedVault) -> None:
    vault.write("Bread.md", PENDING)
    decide(vault, "accepted", "Bread.md")
    assert counting(vault) == ["Bread.md"]
    decide(vault, "dismissed", "Bread.md")
    assert counting(vault) == []
    assert not vault.notes.links()
    decide(vault, "accepted", "Bread.md")
    assert counting(vault) == ["Bread.md"]
    assert vault.notes.chunks("Bread.md")


def test_a_copy_of_a_pending_finding_does_not_count_but_one_that_was_moved_out_does(
    vault: IndexedVault,
) -> None:
    decide(vault, "pending", "Inbox/Found.md")
    vault.write("Inbox/Found.md", PENDING)
    vault.write("Copy.md", PENDING)
    assert counting(vault) == []
    vault.delete("Inbox/Found.md")
    assert counting(vault) == ["Copy.md"]


def test_an_accepted_finding_counts_without_its_properties(vault: IndexedVault) -> None:
    vault.write("Inbox/Found.md", "About bread.")
    assert counting(vault) == []
    decide(vault, "accepted", "Inbox/Found.md")
    assert counting(vault) == ["Inbox/Found.md"]


def test_another_inbox_is_another_place_where_nothing_counts(vault: IndexedVault) -> None:
    vault.write("Inbox/Mine.md", "bees")
    vault.write("Research/Yours.md", "bread")
    assert counting(vault) == ["Research/Yours.md"]
    vault.inbox = "Research"
    vault.reopen()
    assert counting(vault) == ["Inbox/Mine.md"]
