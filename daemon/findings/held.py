"""Decisions inferred only from moves or deletions of many notes: they wait for confirmation.

A renamed folder, a sync program that removes a folder and a faulty script look like decisions of
the user. The digest asks which it was. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from daemon.findings.bulk import all_lines, box_lines
from daemon.findings.digest import entry_mark
from daemon.findings.review import ARCHIVED, DELETED, MOVED_OUT, Decision
from daemon.model.finding import FindingRecord, FindingStatus
from vault_adapters.inert import inert_line
from vault_adapters.wikilink import Linker

FEW = 5  # notes that a user moves or deletes at once without being asked
_AT_ONCE = timedelta(seconds=1)
_KINDS = {MOVED_OUT: "moved", ARCHIVED: "archived", DELETED: "deleted"}
_STATUS_WORDS = {
    "moved": "moved out of the inbox at once",
    "archived": "moved to the archive at once",
    "deleted": "deleted at once",
}
_UNDO = {
    "moved": "Move them back into the inbox to review them later.",
    "archived": "Move them back into the inbox to review them later.",
    "deleted": "Restore them, for example from the trash, to review them later.",
}
_VERBS = {"deleted": ("dismiss",)}


@dataclass(frozen=True, slots=True)
class Hold:
    """Findings that were moved or deleted at once; `waiting` are the ids of undecided ones."""

    id: str
    kind: str  # a key of `_STATUS_WORDS`
    findings: Sequence[FindingRecord]

    @property
    def waiting(self) -> list[str]:
        return [each.id for each in self.findings if each.status is FindingStatus.PENDING]

    @property
    def what(self) -> str:
        """What happened, in a few words."""
        return f"{len(self.findings)} findings were {_STATUS_WORDS[self.kind]}"

    @property
    def why(self) -> str:
        """Return why nothing is decided yet."""
        return f"{self.what}; confirm it in the digest"


def hold_bulk(decisions: Iterable[Decision], now: datetime) -> list[Decision]:
    """Return the decisions in order, with too many simultaneous ones put on hold.

    One on hold keeps its new place, without a new status.
    """
    decisions = list(decisions)
    held = {
        decision.id: _with_hold(
            decision, f"hold-{kind}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{number}"
        )
        for number, (kind, group) in enumerate(_groups(decisions), start=1)
        if len(group) > FEW
        for decision in group
    }
    return [held.get(decision.id, decision) for decision in decisions]


def holds(records: Iterable[FindingRecord]) -> list[Hold]:
    """Return the holds with findings that wait for confirmation, by id."""
    found: defaultdict[str, list[FindingRecord]] = defaultdict(list)
    for record in records:
        if record.hold:
            found[record.hold].append(record)
    made = (Hold(id_, _kind(id_), of) for id_, of in sorted(found.items()))
    return [hold for hold in made if hold.waiting]


def hold_entry(hold: Hold, now: datetime, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Return the entry of a digest that asks for confirmation."""
    verbs = _VERBS.get(hold.kind, ("accept", "dismiss"))
    request = "Nothing is decided until you tick a box here."
    lines = [
        f"## {now.astimezone(tz):%H:%M} Waiting for your confirmation",
        "",
        f"{hold.what}. {request} {_UNDO[hold.kind]} {entry_mark(hold.id)}",
        "",
        *all_lines(verbs),
        "",
    ]
    for record in hold.findings:
        name = inert_line(record.title) if hold.kind == "deleted" else link(record.path)
        lines += [f"- {name}", *box_lines(record.id, verbs)]
    return "\n".join(lines) + "\n"


def _groups(decisions: Iterable[Decision]) -> Iterator[tuple[str, list[Decision]]]:
    """Yield each kind's simultaneous decisions: in one scan, or for deletions in one second."""
    of_kind: defaultdict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.is_by_place:
            of_kind[_KINDS[decision.why]].append(decision)
    for kind, alike in of_kind.items():
        group: list[Decision] = []
        for decision in sorted(alike, key=_happened_at):
            if group and _happened_at(decision) - _happened_at(group[0]) > _AT_ONCE:
                yield kind, group
                group = []
            group.append(decision)
        yield kind, group


def _happened_at(decision: Decision) -> datetime:
    return decision.missing_at or datetime.min.replace(tzinfo=UTC)


def _with_hold(decision: Decision, hold: str) -> Decision:
    return replace(decision, status=None, never=False, is_by_place=False, hold=hold)


def _kind(hold: str) -> str:
    kind = hold.split("-")[1] if hold.count("-") > 1 else ""
    return kind if kind in _STATUS_WORDS else "moved"
