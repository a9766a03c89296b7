"""The user's decisions, read from the current notes. Pure: changes nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from daemon.findings.block import Box, feedback, ticked
from daemon.findings.bulk import Choice
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.own_notes import ARCHIVE, SeenNote, is_inside
from vault_adapters.edit import read_property

# Reasons for a decision inferred from a note's place alone.
MOVED_OUT, ARCHIVED = "it was moved out of the inbox", "it was moved to the archive"
DELETED = "its note was deleted"

_STATUS_NAMES = {
    "pending": FindingStatus.PENDING,
    "accepted": FindingStatus.ACCEPTED,
    "accept": FindingStatus.ACCEPTED,
    "dismissed": FindingStatus.DISMISSED,
    "dismiss": FindingStatus.DISMISSED,
    "rejected": FindingStatus.DISMISSED,
}
_BY_BOX = {
    Box.ACCEPT: FindingStatus.ACCEPTED,
    Box.DISMISS: FindingStatus.DISMISSED,
    Box.NEVER: FindingStatus.DISMISSED,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """A change of a finding.

    `status` is None if nothing was decided (`why` is then the obstacle, if any); `path` is None if
    its note is gone; `hash` is that of the text this was read from, "" if it was decided elsewhere.
    `is_by_place` if it is inferred only from a move or a deletion, `hold` names the hold in which
    it waits for confirmation.
    """

    id: str
    status: FindingStatus | None
    why: str
    path: str | None
    hash: str = ""
    feedback: str = ""
    never: bool = False
    missing_at: datetime | None = None
    is_by_place: bool = False
    hold: str = ""


@dataclass(frozen=True, slots=True)
class OtherSigns:
    """What is said of findings elsewhere than in their notes, by `lacuna_id`.

    `ticks` are ticks in digests, `copies` other notes with the same id: what a sync program made
    of two sides, or a copy that lies in the inbox, too. `moved_to` is where the user moved the
    whole inbox while the setting names the old folder, "" when it is where it should be.
    """

    ticks: Mapping[str, Choice] = field(default_factory=dict)
    copies: Mapping[str, Sequence[SeenNote]] = field(default_factory=dict)
    moved_to: str = ""


NOTHING = OtherSigns()


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a note shows: a new status, or why there is none."""

    status: FindingStatus | None
    why: str = ""
    is_by_place: bool = False


def decide(
    records: Iterable[FindingRecord],
    seen: Mapping[str, SeenNote],
    *,
    now: datetime,
    grace: timedelta,
    inbox: str,
    other_signs: OtherSigns = NOTHING,
) -> list[Decision]:
    """Compare the records with the vault, and return the changes, in the records' order.

    `seen` is by `lacuna_id` (see `sightings`), `other_signs` are decisions elsewhere. A pending
    finding whose note is gone is dismissed after `grace`: a sync may still be restoring it.
    """
    decisions = (
        _decide_seen(record, seen[record.id], inbox, other_signs)
        if record.id in seen
        else _decide_missing(record, now, grace, other_signs.ticks.get(record.id))
        for record in records
    )
    return [decision for decision in decisions if decision is not None]


def unclear(
    records: Iterable[FindingRecord],
    seen: Mapping[str, SeenNote],
    *,
    inbox: str,
    other_signs: OtherSigns = NOTHING,
) -> dict[str, str]:
    """Return id → the obstacle to a decision, for contradictory or invalid notes.

    `seen` is by `lacuna_id` (see `sightings`).
    """
    statements = {
        each.id: _statement(each, seen[each.id], inbox, other_signs)
        if each.id in seen
        else _statement_of_missing(each, other_signs.ticks.get(each.id))
        for each in records
    }
    return {id_: each.why for id_, each in statements.items() if each.status is None and each.why}


