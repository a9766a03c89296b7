"""Every way in which a user may decide, and those that are none."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest

from daemon.findings.block import REVIEW_BLOCK, Box
from daemon.findings.review import Decision, by_command, decide, sightings
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.own_notes import SeenNote
from tests.fakes.values import INBOX, NOW, a_record

ACCEPTED, DISMISSED, PENDING = (
    FindingStatus.ACCEPTED,
    FindingStatus.DISMISSED,
    FindingStatus.PENDING,
)
GRACE = timedelta(hours=24)
PATH = a_record().path
ARCHIVED = PATH.replace(INBOX, f"{INBOX}/Archive")
OUTSIDE = "Notes/Latency.md"


def note(status: object = "pending", *boxes: Box, more: str = "") -> str:
    text = f"---\nlacuna_id: f-1\nstatus: {status}\n---\nWords.\n\n{REVIEW_BLOCK}{more}"
    for box in boxes:
        text = text.replace(f"- [ ] {box}\n", f"- [x] {box}\n")
    return text


def seen(text: str, path: str = PATH) -> SeenNote:
    return SeenNote(path, text, sha256(text.encode()).hexdigest())


def look(record: FindingRecord, text: str | None, path: str = PATH) -> list[Decision]:
    notes = {} if text is None else {record.id: seen(text, path)}
    return decide([record], notes, now=NOW, grace=GRACE, inbox=INBOX)


def status_after(record: FindingRecord, text: str, path: str = PATH) -> FindingStatus | None:
    decisions = look(record, text, path)
    return decisions[0].status if decisions else None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (note("accepted"), ACCEPTED),
        (note("Accepted"), ACCEPTED),
        (note("accept"), ACCEPTED),
        (note("\n  - accepted"), ACCEPTED),
        (note("dismissed"), DISMISSED),
        (note("rejected"), DISMISSED),
        (note("pending", Box.ACCEPT), ACCEPTED),
        (note("pending", Box.DISMISS), DISMISSED),
        (note("pending", Box.NEVER), DISMISSED),
        (note("pending", Box.DISMISS, Box.NEVER), DISMISSED),
        (note("accepted", Box.ACCEPT), ACCEPTED),
        (note("", Box.ACCEPT), ACCEPTED),
        (note("pending"), None),
        (note(""), None),
        ("no properties at all", None),
        ("", None),
    ],
)
def test_a_pending_finding_is_decided_by_property_or_box(
    text: str, status: FindingStatus | None
) -> None:
    assert status_after(a_record(), text) is status


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (note("pending", Box.ACCEPT, Box.DISMISS), "“Accept” was ticked; but “Dismiss” was ticked"),
        (note("accepted", Box.NEVER), "status was set to accepted; but “Never"),
        (note("dismissed", Box.ACCEPT), "status was set to dismissed; but “Accept” was ticked"),
        (note("acepted"), "status is 'acepted'; it can be pending, accepted or dismissed"),
        (note("[accepted, dismissed]"), "it can be pending, accepted or dismissed"),
    ],
)
def test_a_contradiction_decides_nothing_and_says_so(text: str, why: str) -> None:
    (decision,) = look(a_record(), text)
    assert decision.status is None
    assert why in decision.why


def test_contradicting_decisions_are_reported_once() -> None:
    text = note("pending", Box.ACCEPT, Box.DISMISS)
    assert look(a_record(content_hash=seen(text).hash), text) == []


def test_nothing_new_decides_nothing() -> None:
    assert look(a_record(content_hash=seen(note()).hash), note()) == []


def test_a_decision_carries_what_it_was_read_from() -> None:
    text = note("pending", Box.ACCEPT, more="\n#good it answers the question\n")
    assert look(a_record(), text) == [
        Decision(
            id=a_record().id,
            status=ACCEPTED,
            why="“Accept” was ticked",
            path=PATH,
            hash=seen(text).hash,
            feedback="#good it answers the question",
        )
    ]


def test_never_goes_with_a_dismissal_only() -> None:
    assert look(a_record(), note("pending", Box.NEVER))[0].never
    assert not look(a_record(), note("pending", Box.NEVER, Box.ACCEPT))[0].never
    assert not look(a_record(), note("pending", Box.DISMISS))[0].never


def test_never_may_be_said_of_what_was_dismissed_before() -> None:
    record = a_record(status=DISMISSED, path=ARCHIVED)
    (decision,) = look(record, note("dismissed", Box.NEVER), ARCHIVED)
    assert (decision.status, decision.never) == (None, True)


def test_moving_a_finding_out_accepts_it() -> None:
    (decision,) = look(a_record(), note(), OUTSIDE)
    assert (decision.status, decision.path) == (ACCEPTED, OUTSIDE)
    assert decision.why == "it was moved out of the inbox"


def test_a_folder_that_only_begins_like_the_inbox_is_outside() -> None:
    assert status_after(a_record(), note(), f"{INBOX}ed/Latency.md") is ACCEPTED


@pytest.mark.parametrize("text", [note("dismissed"), note("pending", Box.DISMISS)])
def test_moving_out_a_note_that_says_dismissed_dismisses_it(text: str) -> None:
    assert status_after(a_record(), text, OUTSIDE) is DISMISSED


def test_outside_the_inbox_a_stale_pending_means_nothing() -> None:
    accepted = a_record(status=ACCEPTED, path=OUTSIDE, content_hash="older")
    assert status_after(accepted, note(), OUTSIDE) is None
    dismissed = a_record(status=DISMISSED, path=OUTSIDE)
    assert status_after(dismissed, note(), OUTSIDE) is None


def test_an_archived_note_that_is_moved_out_is_wanted_after_all() -> None:
    archived = a_record(status=DISMISSED, path=ARCHIVED)
    assert status_after(archived, note("dismissed"), OUTSIDE) is ACCEPTED


def test_an_accepted_note_may_be_moved_anywhere() -> None:
    (decision,) = look(a_record(status=ACCEPTED), note("accepted"), OUTSIDE)
    assert (decision.status, decision.path) == (None, OUTSIDE)


def test_moving_a_finding_into_the_archive_dismisses_it() -> None:
    assert status_after(a_record(), note(), ARCHIVED) is DISMISSED


def test_a_finding_renamed_in_the_inbox_is_followed() -> None:
    (decision,) = look(a_record(), note(), f"{INBOX}/Reading/My name.md")
    assert (decision.status, decision.path) == (None, f"{INBOX}/Reading/My name.md")


@pytest.mark.parametrize(
    ("status", "path"), [(ACCEPTED, PATH), (DISMISSED, ARCHIVED), (DISMISSED, PATH)]
)
def test_status_back_to_pending_undoes_a_decision(status: FindingStatus, path: str) -> None:
    record = a_record(status=status, path=path)
    assert status_after(record, note("pending", Box.DISMISS), path) is (
        PENDING if status is DISMISSED else None
    )
    assert status_after(record, note("pending"), path) is PENDING


def test_a_dismissed_finding_can_be_accepted_later() -> None:
    record = a_record(status=DISMISSED, path=ARCHIVED)
    text = note("dismissed", Box.DISMISS, Box.ACCEPT)
    assert status_after(record, text, ARCHIVED) is ACCEPTED


def test_a_deleted_finding_is_dismissed_after_the_grace() -> None:
    (first,) = look(a_record(), None)
    assert (first.status, first.path, first.missing_at) == (None, None, NOW)
    waiting = a_record(missing_at=NOW - GRACE + timedelta(seconds=1))
    assert look(waiting, None) == []
    (last,) = look(a_record(missing_at=NOW - GRACE), None)
    assert (last.status, last.why) == (DISMISSED, "its note was deleted")


def test_without_a_grace_a_deleted_finding_is_dismissed_at_once() -> None:
    (decision,) = decide([a_record()], {}, now=NOW, grace=timedelta(0), inbox=INBOX)
    assert decision.status is DISMISSED


def test_a_note_that_comes_back_is_no_longer_missing() -> None:
    record = a_record(missing_at=NOW, content_hash=seen(note()).hash)
    (decision,) = look(record, note())
    assert (decision.status, decision.missing_at) == (None, None)


@pytest.mark.parametrize("status", [ACCEPTED, DISMISSED])
def test_what_was_decided_may_be_deleted(status: FindingStatus) -> None:
    assert look(a_record(status=status), None) == []


def test_feedback_that_was_given_is_not_lost_when_its_line_goes() -> None:
    (decision,) = look(a_record(feedback="#bad too long"), note())
    assert decision.feedback == "#bad too long"


def test_of_two_copies_the_recorded_one_counts() -> None:
    record = a_record()
    copy = seen(note("accepted"), f"{INBOX}/A copy.md")
    original = seen(note())
    for notes in ([copy, original], [original, copy]):
        named = [(record.id, one) for one in notes]
        assert sightings([record], named, inbox=INBOX) == {record.id: original}


def test_without_the_recorded_one_a_note_outside_the_inbox_counts() -> None:
    record = a_record()
    conflict = seen(note(), f"{INBOX}/2026-11-21 Latency (conflict).md")
    moved = seen(note(), OUTSIDE)
    for notes in ([conflict, moved], [moved, conflict]):
        named = [(record.id, one) for one in notes]
        assert sightings([record], named, inbox=INBOX) == {record.id: moved}


def test_notes_that_are_no_findings_of_ours_are_excluded() -> None:
    assert sightings([a_record()], [("f-other", seen(note()))], inbox=INBOX) == {}


def test_a_finding_without_properties_is_known_by_its_path() -> None:
    record = a_record()
    here, elsewhere = seen("Words."), seen("Words.", f"Notes/{PATH.rpartition('/')[2]}")
    for notes in ([here, elsewhere], [elsewhere, here]):
        named = [("", one) for one in notes]
        assert sightings([record], named, inbox=INBOX) == {record.id: here}


def test_a_finding_without_properties_is_known_by_its_name_when_it_moved() -> None:
    record = a_record()
    moved = seen("Words.", f"Notes/{PATH.rpartition('/')[2]}")
    assert sightings([record], [("", moved)], inbox=INBOX) == {record.id: moved}
    assert look(record, moved.text, moved.path)[0].status is ACCEPTED
    other = seen("Words.", f"More/{PATH.rpartition('/')[2]}")
    assert sightings([record], [("", moved), ("", other)], inbox=INBOX) == {}


def test_a_note_with_the_id_counts_before_one_without_properties() -> None:
    record = a_record()
    moved = seen(note(), OUTSIDE)
    notes = [("", seen("Words.")), (record.id, moved)]
    assert sightings([record], notes, inbox=INBOX) == {record.id: moved}


def test_boxes_count_without_properties() -> None:
    text = f"Words.\n\n{REVIEW_BLOCK}".replace(f"- [ ] {Box.DISMISS}\n", f"- [x] {Box.DISMISS}\n")
    assert status_after(a_record(), text) is DISMISSED


def test_a_command_decides_like_an_edit() -> None:
    record = replace(a_record(), feedback="#good before")
    decision = by_command(record, DISMISSED, never=True)
    assert (decision.status, decision.never, decision.path) == (DISMISSED, True, PATH)
    assert decision.feedback == "#good before"
