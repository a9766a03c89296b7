"""What is put into the archive by itself, and what stays in sight."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from daemon.agenda.agenda_note import agenda_text
from daemon.cycle.tidy import DIGEST_KEPT, Tidy
from daemon.findings.digest import Cost, Entry, digest_text, entry_text, with_entry
from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingStatus
from daemon.store.digests import DigestStore
from daemon.store.own_notes import OwnNoteStore
from tests.fakes.reviewed_vault import FINDING, ReviewedVault
from tests.fakes.values import NOW, an_agenda
from vault_adapters.wikilink import Linker
from vault_adapters.writer import ChangedError, InboxWriter

DAY = timedelta(days=1)
DIGEST = "Inbox/Digest 2026-11-21.md"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[ReviewedVault]:
    vault = ReviewedVault(tmp_path)
    yield vault
    vault.db.close()


def tidy(vault: ReviewedVault, now: datetime = NOW) -> list[str]:
    """Look at the vault as the daemon does; return what lies in the inbox itself then."""
    vault.review(now)
    Tidy(
        vault.knowledge,
        vault.agendas,
        DigestStore(vault.db),
        vault.findings,
        vault.inbox_writer.files,
        tz=UTC,
    ).tidy(now)
    vault.knowledge.sync(now=now)
    return sorted(path.name for path in (vault.root / "Inbox").glob("*.md") if path.is_file())


def digest(vault: ReviewedVault, run: str, at: datetime) -> str:
    entry = Entry(run, at, an_agenda(), vault.findings.of_run(run), (), (), Cost())
    text, added = digest_text(entry, link=Linker([])), entry_text(entry, link=Linker([]))
    add = partial(with_entry, run=run, entry=added)
    return vault.inbox_writer.write_digest(run, text, add, created_at=at)


@pytest.mark.parametrize(
    ("status", "stays"),
    [
        (AgendaStatus.PROPOSED, True),
        (AgendaStatus.APPROVED, True),
        (AgendaStatus.RUNNING, True),
        (AgendaStatus.WAITING, True),
        (AgendaStatus.DONE, False),
        (AgendaStatus.CANCELLED, False),
        (AgendaStatus.FAILED, False),
    ],
)
def test_an_agenda_is_put_away_when_it_has_ended(
    vault: ReviewedVault, status: AgendaStatus, stays: bool
) -> None:
    agenda = an_agenda(status=status)
    written = vault.inbox_writer.write_agenda(agenda, agenda_text(agenda, link=Linker([])))
    name = Path(written.path or "").name
    assert (name in tidy(vault)) is stays
    kept = vault.agendas.get(agenda.id)
    assert kept is not None
    assert kept.path == written.path if stays else kept.path == f"Inbox/Archive/{name}"
    assert (vault.root / (kept.path or "")).is_file()


def test_an_agenda_that_the_user_took_out_or_deleted_is_left_alone(vault: ReviewedVault) -> None:
    agenda = an_agenda(status=AgendaStatus.DONE)
    written = vault.inbox_writer.write_agenda(agenda, agenda_text(agenda, link=Linker([])))
    vault.move(written.path or "", "Plans/Agenda.md")
    tidy(vault)
    assert (vault.root / "Plans/Agenda.md").is_file()
    vault.delete("Plans/Agenda.md")
    tidy(vault)
    assert not list((vault.root / "Inbox").rglob("Agenda*"))


def test_an_agenda_of_which_the_process_was_killed_while_moving_it_is_known_where_it_is(
    vault: ReviewedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    agenda = an_agenda(status=AgendaStatus.DONE)
    written = vault.inbox_writer.write_agenda(agenda, agenda_text(agenda, link=Linker([])))
    move = InboxWriter.move

    def killed_after(*arguments: Any) -> None:
        move(*arguments)
        raise KeyboardInterrupt

    def killed_before(*_: Any) -> None:
        raise KeyboardInterrupt

    for killed in (killed_before, killed_after):
        with monkeypatch.context() as patch:
            patch.setattr(InboxWriter, "move", killed)
            with pytest.raises(KeyboardInterrupt):
                tidy(vault)
    tidy(vault)
    kept = vault.agendas.get(agenda.id)
    assert kept is not None
    assert kept.path == (written.path or "").replace("Inbox/", "Inbox/Archive/")
    assert (vault.root / kept.path).is_file()


def test_an_agenda_that_is_being_changed_is_known_where_it_still_is(
    vault: ReviewedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    agenda = an_agenda(status=AgendaStatus.DONE)
    written = vault.inbox_writer.write_agenda(agenda, agenda_text(agenda, link=Linker([])))

    def refused(*_: Any) -> None:
        raise ChangedError("it is being changed")

    with monkeypatch.context() as patch:
        patch.setattr(InboxWriter, "move", refused)
        tidy(vault)
    kept = vault.agendas.get(agenda.id)
    assert kept is not None
    assert kept.path == written.path


def test_a_digest_is_put_away_when_all_in_it_is_decided_and_there_is_a_newer_one(
    vault: ReviewedVault,
) -> None:
    digest(vault, FINDING.run, NOW)
    vault.reviews.command(FINDING.id, FindingStatus.ACCEPTED, NOW)
    assert "Digest 2026-11-21.md" in tidy(vault)
    digest(vault, "r-2", NOW + DAY)
    assert "Digest 2026-11-21.md" not in tidy(vault, NOW + DAY)
    assert "Digest 2026-11-22.md" in tidy(vault, NOW + DAY)
    assert "[x] Accept" in (vault.root / "Inbox/Archive/Digest 2026-11-21.md").read_text()
    assert DigestStore(vault.db).path(FINDING.run) == "Inbox/Archive/Digest 2026-11-21.md"


def test_a_digest_with_something_to_decide_stays_for_two_weeks(vault: ReviewedVault) -> None:
    digest(vault, FINDING.run, NOW)
    digest(vault, "r-2", NOW + DAY)
    assert "Digest 2026-11-21.md" in tidy(vault, NOW + DIGEST_KEPT)
    names = tidy(vault, NOW + DIGEST_KEPT + DAY)
    assert "Digest 2026-11-21.md" not in names
    assert Path(vault.path).name in names  # the finding itself is still to be decided
    box = f"- [ ] Accept ^accept-{FINDING.id}"
    path = vault.root / "Inbox/Archive/Digest 2026-11-21.md"
    path.write_text(path.read_text().replace(box, box.replace("[ ]", "[x]")))
    vault.review(NOW + DIGEST_KEPT + DAY)
    assert vault.record.status is FindingStatus.ACCEPTED


def test_of_briefings_only_the_newest_stays(vault: ReviewedVault) -> None:
    for day in (20, 22, 21):
        head = f"type: briefing\nlacuna_id: briefing-{day}\ncreated: 2026-11-{day}T06:00:00"
        text = f"---\n{head}\n---\n"
        vault.inbox_writer.write_own(f"briefing-{day}", f"Briefing 2026-11-{day}", text)
    assert [name for name in tidy(vault) if "Briefing" in name] == ["Briefing 2026-11-22.md"]
    assert OwnNoteStore(vault.db).path("briefing-20") == "Inbox/Briefing 2026-11-20.md"
