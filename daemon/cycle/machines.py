"""The machines that share a vault: which one leads, and what the others have taken up.

Nobody can be asked: all that a machine knows about another is a note that a sync program delivers
late, or not at all. So no two clocks are compared (a machine's silence is measured here, from the
arrival of its last heartbeat), each note has one writer, and a machine that was away listens before
it acts. See docs/adr.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256

from daemon.cycle.known_machines import KnownMachines
from daemon.cycle.machine_notes import MachineNotes
from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.machine import (
    MAX_TERM,
    Claim,
    Machine,
    OwnMachine,
    Sighting,
    request_key,
)
from daemon.store.own_machine import MachineFile
from daemon.store.triggers import TriggerStore

_log = logging.getLogger(__name__)

SILENCE = timedelta(days=1)  # without a heartbeat, after which another machine takes the lead
LISTEN = timedelta(hours=1)  # of sync, before a machine concludes anything from silence
BEAT = timedelta(hours=1)
BEAT_ALONE = timedelta(hours=12)  # while no other is known: fewer changes to sync
_AWAY = timedelta(hours=20)  # after which another may have taken the lead: SILENCE, minus a margin
_GAP = timedelta(minutes=10)  # between two turns: the machine slept, or was busy
_RECENT = timedelta(days=2)  # how long another's agenda counts for the same request
_ONE_TURN = timedelta(hours=20)  # two agendas of a schedule within this time are of the same turn
_AHEAD = (AgendaStatus.PROPOSED, AgendaStatus.APPROVED, AgendaStatus.WAITING)


@dataclass(frozen=True, slots=True)
class MachineState:
    """The state of one machine. `heard_at` is when its last heartbeat arrived here."""

    machine: Machine
    label: str
    heard_at: datetime | None
    is_this: bool
    leads: bool


class Machines:
    """Decides whether this machine researches. Where none are known it does, and writes nothing."""

    def __init__(
        self,
        known: KnownMachines,
        notes: MachineNotes,
        own: OwnMachine,
        file: MachineFile,
        triggers: TriggerStore,
        *,
        tz: tzinfo,
    ) -> None:
        self._known = known
        self._notes = notes
        self._own = own
        self._file = file
        self._triggers = triggers
        self._tz = tz
        self._listens_since: datetime | None = None
        self._looked_at: datetime | None = None
        self._reported = ""

    def check(self, now: datetime, *, is_online: Callable[[], bool] = lambda: True) -> None:
        """Read the others' notes, take the lead if it is free, and write a heartbeat if one is due.

        `is_online` is called only while other machines are known. The index must be up to date.
        Raises VaultError, StoreError.
        """
        if not self._known.is_on:
            return
        own, others = self._with_lost_term(self._own), self._known.others()
        self._listen(now, is_online=not others or is_online())
        own = self._read_heartbeats(own, others, now)
        if not own.beat_at and not own.term and not others:
            own = replace(own, term=1)  # the first in this vault
        if others and own.beat_at is not None and now - own.beat_at >= _AWAY:
            own = replace(own, waits_until=now + LISTEN)
        if own.waits_until is not None and (not others or now >= own.waits_until):
            own = replace(own, waits_until=None)
        self._save(own)
        leader = self._leader(others)
        if leader is not None and self._is_silent(leader, now):
            _log.warning("%s has been silent for a day: this machine leads now", leader.name)
            self._take_over(others, now)
        elif leader is not None:
            self._follow(leader, now)
        self._beat_if_due(others, now)
        self._report(now)

    def lead(self, now: datetime) -> None:
        """Take the lead at once, on the user's command. Raises VaultError, StoreError."""
        if not self._known.is_on:
            return
        self._take_over(self._known.others(), now)
        self._beat(now)

    def standby(self, now: datetime) -> str:
        """Return why this machine proposes no research at `now`, or ""."""
        if not self._known.is_on:
            return ""
        leader = self._leader(self._known.others())
        if leader is not None:
            name = self._known.label(leader.id)
            return f"{name} leads; run `lacuna lead` to make this machine the leader"
        until = self._own.waits_until
        if until is not None and now < until:
            at = until.astimezone(self._tz)
            return f"this machine was away: waiting for the sync until {at:%H:%M}"
        return ""

    def states(self) -> list[MachineState]:
        """Return the state of each machine, this one first."""
        if not self._known.is_on:
            return []
        others, this = self._known.others(), self._this()
        leader = self._leader(others) or this
        last_seen = {id_: each.at for id_, each in self._own.sightings.items()}
        last_seen |= {this.id: self._own.beat_at} if self._own.beat_at else {}
        label = self._known.label
        return [
            MachineState(
                each,
                label(each.id),
                last_seen.get(each.id),
                each is this,
                each is leader,
            )
            for each in (this, *sorted(others, key=lambda other: other.name))
        ]

    def sign(self, agenda: Agenda, note: str = "", request: str = "") -> Agenda:
        """Return an agenda with the claim of this machine, which other machines read."""
        if not self._known.is_on:
            return agenda
        key = request_key(note, request) if note else ""
        signed = replace(agenda, machine=self._own.id, term=self._own.term, claim=key)
        if not self._known.others():
            return signed
        # The id is derived from the subject and the time: others may get the same one.
        digest = sha256(f"{agenda.id} {self._own.id}".encode()).hexdigest()
        return replace(signed, id=f"a-{digest[:12]}")

    def is_taken(self, note: str, request: str, now: datetime) -> bool:
        """Return whether another machine has taken up a note's request."""
        if not self._known.is_on:
            return False
        key = request_key(note, request)
        others = self._known.others()
        leader = self._leader(others)
        if leader is not None and key in leader.served:
            return True
        silent = {each.id for each in others if self._is_silent(each, now)}
        return any(
            claim.key == key
            and (leader is not None or now - self._own.claims.get(claim.agenda, now) < _RECENT)
            and not (claim.is_open and claim.machine in silent)
            for claim in self._known.claims()
        )

    def yields(self, agenda: Agenda) -> str:
        """Return the machine that researches an agenda's request instead of this one, or "".

        Of two agendas that have not begun, the one of the higher rank runs; an interrupted one is
        replaced by another that has begun since.
        """
        if not agenda.machine or not (agenda.claim or agenda.schedule):
            return ""
        rank = agenda.term, agenda.machine
        for claim in self._known.claims():
            if not _is_same(claim, agenda):
                continue
            is_ahead = agenda.status in _AHEAD
            if (claim.has_begun and (is_ahead or claim.rank > rank)) or (
                is_ahead and claim.is_open and claim.rank > rank
            ):
                return self._known.label(claim.machine)
        return ""

    def _listen(self, now: datetime, *, is_online: bool) -> None:
        """Measure how long the sync could have delivered something without a break."""
        last, self._looked_at = self._looked_at, now
        has_slept = last is None or not last <= now <= last + _GAP
        if has_slept or not is_online or self._listens_since is None:
            self._listens_since = now

    def _is_silent(self, machine: Machine, now: datetime) -> bool:
        """Return whether a machine was silent for a day, though it could have been heard."""
        seen, since = self._own.sightings.get(machine.id), self._listens_since
        if seen is None or since is None:
            return False
        return now - seen.at >= SILENCE and now - since >= LISTEN

    def _read_heartbeats(
        self, own: OwnMachine, others: Iterable[Machine], now: datetime
    ) -> OwnMachine:
        """Record when each heartbeat and each agenda of the others arrived, by this clock."""
        sightings = {}
        for each in others:
            last = own.sightings.get(each.id)
            is_same = last is not None and last.beat == each.beat and last.at <= now
            sightings[each.id] = last if last and is_same else Sighting(each.beat, now)
        there = {claim.agenda for claim in self._known.claims()}
        claims = {id_: own.claims.get(id_, now) for id_ in there}
        return replace(own, sightings=sightings, claims=claims, taken=own.taken & there)

    def _with_lost_term(self, own: OwnMachine) -> OwnMachine:
        """Take the term from this machine's own note if the state was lost."""
        if own.beat_at is not None:
            return own
        terms = (row.term for row in self._known.all() if row.id == own.id)
        return replace(own, term=max((own.term, *terms)))

    def _take_over(self, others: Iterable[Machine], now: datetime) -> None:
        """Claim the highest term, and the unfinished requests of silent machines."""
        terms = [self._own.term, *(each.term for each in others)]
        self._save(replace(self._own, term=min(max(terms) + 1, MAX_TERM), waits_until=None))
        silent = {each.id for each in others if self._is_silent(each, now)}
        left = {
            claim.key: claim.agenda
            for claim in self._known.claims()
            if claim.key and claim.is_open and claim.machine in silent
        }
        left = {key: agenda for key, agenda in left.items() if agenda not in self._own.taken}
        for note, request in self._triggers.values().items():
            if request_key(note, request) in left:
                self._triggers.forget(note)
        self._save(replace(self._own, taken=self._own.taken | frozenset(left.values())))
        self._own = replace(self._own, beat_at=None)  # so that the others know at once

    def _follow(self, leader: Machine, now: datetime) -> None:
        """Count what the leader's schedules have done as done."""
        ran = {
            claim.schedule: claim.created_at
            for claim in self._known.claims()
            if claim.schedule and claim.status == "done" and claim.created_at is not None
        }
        for name, at in (*ran.items(), *leader.ran.items()):
            known = self._triggers.last_run(name)
            if known is None or known < at:
                self._triggers.record_run(name, min(at, now.astimezone(at.tzinfo)))

    def _beat_if_due(self, others: Iterable[Machine], now: datetime) -> None:
        last = self._own.beat_at
        wait = BEAT if any(True for _ in others) else BEAT_ALONE
        if last is None or not last <= now < last + wait:
            self._beat(now)

    def _beat(self, now: datetime) -> None:
        """Write a heartbeat; the count is stored first, so that none is written twice."""
        beat = max(
            [
                self._own.beat,
                *(row.beat for row in self._known.all() if row.id == self._own.id),
            ]
        )
        before, own = self._own, replace(self._own, beat=beat + 1, beat_at=now)
        self._save(replace(own, beat_at=before.beat_at))
        if self._notes.write(self._this(), now):
            self._save(own)

    def _this(self) -> Machine:
        requests = self._triggers.values().items() if self._known.is_on else ()
        return Machine(
            id=self._own.id,
            name=self._known.name,
            beat=self._own.beat,
            term=self._own.term,
            ran=self._triggers.runs(),
            served=frozenset(request_key(note, request) for note, request in requests),
        )

    def _leader(self, others: Iterable[Machine]) -> Machine | None:
        """Return the machine that leads, or None if it is this one."""
        first = max(others, key=lambda each: each.rank, default=None)
        is_other = first is not None and first.rank > (self._own.term, self._own.id)
        return first if is_other else None

    def _report(self, now: datetime) -> None:
        """Log once which machine leads."""
        line = self.standby(now)
        if line != self._reported:
            self._reported = line
            _log.info("%s", line or "this machine leads")

    def _save(self, own: OwnMachine) -> None:
        if own != self._own:
            self._file.save(own)
            self._own = own


def _is_same(claim: Claim, agenda: Agenda) -> bool:
    """Return whether two agendas are for the same request, or the same turn of a schedule."""
    if agenda.claim or claim.key:
        return agenda.claim == claim.key
    apart = abs(claim.created_at - agenda.created_at) if claim.created_at else _ONE_TURN
    return claim.schedule == agenda.schedule and apart < _ONE_TURN
