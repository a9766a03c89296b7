"""From what is known to an agenda in the inbox, and from the user's edits back."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from difflib import get_close_matches
from functools import partial
from typing import Any

from daemon.agenda.note import agenda_text, read_agenda, rewrite
from daemon.agenda.of_note import gaps_for_note
from daemon.agenda.plan import plan
from daemon.agenda.propose import propose
from daemon.agenda.rest import Rest, resting, rests, turned_down
from daemon.agenda.scope import WHOLE, Scope
from daemon.cycle.announce import Announcements
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.machines import Machines
from daemon.cycle.retries import as_new
from daemon.cycle.waiting import Queue, places
from daemon.cycle.wishes import Wishes
from daemon.findings.inbox import Inbox
from daemon.model.agenda import (
    Agenda,
    AgendaStatus,
    Approval,
    Choice,
    Depth,
    Gap,
    GapKind,
    GapShape,
)
from daemon.model.errors import LacunaError
from daemon.model.sources import Profile
from daemon.model.spending import Cap
from daemon.model.topics import topic_key
from daemon.store.agendas import OPEN, AgendaStore
from daemon.store.findings import FindingStore
from daemon.store.notes import NoteRow
from scheduler.triggers.frontmatter import questions, wants
from vault_adapters.base import NoteError, VaultAdapter
from vault_adapters.inert import inert_line
from vault_adapters.wikilink import note_name

_log = logging.getLogger(__name__)

# Given the id of a new agenda, writes into the store what is to be kept together with it.
Also = Callable[[str], None]

_NEIGHBOURS = 4
# Whoever decides is the one writer: an agenda that is running then was interrupted.
_NOT_BEGUN = (AgendaStatus.PROPOSED, AgendaStatus.APPROVED, AgendaStatus.WAITING)
_MAY_BECOME = {
    AgendaStatus.APPROVED: (*_NOT_BEGUN, AgendaStatus.FAILED),
    AgendaStatus.CANCELLED: (*_NOT_BEGUN, AgendaStatus.RUNNING),
}
_TAGGED = "research in "  # how the trigger of a note that asked for it begins
_REF_MIN = 5  # characters of an id, of which `a-` is two, that may stand for all of it


@dataclass(frozen=True, slots=True)
class Manner:
    """How an agenda comes to run: what it waits for, how long, how far it goes, and where.

    Sources that the user `named` are all asked; of others, those that suit the topic. What belongs
    to a schedule bears its name, and may be limited by it. It `has_note` in the inbox, unless
    somebody waits for it at a command line. One that answers a note's research request `claims`
    it: the note's path, and the request.
    """

    approval: Approval
    window: timedelta
    depth: Depth
    sources: Sequence[str]
    named: bool = False
    schedule: str = ""
    max_findings: int | None = None
    done_by: datetime | None = None
    caps: tuple[Cap, ...] = ()
    has_note: bool = True
    claims: tuple[str, str] = ("", "")


def _nothing_else(_agenda: str) -> None:
    """Nothing is to be kept together with the agenda."""


class Proposals:
    """Writes agendas, and reads what the user did to them."""

    def __init__(
        self,
        knowledge: Knowledge,
        agendas: AgendaStore,
        findings: FindingStore,
        wishes: Wishes,
        inbox: Inbox,
        adapter: VaultAdapter,
        *,
        tz: tzinfo,
        profiles: Mapping[str, Profile] | None = None,
    ) -> None:
        self._profiles: Mapping[str, Profile] = {} if profiles is None else profiles
        self._wishes = wishes
        self._later: tuple[str, ...] = ()  # the notes that were told to wait for their turn
        self.knowledge = knowledge
        self._agendas = agendas
        self._findings = findings
        self._inbox = inbox
        self._adapter = adapter
        self._tz = tz
        self.announce = Announcements()
        self.machines: Machines | None = None  # the others that share the vault

    def for_vault(
        self,
        now: datetime,
        manner: Manner,
        *,
        trigger: str,
        asked: bool = False,
        scope: Scope = WHOLE,
        also: Also = _nothing_else,
    ) -> Agenda | None:
        """Propose what the vault is missing, or a part of it; None when nothing is worth it.

        Whoever `asked` for it is told of what was looked into lately when there is nothing else.
        """
        found, never = self.knowledge.gaps(now, scope), self._agendas.never_topics()
        gaps = self.gaps_of_vault(now, scope)
        if asked and not gaps:
            firm = turned_down(self._agendas, self._findings, now)
            gaps = propose(found, never=never, recent=firm)
        return self._write(gaps, now, manner, trigger=trigger, also=also)

    def for_note(
        self,
        row: NoteRow,
        now: datetime,
        manner: Manner,
        *,
        trigger: str,
        questions: Sequence[str] = (),
        also: Also = _nothing_else,
    ) -> Agenda | None:
        """Propose what one note leaves open, or the questions it asks."""
        gaps = self.gaps_of(row, questions)
        return self._write(gaps, now, manner, trigger=trigger, note=row.path, also=also)

    def gaps_of_vault(self, now: datetime, scope: Scope = WHOLE) -> list[Gap]:
        """Return what a run of the vault, or of a part of it, would research now."""
        never = self._agendas.never_topics()
        rested = resting(self._agendas, self._findings, now)
        return propose(self.knowledge.gaps(now, scope), never=never, recent=rested)

    def gaps_of(self, row: NoteRow, questions: Sequence[str] = ()) -> list[Gap]:
        """Return what one note asks, the best first."""
        near = self.knowledge.neighbours(row.path, _NEIGHBOURS)
        return gaps_for_note(
            row,
            self._body(row.path),
            self.knowledge.notes.links(row.path),
            near,
            questions,
            never=self._agendas.never_topics(),
            around=self.knowledge.surroundings(row, near),
        )

    def _body(self, path: str) -> str:
        """Return a note's Markdown as its reader sees it; as it was indexed when it is gone."""
        try:
            note = self._adapter.parse(path, self._adapter.load(path))
        except NoteError:
            return self.knowledge.text(path)
        lines = note.text.split("\n")
        numbers = range(note.body_line, len(lines))
        return "\n".join(lines[number] for number in numbers if number not in note.silent)

    def for_topics(
        self, topics: Sequence[str], now: datetime, manner: Manner, *, also: Also = _nothing_else
    ) -> Agenda:
        """Plan what was asked on the command line. Raises LacunaError for empty topics."""
        gaps = [_asked(topic) for topic in topics if topic.strip()]
        agenda = self._write(gaps, now, manner, trigger="command", also=also)
        if agenda is None:
            raise LacunaError("nothing to research: give a topic")
        return agenda

    def for_gaps(
        self,
        gaps: Sequence[Gap],
        now: datetime,
        manner: Manner,
        *,
        trigger: str,
        also: Also = _nothing_else,
    ) -> Agenda | None:
        """Plan what the user asked for in so many words; None for nothing."""
        return self._write(gaps, now, manner, trigger=trigger, also=also)

    def for_tagged(self, now: datetime, manner: Manner) -> list[Agenda]:
        """Propose for every note that asks for research anew, and remember what it says now.

        That one has fired is kept together with its agenda: whatever ends the work in between, it
        neither fires twice nor never. A note that was moved and edited has not been tagged anew.
        What a note asked for before, and no longer does, is cancelled unless it was approved or has
        begun. At most so many agendas wait at once; further notes have their turn when these end.
        """
        self._wishes.begin()
        asked = self._wishes.look()
        for path in (*asked.withdrawn, *asked.fired):
            self._withdraw(path, now)
        free, machines = self._free(), self.machines
        if machines is not None:
            asked = asked.without(lambda path, wish: machines.is_taken(path, wish, now))
            free = 0 if machines.standby(now) else free
        agendas, later = [], asked.fired
        while later and free > 0:
            path, *rest = later
            agenda = self._for_wish(asked.rows[path], asked.current[path], now, manner)
            agendas += [agenda] if agenda is not None else []
            free -= agenda is not None and agenda.status in OPEN
            later = tuple(rest)
        if later and later != self._later:
            leader = machines.standby(now) if machines is not None else ""
            why = leader or f"{self._wishes.most} wait already"
            _log.info("%s more ask for research: %s", len(later), why)
        self._later = later
        self._wishes.keep(asked, later)
        return agendas

    def queue(self, now: datetime) -> Queue:
        """Return what is going to run, in its order, and the notes that have no place in it yet."""
        asked = self._wishes.look().fired
        is_full = self._free() <= 0
        waiting = places(self._agendas.open(), now, self.knowledge.titles())
        return Queue(waiting, asked, self._wishes.most, is_full)

    def _free(self) -> int:
        """How many more notes may have a place in the queue."""
        return self._wishes.most - sum(map(_is_of_tagged, self._agendas.open()))

    def _withdraw(self, note: str, now: datetime) -> None:
        """Cancel what a note asked for that nobody approved and that has not begun."""
        for agenda in self._agendas.open():
            is_ahead = agenda.status in (AgendaStatus.PROPOSED, AgendaStatus.WAITING)
            if agenda.note == note and is_ahead and _is_of_tagged(agenda):
                self._keep(replace(agenda, status=AgendaStatus.CANCELLED), now)

    def read(self, now: datetime) -> None:
        """Take what the user did to the agendas that have not run yet.

        One whose note is gone is cancelled when its time has come: until then a sync may still be
        bringing it back.
        """
        present = self.knowledge.written_by_us()
        for agenda in self._agendas.open():
            if agenda.path is None:
                continue
            agenda = replace(agenda, path=present.get(agenda.id, agenda.path))  # noqa: PLW2901
            text = self._inbox.read(agenda.path or "")
            if text is None and agenda.id in present:  # it was moved out: there it is only read
                text = self._text_outside(present[agenda.id])
            if text is None and not self._agendas.is_written(agenda.id):
                continue  # it is not gone, it was never there
            is_due = agenda.status is AgendaStatus.APPROVED or (
                agenda.runs_at is not None and agenda.runs_at <= now
            )
            if text is None and not is_due:
                continue
            read = _without_nothing_left(read_agenda(text, agenda))
            if read != self._agendas.get(agenda.id):
                self._keep(read, now)

    def give_way(self, now: datetime) -> None:
        """Cancel agendas for what another machine researches. Not while one of them runs here."""
        for agenda in self._agendas.open():
            other = self.machines.gives_way(agenda) if self.machines is not None else ""
            if other:
                cancelled = replace(agenda, status=AgendaStatus.CANCELLED)
                self.mark(cancelled, outcome=f"{inert_line(other)} researches this.")
                _log.info("%s: cancelled: %s researches this", agenda.path or agenda.id, other)

    def _text_outside(self, path: str) -> str | None:
        try:
            return self._adapter.load(path).decode("utf-8", errors="replace")
        except NoteError:
            return None

    def decide(self, ref: str, status: AgendaStatus, now: datetime) -> Agenda:
        """Approve or cancel an agenda by (the beginning of) its id. Raises LacunaError."""
        agenda = self.find(ref)
        if agenda.status not in _MAY_BECOME[status]:
            raise LacunaError(f"agenda {agenda.id} is {agenda.status}; it cannot become {status}")
        decided = replace(as_new(agenda), status=status)
        self._keep(decided, now)
        return decided

    def find(self, ref: str) -> Agenda:
        """Return one agenda by (the beginning of) its id, path or name. Raises LacunaError."""
        found = [agenda for agenda in self._agendas.all() if _is_meant(agenda, ref)]
        if len(found) != 1:
            problem = "no such agenda" if not found else f"{len(found)} agendas fit"
            raise LacunaError(f"{ref}: {problem}; `lacuna agenda` shows them")
        return found[0]

    def rests(self, now: datetime) -> list[Rest]:
        """Return the topics that are not proposed at `now`, why, and until when."""
        return rests(self._agendas, self._findings, now)

    def restore(self, topic: str, now: datetime) -> None:
        """Let a topic be proposed again. Raises LacunaError when nothing keeps it from that."""
        kept = {topic_key(rest.topic): rest.topic for rest in self.rests(now)}
        key = topic_key(topic)
        if key not in kept:
            near = get_close_matches(key, kept, n=1)
            hint = f"; did you mean {kept[near[0]]}?" if near else "; `lacuna topics` lists those"
            raise LacunaError(f"{topic}: nothing keeps it from being suggested{hint}")
        self._agendas.topics.restore(topic, at=now)

    def never_suggest(self, topic: str, now: datetime) -> None:
        """Keep a topic from being proposed. Raises LacunaError for one without words."""
        if not topic_key(topic):
            raise LacunaError(f"{topic!r} is no topic: it has no word in it")
        self._agendas.never_suggest(topic, at=now, by="you")

    def due(self, now: datetime) -> list[Agenda]:
        """Return what is to run now: first what was interrupted, then what has come due."""
        return [*self._agendas.running(), *self._agendas.due(now)]

    def mark(self, agenda: Agenda, *, digest: str = "", outcome: str = "") -> Agenda:
        """Keep an agenda's new status, in its note too, and what came of it or where that is."""
        link = self.knowledge.linker()(digest) if digest else ""
        told = partial(rewrite, agenda=agenda, tz=self._tz, digest=link, outcome=outcome)
        self._inbox.update_agenda(agenda, told)
        return agenda

    def _keep(self, agenda: Agenda, now: datetime) -> None:
        never = [task.topic for task in agenda.tasks if task.choice is Choice.NEVER]
        self._agendas.never_instead(never, at=now, by=agenda.id)
        self.mark(agenda)
        _log.info("%s: %s", agenda.path or agenda.id, agenda.status)

    def for_row(
        self,
        row: NoteRow,
        now: datetime,
        manner: Manner,
        *,
        trigger: str,
        also: Also = _nothing_else,
    ) -> Agenda | None:
        """Propose for a note as its own properties say: its questions, its depth, its sources."""
        wish = wants(row.frontmatter.get("research"))  # whatever the tag says, these are asked
        own, remarks = _own_manner(manner, row.frontmatter)
        trigger = "; ".join((trigger, *remarks))
        if own is None:
            return self._refuse(row, now, manner, trigger=trigger, also=also)
        asked = questions(wish) if wish is not None else ()
        return self.for_note(row, now, own, trigger=trigger, questions=asked, also=also)

    def _for_wish(self, row: NoteRow, wish: str, now: datetime, manner: Manner) -> Agenda | None:
        trigger = f"{_TAGGED}{row.title}"
        fired = partial(self._wishes.fired, row.path, wish)
        manner = replace(manner, claims=(row.path, wish))
        return self.for_row(row, now, manner, trigger=trigger, also=lambda _: fired())

    def _refuse(
        self, row: NoteRow, now: datetime, manner: Manner, *, trigger: str, also: Also
    ) -> Agenda:
        """Write an agenda that says why nothing is asked: other sources were not allowed."""
        agenda = replace(
            plan(
                [],
                sources=(),
                now=now,
                trigger=trigger,
                approval=manner.approval,
                window=manner.window,
                depth=manner.depth,
                note=row.path,
            ),
            status=AgendaStatus.CANCELLED,
        )
        return self._put(agenda, manner, also)

    def _write(
        self,
        gaps: Sequence[Gap],
        now: datetime,
        manner: Manner,
        *,
        trigger: str,
        note: str | None = None,
        also: Also,
    ) -> Agenda | None:
        if not gaps:
            return None
        agenda = plan(
            gaps,
            sources=self._to_ask(manner),
            now=now,
            trigger=trigger,
            approval=manner.approval,
            window=manner.window,
            depth=manner.depth,
            note=note,
        )
        follow = tuple(name for name in manner.sources if self._is_index(name))
        agenda = replace(
            agenda,
            follow=follow,
            schedule=manner.schedule,
            max_findings=manner.max_findings,
            done_by=manner.done_by,
            caps=manner.caps,
        )
        return self._put(agenda, manner, also)

    def _put(self, agenda: Agenda, manner: Manner, also: Also) -> Agenda:
        if manner.has_note and self.machines is not None:
            agenda = self.machines.signed(agenda, *manner.claims)
        both = partial(also, agenda.id)
        if manner.has_note:
            text = agenda_text(agenda, link=self.knowledge.linker(), tz=self._tz)
            taken = self.knowledge.paths()
            agenda = self._inbox.write_agenda(agenda, text, taken=taken, also=both)
        else:
            self._agendas.keep(agenda, both)
        self.announce.proposed(agenda, agenda.created_at)
        return agenda

    def _to_ask(self, manner: Manner) -> Sequence[Profile] | Sequence[str]:
        known = [self._profiles[name] for name in manner.sources if name in self._profiles]
        return manner.sources if manner.named or not known else known

    def _is_index(self, name: str) -> bool:
        return name in self._profiles and self._profiles[name].is_index


