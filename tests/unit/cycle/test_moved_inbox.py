"""An inbox that moves as a whole decides nothing; many notes that move or go at once wait."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.findings.bulk import choices
from daemon.findings.held import FEW
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
MACHINE = "---\ntype: machine\nlacuna_id: m-ab12\nbeat: 3\n---\n"
LATER = NOW + timedelta(days=2)  # after the grace of a deletion


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[ReviewedVault]:
    vault = ReviewedVault(tmp_path)
    yield vault
    vault.db.close()


def add(vault: ReviewedVault, number: int) -> list[str]:
    """Write so many more findings, and return the paths of all."""
    for at in range(number):
        document = replace(a_document(), key=f"key-{at}")
        finding = a_finding(id=f"f-{at}", document=document, title=f"Finding {at}")
        vault.inbox_writer.add_finding(finding, finding_text(finding, link=Linker([])))
    vault.review()
    return [record.path for record in vault.findings.all()]


def statuses(vault: ReviewedVault) -> set[FindingStatus]:
    return {record.status for record in vault.findings.all()}


def rename(vault: ReviewedVault, old: str, new: str) -> None:
    (vault.root / new).parent.mkdir(parents=True, exist_ok=True)
    (vault.root / old).rename(vault.root / new)


def digest(vault: ReviewedVault) -> Path:
    (path,) = vault.root.glob("Inbox/Digest*.md")
    return path


def tick(vault: ReviewedVault, box: str) -> None:
    path = digest(vault)
    lines = path.read_text().split("\n")
    (at,) = [n for n, line in enumerate(lines) if line.endswith(f"^{box}")]
    lines[at] = lines[at].replace("[ ]", "[x]")
    vault.write(path.relative_to(vault.root).as_posix(), "\n".join(lines))


@pytest.mark.parametrize("number", [0, 2, FEW + 1])
def test_renaming_the_inbox_decides_nothing(vault: ReviewedVault, number: int) -> None:
    add(vault, number)
    rename(vault, "Inbox", "Areas/Eingang")
    assert vault.review() == []
    assert statuses(vault) == {PENDING}
    assert {record.path.rpartition("/")[0] for record in vault.findings.all()} == {"Areas/Eingang"}
    vault.review(LATER)
    assert statuses(vault) == {PENDING}
    assert not (vault.root / "Inbox").exists()


def test_notes_of_a_moved_inbox_stay_ours(vault: ReviewedVault) -> None:
    add(vault, 3)
    rename(vault, "Inbox", "Eingang")
    for _ in range(2):
        vault.review()
    assert {vault.role(record.path) for record in vault.findings.all()} == {Role.OWN}


def test_a_moved_inbox_is_reported_until_it_is_back_or_the_setting_follows(
    vault: ReviewedVault,
) -> None:
    add(vault, 2)
    assert vault.reviews.moved_inbox() == ""
    rename(vault, "Inbox", "Eingang")
    for _ in range(2):
        vault.review()
        assert vault.reviews.moved_inbox() == "Eingang"
    rename(vault, "Eingang", "Inbox")
    vault.review()
    assert vault.reviews.moved_inbox() == ""
    assert statuses(vault) == {PENDING}


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_moved_inbox_without_findings_is_reported(
    vault: ReviewedVault, *, is_made_again: bool
) -> None:
    vault.delete(vault.path)
    for path in vault.root.glob("Inbox/Digest*"):
        vault.delete(path.relative_to(vault.root).as_posix())
    vault.write("Inbox/Machines/desk ab12.md", MACHINE)
    vault.review()
    vault.review(LATER)
    assert vault.reviews.moved_inbox() == ""
    rename(vault, "Inbox", "Box/Lacuna")
    if is_made_again:
        (vault.root / "Inbox").mkdir()
    for _ in range(2):
        vault.review()
        assert vault.reviews.moved_inbox() == "Box/Lacuna"
    (vault.root / "Inbox").rmdir() if is_made_again else None
    rename(vault, "Box/Lacuna", "Inbox")
    vault.review()
    assert vault.reviews.moved_inbox() == ""


def test_an_agenda_that_was_filed_elsewhere_moves_no_inbox(vault: ReviewedVault) -> None:
    vault.write("Inbox/Machines/desk ab12.md", MACHINE)
    vault.delete(vault.path)
    vault.write("Projects/Agenda.md", "---\nlacuna_id: a-1\ntype: agenda\n---\n")
    vault.review()
    assert vault.reviews.moved_inbox() == ""


def test_what_is_ticked_in_a_moved_inbox_is_decided(vault: ReviewedVault) -> None:
    rename(vault, "Inbox", "Eingang")
    vault.review()
    vault.write(vault.path, vault.text().replace("status: pending", "status: accepted"))
    vault.review()
    assert vault.record.status is ACCEPTED


def test_moving_every_finding_out_of_an_inbox_that_stays_accepts_them(vault: ReviewedVault) -> None:
    for path in add(vault, 2):
        vault.move(path, path.replace("Inbox/", "Notes/"))
    vault.review()
    assert statuses(vault) == {ACCEPTED}
    assert vault.reviews.moved_inbox() == ""


def test_an_inbox_that_a_sync_program_moved_file_by_file_has_moved(vault: ReviewedVault) -> None:
    paths = add(vault, 2)
    agenda = "---\ntype: agenda\nlacuna_id: agenda-1\nstatus: done\n---\n"
    vault.write("Inbox/Agenda.md", agenda)
    vault.review()
    for path in [*paths, "Inbox/Agenda.md"]:
        vault.move(path, path.replace("Inbox/", "Eingang/"))
    vault.review()
    assert statuses(vault) == {PENDING}
    assert vault.reviews.moved_inbox() == "Eingang"


def test_a_few_that_are_moved_out_at_once_are_accepted(vault: ReviewedVault) -> None:
    for path in add(vault, FEW + 1)[:FEW]:
        vault.move(path, path.replace("Inbox/", "Notes/"))
    assert len(vault.review()) == FEW
    assert statuses(vault) == {ACCEPTED, PENDING}


def test_many_that_are_moved_out_at_once_wait_for_a_tick_in_the_digest(
    vault: ReviewedVault,
) -> None:
    for path in add(vault, FEW + 1)[: FEW + 1]:
        vault.move(path, path.replace("Inbox/", "Notes/"))
    for at in (NOW, LATER):
        assert vault.review(at) == []
        assert statuses(vault) == {PENDING}
    assert f"{FEW + 1} findings were moved out of the inbox at once" in digest(vault).read_text()
    assert set(vault.reviews.unclear().values()) == {
        f"{FEW + 1} findings were moved out of the inbox at once; confirm it in the digest"
    }
    tick(vault, "accept-all")
    assert len(vault.review(LATER)) == FEW + 1
    assert {r.status for r in vault.findings.all() if r.path.startswith("Notes/")} == {ACCEPTED}
    assert vault.reviews.unclear() == {}


def test_many_that_were_deleted_at_once_wait_for_a_tick_in_the_digest(
    vault: ReviewedVault,
) -> None:
    for path in add(vault, FEW):
        vault.delete(path)
    vault.review()
    for at in (LATER, LATER + timedelta(days=9)):
        assert vault.review(at) == []
        assert statuses(vault) == {PENDING}
    assert f"{FEW + 1} findings were deleted at once" in digest(vault).read_text()
    assert "Accept" not in digest(vault).read_text()
    tick(vault, "dismiss-all")
    assert len(vault.review(LATER)) == FEW + 1
    assert statuses(vault) == {DISMISSED}


def test_many_that_were_archived_at_once_wait_for_a_tick_in_the_digest(
    vault: ReviewedVault,
) -> None:
    for path in add(vault, FEW):
        vault.move(path, path.replace("Inbox/", "Inbox/Archive/"))
    for at in (NOW, LATER):
        assert vault.review(at) == []
        assert statuses(vault) == {PENDING}
    tick(vault, f"dismiss-{FINDING.id}")
    assert [each.id for each in vault.review(LATER)] == [FINDING.id]


def test_the_digest_asks_once(vault: ReviewedVault) -> None:
    for path in add(vault, FEW):
        vault.move(path, path.replace("Inbox/", "Notes/"))
    vault.review()
    asked = digest(vault).read_text()
    vault.review(LATER)
    assert digest(vault).read_text() == asked
    assert len(choices(asked)) == FEW + 1


def test_what_waits_and_comes_back_waits_no_longer(vault: ReviewedVault) -> None:
    paths = add(vault, FEW)
    for path in paths:
        vault.move(path, path.replace("Inbox/", "Notes/"))
    vault.review()
    for path in paths:
        vault.move(path.replace("Inbox/", "Notes/"), path)
    vault.review()
    assert vault.reviews.unclear() == {}
    vault.move(paths[0], paths[0].replace("Inbox/", "Notes/"))
    assert len(vault.review()) == 1


def test_a_deletion_is_held_by_those_of_the_same_second_alone(vault: ReviewedVault) -> None:
    for number, path in enumerate(add(vault, FEW)):
        vault.delete(path)
        vault.review(NOW + timedelta(minutes=number))
    assert len(vault.review(LATER)) == FEW + 1
    assert statuses(vault) == {DISMISSED}