def by_command(
    record: FindingRecord, status: FindingStatus, *, never: bool = False, feedback: str = ""
) -> Decision:
    """Make the decision that a command (not an edit) requests."""
    return Decision(
        id=record.id,
        status=status,
        why=f"{status} by command",
        path=record.path,
        feedback=feedback or record.feedback,
        never=never,
        hold=record.hold,
    )


def sightings(
    records: Iterable[FindingRecord], notes: Iterable[tuple[str, SeenNote]], *, inbox: str
) -> dict[str, SeenNote]:
    """Choose one note per `lacuna_id`: the recorded path, else one outside the inbox (moved out).

    A sync conflict or a copy leaves two notes with one id; the other one is ignored. A finding
    whose properties were removed is identified by its path, or by its file's name, which was unique
    when it was written; such notes have "" as their id.
    """
    recorded = {record.id: record.path for record in records}
    notes = list(notes)
    ranked = sorted(
        (note for note in notes if note[0] in recorded),
        key=lambda note: (
            note[1].path != recorded[note[0]],
            is_inside(note[1].path, inbox),
            note[1].path,
        ),
        reverse=True,
    )
    return _stripped(recorded, [note for id_, note in notes if not id_]) | dict(ranked)


def _stripped(recorded: Mapping[str, str], notes: Iterable[SeenNote]) -> dict[str, SeenNote]:
    """Choose for each finding the note without properties that belongs to it, if any."""
    named: dict[str, list[SeenNote]] = {}
    for note in notes:
        named.setdefault(file_name(note.path), []).append(note)
    found = {}
    for id_, path in recorded.items():
        alike = named.get(file_name(path), [])
        there = [note for note in alike if note.path == path] or alike
        if len(there) == 1:
            found[id_] = there[0]
    return found


def file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _decide_missing(
    record: FindingRecord, now: datetime, grace: timedelta, tick: Choice | None
) -> Decision | None:
    statement = _statement_of_missing(record, tick)
    if record.status is not FindingStatus.PENDING:
        return None
    since = record.missing_at or now
    is_by_place = not statement.why and not record.hold and now - since >= grace
    is_over = statement.status is not None or is_by_place
    if record.missing_at is not None and not is_over:
        return None
    return Decision(
        id=record.id,
        status=FindingStatus.DISMISSED if is_over else None,
        why=statement.why or (DELETED if is_over else "its note is gone"),
        path=None,
        feedback=record.feedback,
        missing_at=since,
        is_by_place=is_by_place,
        hold=record.hold,
    )


def _statement_of_missing(record: FindingRecord, tick: Choice | None) -> _Statement:
    """Without its note a finding can only be dismissed."""
    if tick is None or tick.status is record.status:
        return _Statement(None)
    if tick.status is FindingStatus.DISMISSED:
        return _Statement(tick.status, tick.why)
    return _Statement(None, f"{tick.why}; but its note is gone")


def _decide_seen(
    record: FindingRecord, seen: SeenNote, inbox: str, other_signs: OtherSigns
) -> Decision | None:
    statement = _statement(record, seen, inbox, other_signs)
    boxes = ticked(seen.text)
    is_dismissed = (statement.status or record.status) is FindingStatus.DISMISSED
    hold = record.hold if _is_held_still(record, seen, inbox) else ""
    is_same = (
        statement.status is None
        and record.missing_at is None
        and (record.path, record.content_hash, record.hold) == (seen.path, seen.hash, hold)
    )
    if is_same:
        return None
    return Decision(
        id=record.id,
        status=statement.status,
        why=statement.why,
        path=seen.path,
        hash=seen.hash,
        feedback=feedback(seen.text) or record.feedback,
        never=Box.NEVER in boxes and is_dismissed,
        is_by_place=statement.is_by_place,
        hold=hold,
    )


def _is_held_still(record: FindingRecord, seen: SeenNote, inbox: str) -> bool:
    """Return whether a note is still where it waits for confirmation; one that came back is not."""
    is_home = is_inside(seen.path, inbox) and not is_inside(seen.path, f"{inbox}/{ARCHIVE}")
    return record.missing_at is None and not is_home