def _is_of_tagged(agenda: Agenda) -> bool:
    return agenda.trigger.startswith(_TAGGED)


def _is_meant(agenda: Agenda, ref: str) -> bool:
    path = agenda.path or ""
    if ref and ref in (agenda.id, path, path.rpartition("/")[2], note_name(path)):
        return True
    begun = ref if ref.startswith("a-") else f"a-{ref}"
    return len(begun) >= _REF_MIN and agenda.id.startswith(begun)


def _without_nothing_left(agenda: Agenda) -> Agenda:
    """An agenda of which every task was vetoed is cancelled."""
    if agenda.status is AgendaStatus.RUNNING or any(
        task.choice is Choice.WANTED for task in agenda.tasks
    ):
        return agenda
    return replace(agenda, status=AgendaStatus.CANCELLED)


def _asked(topic: str) -> Gap:
    return Gap(
        kind=GapKind.GAP,
        shape=GapShape.ASKED,
        topic=" ".join(topic.split()),
        notes=(),
        why="you asked",
        score=1.0,
        parts={"asked": 1.0},
    )


def _own_manner(manner: Manner, frontmatter: Mapping[str, Any]) -> tuple[Manner | None, list[str]]:
    """Apply `research_depth` and `research_sources`; return what of them made no sense, in words.

    The manner is None when no source named there is on: a note that is limited to certain sources
    is never sent to others.
    """
    remarks = []
    depth, wanted = frontmatter.get("research_depth"), frontmatter.get("research_sources")
    if isinstance(depth, str) and depth.strip().casefold() in tuple(Depth):
        manner = replace(manner, depth=Depth(depth.strip().casefold()))
    elif depth is not None:
        known = " or ".join((", ".join(list(Depth)[:-1]), list(Depth)[-1]))
        remarks.append(f"research_depth: {str(depth)[:40]!r} is not {known}")
    if wanted is None or manner.named:
        return manner, remarks
    names = list(dict.fromkeys(str(name).strip().casefold() for name in _listed(wanted)))
    chosen = tuple(name for name in manner.sources if name in names)
    there_are = ", ".join(manner.sources) or "none"
    if not chosen:
        return None, [*remarks, f"research_sources names none that is on ({there_are})"]
    if off := [name[:40] for name in names if name not in chosen]:
        remarks.append(f"research_sources: not on: {', '.join(off)}")
    return replace(manner, sources=chosen, named=True), remarks


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
