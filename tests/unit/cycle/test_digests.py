"""Findings decided in the digest that lists them, and the digest that shows what was decided."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from daemon.findings.block import Box
from daemon.findings.bulk import choices
from daemon.findings.digest import Cost, Entry, digest_text, entry_text, with_entry
from daemon.findings.render import finding_text
from daemon.model.finding import FindingStatus
from tests.fakes.reviewed_vault import FINDING, ReviewedVault
from tests.fakes.values import NOW, a_document, a_finding, an_agenda
from vault_adapters.wikilink import Linker

ACCEPTED, DISMISSED, PENDING = (
    FindingStatus.ACCEPTED,
    FindingStatus.DISMISSED,
    FindingStatus.PENDING,
)
OTHER = a_finding(id="f-other", document=replace(a_document(), key="other"), title="The other one")
DIGEST = "Inbox/Digest 2026-11-21.md"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[ReviewedVault]:
    """A vault with two findings in its inbox, and the digest that lists them."""
    vault = ReviewedVault(tmp_path)
    vault.inbox_writer.add_finding(OTHER, finding_text(OTHER, link=Linker([])))
    entry = Entry(
        run=FINDING.run,
        created_at=NOW,
        agenda=an_agenda(),
        findings=vault.findings.of_run(FINDING.run),
        answers=(),
        skips=(),
        cost=Cost(),
    )
    text, added = digest_text(entry, link=Linker([])), entry_text(entry, link=Linker([]))
    add = partial(with_entry, run=FINDING.run, entry=added)
    assert vault.inbox_writer.write_digest(FINDING.run, text, add, created_at=NOW) == DIGEST
    vault.review()
    vault.inbox_writer.files.recognise()
    yield vault
    vault.db.close()


def tick(vault: ReviewedVault, box: str, mark: str = "x", path: str = DIGEST) -> None:
    lines = (vault.root / path).read_text().split("\n")
    (at,) = [n for n, line in enumerate(lines) if line.endswith(f"^{box}")]
    lines[at] = lines[at].replace("[ ]", "[?]").replace("[x]", "[?]").replace("[?]", f"[{mark}]")
    vault.write(path, "\n".join(lines))


def statuses(vault: ReviewedVault) -> tuple[FindingStatus, FindingStatus]:
    one, other = (vault.findings.get(each.id) for each in (FINDING, OTHER))
    assert one is not None
    assert other is not None
    return one.status, other.status


def shown(vault: ReviewedVault, path: str = DIGEST) -> tuple[FindingStatus | None, ...]:
    reported = choices((vault.root / path).read_text())
    return reported[FINDING.id].status, reported[OTHER.id].status


def test_a_tick_in_the_digest_decides_like_one_in_the_note(vault: ReviewedVault) -> None:
    tick(vault, f"accept-{FINDING.id}")
    assert [record.id for record in vault.review()] == [FINDING.id]
    assert statuses(vault) == shown(vault) == (ACCEPTED, PENDING)
    assert "## Review" not in vault.text()
    assert vault.review() == vault.review() == []


@pytest.mark.parametrize(("verb", "status"), [("accept", ACCEPTED), ("dismiss", DISMISSED)])
def test_one_tick_decides_all_that_have_none_of_their_own(
    vault: ReviewedVault, verb: str, status: FindingStatus
) -> None:
    tick(vault, f"accept-{OTHER.id}")
    tick(vault, f"{verb}-all")
    vault.review()
    assert statuses(vault) == shown(vault) == (status, ACCEPTED)
    assert f"- [ ] {verb.capitalize()} all" in (vault.root / DIGEST).read_text()
    assert vault.review() == []


def test_removing_a_tick_undoes_a_decision_made_anywhere(vault: ReviewedVault) -> None:
    before = vault.text()
    vault.write(vault.path, before.replace(f"[ ] {Box.NEVER}", f"[x] {Box.NEVER}"))
    vault.review()
    assert statuses(vault) == shown(vault) == (DISMISSED, PENDING)
    assert vault.path.startswith("Inbox/Archive/")
    assert vault.agendas.never_topics() == {"rust async"}
    tick(vault, f"dismiss-{FINDING.id}", " ")
    vault.review()
    assert statuses(vault) == shown(vault) == (PENDING, PENDING)
    assert (vault.text(), vault.agendas.never_topics()) == (before, frozenset())
    assert not vault.path.startswith("Inbox/Archive/")


def test_note_and_digest_that_disagree_decide_nothing_until_one_of_them_gives_in(
    vault: ReviewedVault,
) -> None:
    vault.write(vault.path, vault.text().replace(f"[ ] {Box.ACCEPT}", f"[x] {Box.ACCEPT}"))
    tick(vault, f"dismiss-{FINDING.id}")
    tick(vault, f"accept-{OTHER.id}")
    for _ in range(3):
        vault.review()
        assert statuses(vault) == (PENDING, ACCEPTED)
        assert vault.reviews.unclear() == {
            FINDING.id: "“Accept” was ticked; but “Dismiss” was ticked in the digest"
        }
    assert shown(vault) == (DISMISSED, ACCEPTED)  # what the user ticked stays
    vault.write(vault.path, vault.text().replace(f"[x] {Box.ACCEPT}", f"[ ] {Box.ACCEPT}"))
    vault.review()
    assert statuses(vault) == shown(vault) == (DISMISSED, ACCEPTED)
    assert vault.reviews.unclear() == {}


def test_ticking_both_boxes_decides_nothing_and_is_reported(vault: ReviewedVault) -> None:
    tick(vault, f"accept-{FINDING.id}")
    tick(vault, f"dismiss-{FINDING.id}")
    vault.review()
    assert statuses(vault) == (PENDING, PENDING)
    assert vault.reviews.unclear() == {
        FINDING.id: "“Accept” and “Dismiss” were both ticked in the digest"
    }


def test_a_decision_in_the_note_is_no_change_of_an_earlier_digest(
    vault: ReviewedVault,
) -> None:
    old = (vault.root / DIGEST).read_text()
    vault.reviews.command(FINDING.id, ACCEPTED, NOW)
    vault.write(DIGEST, old + "my own words\n")  # edited elsewhere, and brought by a sync
    vault.review()
    assert statuses(vault) == shown(vault) == (ACCEPTED, PENDING)
    assert (vault.root / DIGEST).read_text().endswith("my own words\n")


def test_a_digest_that_was_moved_out_is_read_and_left_alone(vault: ReviewedVault) -> None:
    vault.move(DIGEST, "Weeks/Digest.md")
    tick(vault, f"dismiss-{FINDING.id}", path="Weeks/Digest.md")
    text = (vault.root / "Weeks/Digest.md").read_text()
    vault.review()
    assert statuses(vault) == (DISMISSED, PENDING)
    vault.reviews.command(FINDING.id, PENDING, NOW)
    vault.review()
    assert statuses(vault) == (PENDING, PENDING)
    assert (vault.root / "Weeks/Digest.md").read_text() == text
    tick(vault, f"accept-{OTHER.id}", path="Weeks/Digest.md")
    vault.review()
    assert statuses(vault) == (PENDING, ACCEPTED)


def test_without_its_note_a_finding_can_be_dismissed_in_the_digest_and_not_accepted(
    vault: ReviewedVault,
) -> None:
    vault.delete(vault.path)
    tick(vault, f"accept-{FINDING.id}")
    for days in (0, 9):
        vault.review(NOW + timedelta(days=days))
        assert statuses(vault) == (PENDING, PENDING)
    assert vault.reviews.unclear() == {
        FINDING.id: "“Accept” was ticked in the digest; but its note is gone"
    }
    tick(vault, f"accept-{FINDING.id}", " ")
    tick(vault, f"dismiss-{FINDING.id}")
    vault.review(NOW)
    assert statuses(vault) == shown(vault) == (DISMISSED, PENDING)


def test_a_digest_that_was_deleted_decides_nothing(vault: ReviewedVault) -> None:
    vault.delete(DIGEST)
    vault.review(NOW + timedelta(days=9))
    assert statuses(vault) == (PENDING, PENDING)


def test_a_digest_of_before_there_were_boxes_is_left_as_it_is(vault: ReviewedVault) -> None:
    text = "\n".join(
        line for line in (vault.root / DIGEST).read_text().split("\n") if "[ ]" not in line
    )
    vault.write(DIGEST, text)
    vault.reviews.command(FINDING.id, ACCEPTED, NOW)
    vault.review()
    assert (vault.root / DIGEST).read_text() == text
    assert statuses(vault) == (ACCEPTED, PENDING)


def test_ticks_are_taken_by_the_daemon_that_is_started_after(vault: ReviewedVault) -> None:
    tick(vault, "dismiss-all")
    vault.reopen()
    vault.review()
    assert statuses(vault) == shown(vault) == (DISMISSED, DISMISSED)
    vault.reopen()
    assert vault.review() == []