def _statement(
    record: FindingRecord, seen: SeenNote, inbox: str, other_signs: OtherSigns
) -> _Statement:
    """Collect all evidence for a status other than the recorded one."""
    written = read_property(seen.text, "status")
    status = record.status if written is None else status_of(written)
    if status is None:
        return _Statement(None, f"status is {written!r}; it can be pending, accepted or dismissed")
    reasons: dict[FindingStatus, str] = {status: f"status was set to {status}"}
    for box in sorted(ticked(seen.text)):
        reasons.setdefault(_BY_BOX[box], f"“{box}” was ticked")
    tick = other_signs.ticks.get(record.id)
    if tick is not None and tick.status is None:
        return _Statement(None, tick.why)
    if tick is not None and tick.status is not None:
        reasons.setdefault(tick.status, tick.why)
    if is_inside(seen.path, inbox):
        statement = _inside(record, seen, inbox, reasons)
    else:
        statement = _outside(record, seen, (inbox, other_signs.moved_to or inbox), reasons)
    if statement.status is None and statement.why:
        return statement
    return (
        _denied(statement, statement.status or record.status, other_signs.copies.get(record.id, ()))
        or statement
    )


def _denied(
    statement: _Statement, status: FindingStatus, copies: Iterable[SeenNote]
) -> _Statement | None:
    """Return which copy of a note contradicts it, if one does: then nothing is decided.

    A copy without a decision was made before there was one.
    """
    for copy in copies:
        other = status_of(read_property(copy.text, "status"))
        boxes = {_BY_BOX[box] for box in ticked(copy.text)}
        statuses = {other, *boxes} - {None, FindingStatus.PENDING}
        if statuses - {status}:
            words = " and ".join(sorted(str(each) for each in statuses))
            why = f"; but {statement.why}" if statement.why else ""
            return _Statement(None, f"its copy {file_name(copy.path)} says {words}{why}")
    return None


def _inside(
    record: FindingRecord, seen: SeenNote, inbox: str, reasons: Mapping[FindingStatus, str]
) -> _Statement:
    new = [status for status in reasons if status is not record.status]
    if len(new) > 1:
        return _Statement(None, "; but ".join(reasons[status] for status in new))
    if new:
        return _Statement(new[0], reasons[new[0]])
    is_pending = record.status is FindingStatus.PENDING and not record.hold
    if is_pending and is_inside(seen.path, f"{inbox}/{ARCHIVE}"):
        return _Statement(FindingStatus.DISMISSED, ARCHIVED, is_by_place=True)
    return _Statement(None)


def _outside(
    record: FindingRecord,
    seen: SeenNote,
    inboxes: Sequence[str],
    reasons: Mapping[FindingStatus, str],
) -> _Statement:
    """Accept a note that left the inbox, unless its own status says otherwise.

    Its `status` may stay pending forever: out there it is no longer ours to write. `inboxes` are
    the inbox of the settings, and the folder to which the user moved it.
    """
    kept = (record.status, FindingStatus.PENDING)
    new = [status for status in reasons if status not in kept]
    if len(new) > 1:
        return _Statement(None, "; but ".join(reasons[status] for status in new))
    if new:
        return _Statement(new[0], reasons[new[0]])
    was_inside, is_in = (
        any(is_inside(path, each) for each in inboxes) for path in (record.path, seen.path)
    )
    if not was_inside or is_in or record.status is FindingStatus.ACCEPTED:
        return _Statement(None)
    return _Statement(FindingStatus.ACCEPTED, MOVED_OUT, is_by_place=True)


def status_of(written: Any) -> FindingStatus | None:
    """Parse a status as people write it: any case, and a list of one as its item."""
    values: Sequence[Any] = written if isinstance(written, list) else [written]
    if len(values) != 1:
        return None
    return _STATUS_NAMES.get(str(values[0]).strip().casefold())
