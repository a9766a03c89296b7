"""What the user did to our notes in the vault, and what becomes of the findings."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.agenda.rest import rejected_topics
from daemon.findings.block import Box
from daemon.findings.render import finding_text
from daemon.model.finding import FindingStatus
from tests.fakes.reviewed_vault import FINDING, ReviewedVault
from tests.fakes.values import NOW, a_document, a_finding
from vault_adapters.note import Role
from vault_adapters.wikilink import Linker

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


def test_a_blocked_decision_is_reported_until_it_is_resolved(
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


CONFLICTS = [
    "{}.sync-conflict-20261121-101500-ABCDEFG.md",
    "{} (conflicted copy 2026-11-21 101500).md",
    "{} (Ada's conflicted copy 2026-11-21).md",
    "{} 2.md",
]


def copied(vault: ReviewedVault, name: str, text: str) -> str:
    path = name.format(vault.path.removesuffix(".md"))
    vault.write(path, text)
    return path


@pytest.mark.parametrize("name", CONFLICTS)
def test_two_devices_that_decided_otherwise_decide_nothing_until_that_is_resolved(
    vault: ReviewedVault, name: str
) -> None:
    text = vault.text()
    path = copied(vault, name, text.replace("status: pending", "status: dismissed"))
    vault.write(vault.path, text.replace(f"[ ] {Box.ACCEPT}", f"[x] {Box.ACCEPT}"))
    for _ in range(2):
        vault.review()
        assert vault.record.status is PENDING
        (why,) = vault.reviews.unclear().values()
        assert why == f"its copy {path.rpartition('/')[2]} says dismissed; but “Accept” was ticked"
    vault.delete(path)
    vault.review()
    assert vault.record.status is ACCEPTED
    assert vault.reviews.unclear() == {}


@pytest.mark.parametrize("name", CONFLICTS)
@pytest.mark.parametrize("reported", ["pending", "accepted"])
def test_a_copy_that_says_nothing_or_the_same_stands_in_no_way(
    vault: ReviewedVault, name: str, reported: str
) -> None:
    copied(vault, name, vault.text().replace("status: pending", f"status: {reported}"))
    vault.write(vault.path, vault.text().replace("status: pending", "status: accepted"))
    vault.review()
    assert (vault.record.status, vault.reviews.unclear()) == (ACCEPTED, {})


@pytest.mark.parametrize("name", CONFLICTS)
def test_a_decision_made_only_in_a_conflict_copy_is_reported_and_not_applied(
    vault: ReviewedVault, name: str
) -> None:
    copied(vault, name, vault.text().replace(f"[ ] {Box.NEVER}", f"[x] {Box.NEVER}"))
    vault.review()
    assert vault.record.status is PENDING
    assert "says dismissed" in vault.reviews.unclear()[FINDING.id]


def test_a_copy_outside_the_inbox_is_the_users_own(vault: ReviewedVault) -> None:
    vault.write("Notes/Mine.md", vault.text().replace("status: pending", "status: accepted"))
    vault.write(vault.path, vault.text().replace("status: pending", "status: dismissed"))
    vault.review()
    assert (vault.record.status, vault.reviews.unclear()) == (DISMISSED, {})


@pytest.mark.parametrize("days", [0.5, 9])
def test_a_note_that_a_sync_brings_back_is_pending_as_it_was(
    vault: ReviewedVault, days: float
) -> None:
    text, path = vault.text(), vault.path
    vault.delete(path)
    vault.review()
    vault.review(NOW + timedelta(days=days))
    assert vault.record.status is (DISMISSED if days > 1 else PENDING)
    vault.write(path, text)
    vault.review(NOW + timedelta(days=days))
    assert (vault.record.status, vault.record.missing_at, vault.path) == (PENDING, None, path)
    assert vault.text() == text
    vault.review(NOW + timedelta(days=99))
    assert vault.record.status is PENDING


def test_a_dismissed_finding_that_is_renamed_moved_and_undone_comes_back(
    vault: ReviewedVault,
) -> None:
    before = vault.text()
    vault.reviews.command(FINDING.id, DISMISSED, NOW, never=True)
    vault.move(vault.path, "Inbox/Archive/2026/Renamed.md")
    vault.review()
    assert vault.path == "Inbox/Archive/2026/Renamed.md"
    vault.write(vault.path, vault.text().replace("status: dismissed", "status: pending"))
    vault.review()
    assert (vault.record.status, vault.path) == (PENDING, "Inbox/Renamed.md")
    assert vault.text() == before
    assert vault.agendas.never_topics() == frozenset()
    assert rejected_topics(vault.agendas, vault.findings, NOW) == []


def test_a_finding_that_the_index_has_yet_to_see_is_not_gone(vault: ReviewedVault) -> None:
    written = a_finding(id="f-new", document=replace(a_document(), key="new"), title="New")
    vault.inbox_writer.add_finding(written, finding_text(written, link=Linker([])))
    assert vault.reviews.take(NOW + timedelta(days=9)) == []
    record = vault.findings.get("f-new")
    assert record is not None
    assert (record.status, record.missing_at) == (PENDING, None)
