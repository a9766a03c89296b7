"""A finding is known again by its note alone, with what was decided."""

from datetime import UTC, datetime

import pytest

from daemon.findings.block import as_status
from daemon.findings.recovered_finding import is_never, recovered_finding, settled
from daemon.findings.render import finding_text
from daemon.model.finding import FindingRecord, FindingStatus, record_of
from daemon.model.own_notes import SeenNote
from tests.fakes.values import a_finding
from vault_adapters.wikilink import Linker

INBOX = "Inbox/Research"
PATH = f"{INBOX}/note.md"
LATER = datetime(2026, 12, 1, tzinfo=UTC)
FINDING = a_finding()
TEXT = finding_text(FINDING, link=Linker([]))
KNOWN = record_of(FINDING, PATH)


def seen(text: str = TEXT, path: str = PATH) -> SeenNote:
    return SeenNote(path, text, "hash")


def known_again(note: SeenNote) -> FindingRecord:
    record = recovered_finding(
        KNOWN.id, note, title=KNOWN.title, key_of=lambda _: KNOWN.key, tz=UTC
    )
    assert record is not None
    return settled(record, note, inbox=INBOX, at=LATER)


def test_a_pending_finding_is_known_as_it_was() -> None:
    record = known_again(seen())
    assert (record.id, record.run, record.path) == (KNOWN.id, KNOWN.run, PATH)
    assert (record.topic, record.source) == (KNOWN.topic, KNOWN.source)
    assert record.credibility == pytest.approx(KNOWN.credibility, abs=0.005)
    assert record.created_at == KNOWN.created_at.replace(microsecond=0)
    assert (record.status, record.decided_at) == (FindingStatus.PENDING, None)
    assert record.content_hash == "hash"
    documents = tuple(key for key in KNOWN.keys if not key.startswith("sentence:"))
    assert (record.sources, record.keys) == (KNOWN.sources, documents)


@pytest.mark.parametrize("status", [FindingStatus.ACCEPTED, FindingStatus.DISMISSED])
def test_what_was_decided_stays_decided(status: FindingStatus) -> None:
    record = known_again(seen(as_status(TEXT, status)))
    assert (record.status, record.decided_at) == (status, LATER)


def test_one_that_was_moved_out_was_accepted() -> None:
    assert known_again(seen(path="Bees/note.md")).status is FindingStatus.ACCEPTED


def test_a_tick_that_was_not_taken_yet_stays_to_be_taken() -> None:
    record = known_again(seen(TEXT.replace("- [ ] Accept", "- [x] Accept")))
    assert record.status is FindingStatus.PENDING


def test_that_a_topic_is_never_wanted_is_in_the_note() -> None:
    note = seen(as_status(TEXT, FindingStatus.DISMISSED, never=True))
    assert is_never(known_again(note), note)
    note = seen(as_status(TEXT, FindingStatus.DISMISSED))
    assert not is_never(known_again(note), note)


def test_feedback_is_known_again() -> None:
    assert known_again(seen(f"{TEXT}\n#good why not\n")).feedback == "#good why not"


@pytest.mark.parametrize(
    "text", ["", "# a note\n", "---\ntype: agenda\n---\n", "---\ntype: finding\n---"]
)
def test_what_is_no_finding_is_none(text: str) -> None:
    assert recovered_finding("x", seen(text), title="t", key_of=str, tz=UTC) is None
