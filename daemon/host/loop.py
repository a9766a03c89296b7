"""The run loop: one thread does all the work, woken by the vault, the clock, commands and signals.

settled changes ─┐
schedules ───────┼─►  one queue  ─►  sync · review · propose · run what is due  ─►  wait
requests ────────┤
signals ─────────┘
"""

import logging
import queue
import signal
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from types import FrameType

from daemon.app import App
from daemon.confinement.confine import Confinement
from daemon.cycle.moved_inbox import moved_line
from daemon.host.due import NEVER, Due, JobDue, Trouble, Wake
from daemon.host.jobs import Jobs
from daemon.host.memory import collect_as_usual, give_back_memory
from daemon.host.processes import Held, memory_held
from daemon.host.reload import Ending, Reload
from daemon.host.sd_notify import notify
from daemon.host.signals import has_terminal, signals
from daemon.host.watchdog import Watchdog, watchdog_seconds
from daemon.model.agenda import Agenda
from daemon.model.errors import (
    CorruptStoreError,
    LacunaError,
    StoppedError,
    StoreError,
    UnreadableStoreError,
)
from daemon.model.errors import VaultError as WritingError
from daemon.ports import Stop
from daemon.request import SLOW, fulfil
from daemon.store.heartbeat import Heartbeat, beat, last_beat
from daemon.store.requests import Request, RequestState
from scheduler.conditions import Network, Surroundings
from scheduler.engine import local_zone
from vault_adapters import better_adapter
from vault_adapters.base import VaultError
from vault_adapters.watch import Watcher

_log = logging.getLogger(__name__)

_TICK_SECONDS = 1.0  # how soon a command's request and an agenda's hour are noticed
_RETRY = timedelta(minutes=1)  # after which a part that failed is tried again
_DISK_TRIES = 3  # turns, about a second apart, before the process ends and is started again
_LONGEST_RETRY = timedelta(hours=1)
_EMBED_SECONDS = 0.5  # that embedding is waited for before other work has its turn
_BEAT = timedelta(minutes=1)  # how often a sign of life is left, and the watcher looked at
_LOOK_THROUGH = timedelta(hours=6)  # how often all of the database is read: it takes a few seconds
_LOOK_FOR_TOOL = timedelta(seconds=5)  # how often it is seen whose vault this is
_LOOK_FOR_NETWORK = timedelta(minutes=1)  # how often, while something waits for it
_LOOK_FOR_MACHINES = timedelta(minutes=1)  # how often the notes of other machines are read
_LIBRARY_SCAN = timedelta(minutes=5)  # how often the library's files are compared with its index
_LIBRARY_SECONDS = 1.0  # that its indexing takes at a time
_WORKED_SECONDS = 0.3  # of processor, after which there is memory to be given back
_Clock = Callable[[], datetime]


