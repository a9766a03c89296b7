"""What the user did to our notes in the vault, and what becomes of the findings."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.findings.block import Box
from daemon.model.finding import FindingStatus
from tests.fakes.reviewed_vault import FINDING, ReviewedVault
from tests.fakes.values import NOW
from vault_adapters.note import Role

ACCEPTED, DISMISSED, PENDING = (
    FindingStatus.ACCEPTED,
    FindingStatus.DISMISSED,
    FindingStatus.PENDING,
)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[ReviewedVault]:
    vault = ReviewedVault(tmp_path)
    yield vault
    vault.db.close()


def test_a_finding_whose_properties_were_deleted_is_not_gone(vault: ReviewedVault) -> None:
    vault.write(vault.path, vault.body())
    vault.review()
    vault.review(NOW + timedelta(days=9))
    assert (vault.record.status, vault.record.missing_at) == (PENDING, None)
    vault.write(vault.path, vault.body().replace(f"[ ] {Box.ACCEPT}", f"[x] {Box.ACCEPT}"))
    vault.review()
    assert vault.record.status is ACCEPTED


def test_a_finding_moved_out_without_its_properties_is_accepted(vault: ReviewedVault) -> None:
    vault.write(vault.path, vault.body())
    name = vault.path.rpartition("/")[2]
    vault.move(vault.path, f"Notes/{name}")
    vault.review(NOW + timedelta(days=9))
    assert (vault.record.status, vault.record.path) == (ACCEPTED, f"Notes/{name}")


def test_a_finding_that_was_deleted_is_dismissed_whatever_else_there_is(
    vault: ReviewedVault,
) -> None:
    vault.write("Notes/Other.md", vault.body())
    vault.delete(vault.path)
    vault.review()
    vault.review(NOW + timedelta(days=9))
    assert vault.record.status is DISMISSED
    assert vault.record.id == FINDING.id


def test_a_finding_dismissed_after_it_was_moved_out_counts_no_more(vault: ReviewedVault) -> None:
    vault.move(vault.path, "Bread.md")
    vault.review()
    vault.review()
    assert vault.role("Bread.md") is Role.NOTE
    vault.reviews.command(FINDING.id, DISMISSED, NOW)
    vault.review()
    assert "status: pending" in vault.text()
    assert (vault.path, vault.role("Bread.md")) == ("Bread.md", Role.OWN)


def test_a_note_in_the_inbox_asks_for_no_research(vault: ReviewedVault) -> None:
    vault.write("Inbox/Mine.md", "---\nresearch: true\n---\nAbout bees.\n")
    vault.review()
    assert vault.knowledge.tagged() == []
    vault.move("Inbox/Mine.md", "Mine.md")
    vault.review()
    assert [row.path for row in vault.knowledge.tagged()] == ["Mine.md"]


def test_what_stands_in_the_way_of_a_decision_is_told_until_it_is_resolved(
    vault: ReviewedVault,
) -> None:
    assert vault.reviews.unclear() == {}
    both = vault.text()
    for box in (Box.ACCEPT, Box.DISMISS):
        both = both.replace(f"[ ] {box}", f"[x] {box}")
    vault.write(vault.path, both)
    for _ in range(2):
        vault.review()
        assert vault.record.status is PENDING
        assert vault.reviews.unclear() == {
            FINDING.id: "“Accept” was ticked; but “Dismiss” was ticked"
        }
    vault.write(vault.path, vault.text().replace(f"[x] {Box.ACCEPT}", f"[ ] {Box.ACCEPT}"))
    vault.review()
    assert vault.record.status is DISMISSED
    assert vault.reviews.unclear() == {}