@dataclass(slots=True)
class Host:
    """Runs one vault until it is told to stop. The caller holds the writer's lock."""

    app: App
    now: _Clock
    stop: Stop = field(default_factory=Stop)
    zone: Callable[[], tzinfo] = local_zone
    confinement: Confinement = field(default_factory=partial(Confinement, "nobody asked for it"))
    reload: Reload | None = None
    watchdog: Watchdog = field(default_factory=lambda: Watchdog(watchdog_seconds()))
    _wakes: queue.SimpleQueue[Wake | JobDue | frozenset[str]] = field(
        default_factory=queue.SimpleQueue
    )
    _due: Due = field(default_factory=Due)
    _troubles: dict[str, Trouble] = field(default_factory=dict)
    _is_watching: bool = True
    _had_terminal: bool = field(default_factory=has_terminal)
    _doing: str = "starting"
    _rested_at: float = 0.0  # seconds of processor used when memory was last given back
    _done_by: datetime | None = None  # when the run that is under way is to end
    _tool: str = ""  # for which a reload was asked
    _unreadable: int = 0  # turns in a row in which the disk failed
    _inbox_at: str = ""  # the folder that the user moved the inbox to
    _reloads: list[int] = field(default_factory=list)  # requests to be answered after a reload
    _jobs: Jobs = field(init=False)

    def __post_init__(self) -> None:
        self._jobs = Jobs(self.app.schedules, self.app.conditions, self.now, self.zone)

    def run(self) -> Ending:
        """Work until SIGTERM or SIGINT; what is under way then goes on at the next start.

        Ends without having been asked to when what confines the process is out of date, or when
        `reload` has another App to go on with.
        """
        ending = Ending.STOPPED
        self.stop.on_check = self._pulse
        engine = self._jobs.engine(lambda name: self._wakes.put(JobDue(name)))
        watcher = self._watcher()
        self.app.inbox.on_write = partial(self._ignore_own, watcher)
        self.app.look_apart()
        with signals(self._on_signal):
            _log.info("looking after %s; state in %s", self.app.adapter.root, self.app.state)
            try:
                watcher.start()  # before the first look: what changes meanwhile is not missed
                self._isolated("requests", self.app.stores.requests.requeue)
                self.app.announce.begin(self.now())
                self._catch_up()
                engine.start()
                self._tell_next()
                collect_as_usual()
                notify("READY=1")
                while not self.stop.asked:
                    if (ending := self._ending()) is not Ending.STOPPED:
                        break
                    self._turn_unless_unreadable()
                    self._look_after(watcher)
                    self._isolated("notices", partial(self.app.delivery.start, self.now()))
                    self._wait()
            finally:
                if ending is not Ending.RELOADED:
                    notify("STOPPING=1")
                engine.stop()
                watcher.stop()
        if ending is Ending.STOPPED:
            _log.info("stopped")
        return ending

    def _mind_the_tool(self) -> None:
        """Have the vault read as that of another tool once it has become one."""
        now = self.now()
        if self.reload is None or now < self._due.tool_at:
            return
        self._due.tool_at = now + _LOOK_FOR_TOOL
        found = better_adapter(self.app.adapter.root, self.app.adapter.name)
        if found not in ("", self._tool):
            self._tool, self.reload.asked = found, True
            _log.info("the vault is one of %s now: reading it as such", found)

    def _ending(self) -> Ending:
        """Say whether the loop has to end, between two turns and so never within a run."""
        if self.confinement.is_stale(time.monotonic()):
            _log.info("the inbox or the state is another folder now: starting anew")
            return Ending.OUT_OF_DATE
        self._mind_the_tool()
        if self.reload is not None and self.reload.asked:
            is_reloaded = self.reload.attempt(self.app, self.now())
            self._isolated("requests", self._answer_reloads)
            if is_reloaded:
                return Ending.RELOADED
            self._due.beat_at = self.now()  # the sign of life says what is wrong
            notify("READY=1")
        return Ending.STOPPED

    def _turn_unless_unreadable(self) -> None:
        """Take a turn; when the disk fails, try again a few times before giving up.

        Raises UnreadableStoreError.
        """
        try:
            self._turn()
        except UnreadableStoreError as error:
            self._unreadable += 1
            if self._unreadable > _DISK_TRIES:
                raise
            _log.warning("%s; trying again", error)
        else:
            self._unreadable = 0

    def _turn(self) -> None:
        """Do whatever is due, each part so that a failure of one leaves the others alone.

        While the vault cannot be read, nothing is concluded from it and nothing is written to it.
        """
        self.app.db.check()
        self._isolated("database", self._look_through)
        self._isolated("retention", partial(self.app.retention.now_and_then, self.now()))
        if not self._catch_up():
            self._isolated("requests", self._refuse_requests)
            return
        self._isolated("machines", self._look_for_machines)
        self._isolated("embedding", self._embed)
        if self._due.review or self.now() >= self._due.review_at:
            self._isolated("reviews", self._review)
        if self.now() >= self._due.settle_at:
            self._isolated("queue", self._settle)
        self._isolated("retries", self._mind_the_network)
        self._isolated("schedules", self._propose_scheduled)
        self._isolated("requests", self._answer_requests)
        self._run_due()
        self._isolated("library", self._index_library)

    def _catch_up(self) -> bool:
        """Have the whole index, then finish what a killed process had begun to write.

        Return whether the index is what the vault is.
        """
        if self.now() >= self._due.reconcile_at:
            self._due.sync = self._due.whole = True
        if self._due.sync:
            self._isolated("sync", self._sync)
        if not self._due.sync and self._due.resume:
            self._isolated("resume", self._resume)
        return not self._due.sync

    def _look_for_machines(self, *, is_running: bool = False) -> None:
        """Learn who leads, leave a heartbeat, and give way where another machine researches."""
        if self.now() < self._due.machines_at:
            return
        self._due.machines_at = self.now() + _LOOK_FOR_MACHINES
        self.app.machines.look(
            self.now(), is_online=lambda: self._jobs.network() is not Network.ABSENT
        )
        if not is_running:
            self.app.proposals.give_way(self.now())

    def _index_library(self) -> None:
        """Index a little of the library; whatever is more urgent has its turn in between."""
        library, now = self.app.library, self.now()
        if library is None or self._is_embedding:
            return
        if now >= self._due.library_at:
            self._due.library_at = now + _LIBRARY_SCAN
            library.scan()
            self._due.library = True
        if not self._due.library:
            return
        self._tell("indexing the library")
        self._due.library = False  # also when what follows fails
        self._due.library = library.step(_LIBRARY_SECONDS, self.stop)
        if not self._due.library:
            self._tell("watching")

    def _look_through(self) -> None:
        """Read all of the database now and then: damage may be where nobody asks for it."""
        now, due_at = self.now(), self._due.look_through_at
        if due_at is None or now >= due_at:
            self._due.look_through_at = now + _LOOK_THROUGH
        if due_at is not None and now >= due_at:
            self.app.db.look_through()

    def _resume(self) -> None:
        for path in self.app.resume(self.now()):
            _log.info("written now: %s", path)
        self._due.resume = False

    def _sync(self) -> None:
        self._tell("indexing")
        among = frozenset() if self._due.whole else frozenset(self._due.told)
        self._due.whole = False  # after a failure the syncer looks at the whole vault by itself
        report = self.app.knowledge.sync(now=self.now(), stop=self.stop, embed=False, among=among)
        self.app.inbox.recognise()
        if not among:
            minutes = timedelta(minutes=self.app.settings.reconcile_minutes)
            self._due.reconcile_at = self.now() + minutes
        self._due.told.clear()
        self._due.sync = False
        self._due.review = self._due.embed = True
        if (embedding := self.app.knowledge.embedding) is not None:
            embedding.begin()
        if report.changed or report.removed or report.renamed:
            _log.info(
                "indexed: %d changed, %d moved, %d removed; %d notes",
                len(report.changed),
                len(report.renamed),
                report.removed,
                report.notes,
            )
        self._tell(f"watching {report.notes} notes")

    def _embed(self) -> bool:
        """Embed in the background; return whether all is embedded. Raises ModelError.

        After an edit it is waited for: what is proposed then knows what the note is about.
        """
        embedding = self.app.knowledge.embedding
        if not self._due.embed or embedding is None:
            return True
        may_start = not embedding.is_long or self._jobs.may_compute("embedding")
        if embedding.total and not embedding.is_busy:
            paused = "" if may_start else " (paused)"
            self._tell(f"embedding {embedding.total} passages{paused}")
        patience = 0.0 if embedding.is_busy else _EMBED_SECONDS
        self._due.embed = not embedding.step(
            patience,
            may_start=may_start,
            on_done=partial(self._wakes.put, Wake.EMBEDDED),
        )
        if not self._due.embed and embedding.done:
            _log.info("embedded %d passages", embedding.done)
            self._tell("watching")
        return not self._due.embed

    @property
    def _is_embedding(self) -> bool:
        """Whether notes are yet to be embedded and can be."""
        return self._due.embed and "embedding" not in self._troubles

    def _review(self) -> None:
        """Take what the user did to our notes, then what the user's notes ask for."""
        self.app.reviews.take(self.now())
        self._due.sync |= self.app.reviews.needs_sync
        self._report_moved_inbox()
        self.app.proposals.read(self.now())
        for agenda in self.app.proposals.for_tagged(self.now(), self.app.tagged):
            _log.info("proposed %s: %s", agenda.path, agenda.trigger)
        self.app.tidy.tidy(self.now())
        self._due.review = False
        self._due.review_at = self.app.reviews.next_at(self.now()) or NEVER

    def _report_moved_inbox(self) -> None:
        """Report that the inbox folder was moved, until it is back or the setting follows."""
        place, folder = self.app.reviews.moved_inbox(), self.app.settings.inbox
        if place == self._inbox_at:
            return
        self._inbox_at = place
        if not place:
            _log.info("the inbox is in its folder again")
            self.app.announce.well_again("inbox", self.now())
            return
        line = moved_line(folder, place)
        _log.warning("%s", line)
        self.app.announce.trouble("inbox", line, self.now())

    def _propose_scheduled(self) -> None:
        """Do what one schedule is there for; the next one has its turn when that is done.

        What the vault lacks is only known once its notes are embedded.
        """
        if self._is_embedding:
            return
        for name in self._jobs.ready():
            if self._may_try(f"schedule {name}"):
                self._isolated(f"schedule {name}", partial(self._propose_for, name))
                return

    def _settle(self) -> None:
        """Have the queue note, ticked with what the night brought, and the briefing of it."""
        now = self.now()
        is_done = self.app.schedules.settle(now)
        self._due.settle_at = NEVER if is_done else now + _RETRY

    def _propose_for(self, name: str) -> None:
        agenda = self.app.schedules.run(name, self.now(), self.zone())
        _log.info("%s: %s", name, agenda.path if agenda else "nothing to propose")

    def _refuse_requests(self) -> None:
        """Tell whoever asks what stands in the way."""
        requests, trouble = self.app.stores.requests, self._troubles.get("sync")
        while trouble is not None and (request := requests.take()) is not None:
            requests.answer(request.id, RequestState.FAILED, {"error": trouble.line})

    def _answer_requests(self, besides: Collection[str] = ()) -> None:
        requests = self.app.stores.requests
        while not self.stop.asked and (request := requests.take(besides)) is not None:
            self._answer(request)

    def _run_due(self) -> None:
        """Run one agenda that is due; what was said of the others meanwhile counts for them."""
        if not any(map(self._jobs.may_run, self.app.proposals.due(self.now()))):
            return
        # A veto of this very minute counts, and so does an agenda of another machine.
        self._isolated("agendas", partial(self.app.proposals.read, self.now()))
        self._isolated("machines", partial(self.app.proposals.give_way, self.now()))
        for agenda in self.app.proposals.due(self.now()):
            if self._may_try(f"run {agenda.id}") and self._jobs.may_run(agenda):
                self._isolated(f"run {agenda.id}", partial(self._run, agenda))
                return

    def _run(self, agenda: Agenda) -> None:
        self._tell(f"researching {agenda.trigger}")
        self._done_by = agenda.done_by
        self._mind_the_hour()
        try:
            ran = self.app.runs.run(
                agenda, now=self.now(), stop=self.stop, meanwhile=self._meanwhile
            )
        finally:
            self._done_by, self.stop.enough, self.stop.why = None, False, ""
            self._due.settle_at = self.now()
        told = {"run": ran.run, "findings": len(ran.findings), "left_out": len(ran.skips)}
        if not ran.unreached:
            _log.info("researched %s: %d findings", agenda.path, len(ran.findings), extra=told)
        self._due.sync = True  # what was written is seen; and one more note may have its turn
        self._tell("watching")

    def _mind_the_network(self) -> None:
        """Try at once what could not reach its sources, when the network is back."""
        if self.now() < self._due.network_at or not self.app.retries.are_due_for_a_look():
            return
        self._due.network_at = self.now() + _LOOK_FOR_NETWORK
        for agenda in self.app.retries.mind(self._jobs.network(), self.now()):
            _log.info("%s: the network is back", agenda.path or agenda.id)

    def _mind_the_hour(self) -> None:
        """Let a run that is to be done by now end with what it has."""
        if self._done_by is not None and self.now() >= self._done_by:
            self.stop.enough = True
            self.stop.why = f"it was to be done by {self._done_by.astimezone(self.zone()):%H:%M}"

    def _meanwhile(self) -> None:
        """While a run waits for the outside: take up edits, tags and what is quickly answered."""
        self._mind_the_hour()
        self._take_wake(timeout=0)
        self.app.db.check()
        if not self._catch_up():
            return
        self._isolated("machines", partial(self._look_for_machines, is_running=True))
        self._isolated("embedding", self._embed)
        if self._due.review:
            self._isolated("reviews", self._review)
        if self.now() >= self._due.requests_at:
            self._due.requests_at = self.now() + timedelta(seconds=_TICK_SECONDS)
            self._isolated("requests", partial(self._answer_requests, besides=SLOW))

    def _answer_reloads(self) -> None:
        """Say to whoever asked for a reload what came of it."""
        asked, self._reloads = self._reloads, []
        trouble = self.reload.trouble if self.reload is not None else "it cannot reload"
        state = RequestState.FAILED if trouble else RequestState.DONE
        for id_ in asked:
            self.app.stores.requests.answer(id_, state, {"error": trouble} if trouble else {})

    def _answer(self, request: Request) -> None:
        """Carry out what was asked; what goes wrong with it is told to the asker."""
        if request.kind == "reload":  # between two turns: see `_ending`
            self._reloads.append(request.id)
            if self.reload is None:
                self._answer_reloads()
            else:
                self.reload.asked = True
            return

        def progress(done: int, total: int, what: str) -> None:
            self.app.stores.requests.tell(request.id, {"progress": [done, total, what]})

        try:
            fulfil(
                request,
                self.app,
                now=self.now(),
                stop=self.stop,
                progress=progress,
                meanwhile=self._meanwhile,
            )
        except (StoppedError, StoreError):
            raise
        except (LacunaError, VaultError) as error:
            _log.info("%s: %s", request.kind, error)

    def _isolated(self, name: str, part: Callable[[], object]) -> None:
        """Run one part; what goes wrong is one line in the log, and is tried again in a while.

        A part that returns False has yet to succeed. A corrupt database goes through: nothing can
        go on with it.
        """
        if self.stop.asked or not self._may_try(name):
            return
        try:
            is_done = part() is not False
        except StoppedError as error:
            _log.info("%s", error)
        except (CorruptStoreError, UnreadableStoreError):
            raise
        except (LacunaError, VaultError) as error:
            is_news = all(known.line != str(error) for known in self._troubles.values())
            before = self._troubles.get(name)
            tries = before.tries + 1 if before is not None else 1
            retry_at = self.now() + (_backoff(tries) if name == "embedding" else _RETRY)
            self._troubles[name] = Trouble(str(error), retry_at, tries)
            _log.log(logging.ERROR if is_news else logging.DEBUG, "%s", error)
            self.app.announce.trouble(name, str(error), self.now(), is_news=is_news)
            # The vault may be another one now: look at it before anything else is tried.
            is_vault = isinstance(error, VaultError | WritingError)
            self._due.sync |= is_vault
            self._due.whole |= is_vault
            self._due.resume |= isinstance(error, StoreError | VaultError | WritingError)
        else:
            if is_done and self._troubles.pop(name, None) is not None:
                _log.info("all is well again with the %s", name)
                self.app.announce.well_again(name, self.now())

    def _may_try(self, name: str) -> bool:
        trouble = self._troubles.get(name)
        return trouble is None or self.now() >= trouble.retry_at

    def _tell(self, doing: str) -> None:
        self._doing = doing
        notify(f"STATUS={doing}")

    def _wait(self) -> None:
        """Sleep until something happens or the next tick."""
        if self.app.embedder.pid is None:
            self.app.vectors.unload()  # nothing is searched by meaning without the child
        if time.process_time() - self._rested_at > _WORKED_SECONDS:
            give_back_memory()
            self._rested_at = time.process_time()
        self._take_wake(timeout=0 if self._due.library else _TICK_SECONDS)

    def _take_wake(self, timeout: float) -> None:
        self.watchdog.step()
        with suppress(queue.Empty):
            wake = self._wakes.get(timeout=timeout)
            while True:  # all that was told of meanwhile is one thing to do
                if isinstance(wake, JobDue):
                    self._jobs.take(wake.name)
                if isinstance(wake, frozenset):
                    self._due.told |= wake
                    self._due.sync = True
                wake = self._wakes.get_nowait()

    def _look_after(self, watcher: Watcher) -> None:
        """Start a watcher that died again, and leave a sign of life for `lacuna status`."""
        if self.now() < self._due.beat_at:
            return
        self._due.beat_at = self.now() + _BEAT
        if not watcher.alive:
            self._revive(watcher)
        held = memory_held() or Held(0, 0, 0)
        sign = Heartbeat(
            self.now(),
            watcher.alive,
            watcher.polling,
            self._doing,
            unconfined=self.confinement.why_not,
            not_reloaded=self.reload.trouble if self.reload else "",
            reloaded_at=self.reload.reloaded_at if self.reload else None,
            memory=held.own,
            children=held.children_count,
            children_memory=held.children,
        )
        self._isolated("sign of life", partial(beat, self.app.state, sign))

    def _pulse(self) -> None:
        """Show that work that takes long gets on, to systemd and to `lacuna status`."""
        self.watchdog.step()
        now = self.now()
        if now < self._due.pulse_at:
            return
        self._due.pulse_at = now + _BEAT
        last = last_beat(self.app.state) or Heartbeat(now, watching=True, polling="", doing="")
        with suppress(StoreError):
            beat(self.app.state, replace(last, beat_at=now, doing=self._doing))

    def _revive(self, watcher: Watcher) -> None:
        """Begin to watch anew, and look at what went unwatched; say so once, not at each try."""
        watcher.stop()
        try:
            watcher.start()
        except OSError as error:
            if self._is_watching:
                _log.error("the vault cannot be watched: %s", error)
            self._is_watching = False
            return
        _log.warning("watching had stopped; it was begun anew")
        self._is_watching = self._due.sync = self._due.whole = True

    def _ignore_own(self, watcher: Watcher, path: str, content_hash: str) -> None:
        """What we write ourselves wakes nobody, but the next look has to see it."""
        watcher.ignore_own(path, content_hash)
        self._due.whole = True

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        # A terminal that is closed says so with the very signal that else means to read settings.
        is_left = self._had_terminal and not has_terminal()
        if number == signal.SIGHUP and not is_left:
            if self.reload is not None:
                self.reload.asked = True
            self._wakes.put(Wake.RELOAD)
            return
        self.stop.asked = True
        self.app.interrupt()
        self._wakes.put(Wake.STOP)

    def _watcher(self) -> Watcher:
        return Watcher(
            self.app.adapter.root,
            self.app.adapter.ignores,
            self._wakes.put,
            settle_seconds=self.app.settings.settle_seconds,
            knows=self._knows,
        )

    def _knows(self, path: str) -> bool:
        """Whether the index holds a path; called on the watcher's thread."""
        try:
            return self.app.stores.notes.get(path) is not None
        except StoreError:
            return True  # comparing the whole vault finds out

    def _tell_next(self) -> None:
        zone, now = self.zone(), self.now()
        for each in self.app.schedules.standings(now, zone, Surroundings()):
            at = each.next_at.astimezone(zone)
            _log.info("next %s run: %s", each.plan.name, f"{at:%A %Y-%m-%d %H:%M}")


def _backoff(tries: int) -> timedelta:
    """Return how long to wait after so many failures: twice as long after each, up to an hour."""
    return min(_RETRY * (1 << min(tries - 1, 10)), _LONGEST_RETRY)
