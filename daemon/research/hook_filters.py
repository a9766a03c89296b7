"""Where the user's hooks may remove something from a run.

They see the data and answer what to exclude; the answers are stored in the run's folder, from which
a resumed run, and a replay, read them. No answer becomes evidence.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.model.agenda import Agenda, Choice, Depth, Task
from daemon.model.errors import HookError, StoppedError
from daemon.model.evidence import Document, Flag
from daemon.model.finding import Finding, Skip
from daemon.model.hook_event import HookEvent, Verdict
from daemon.ports import Hook, Hooks
from daemon.research import hook_bodies as bodies
from daemon.research.dedup import Offer
from daemon.research.hook_answers import Dropping, Planning, Reading, line, understood
from daemon.store.evidence import RunFolder

_log = logging.getLogger(__name__)

ANSWERS, CITATIONS = "answers", "citations"  # results of sources, and documents along citations
_CHOICE, _ALL = "choice", "*"
NOT_CHOSEN = "you did not choose it"
_FAILED = "a hook failed"
_DEPTHS = list(Depth)
_Failed = Callable[[str, str], None]
IsOver = Callable[[], bool]  # whether nobody waits for an answer any more


def hits_of(task: str, phase: str) -> str:
    """Return the key of the moment at which the results for a task are filtered."""
    return f"{HookEvent.POST_DISCOVER} {task} {phase}"


def reading_of(document: str) -> str:
    """Return the key under which the hook calls for a document are stored."""
    return f"{HookEvent.POST_EXTRACT} {document}"


def keep_choice(task: str, folder: RunFolder, refs: Iterable[str] | None) -> None:
    """Keep which offers for a task the user wants read; None for all, and what follows of them."""
    chosen = [_ALL] if refs is None else refs
    folder.hooks.keep(hits_of(task, _CHOICE), Verdict(notes=dict.fromkeys(chosen, "chosen")))


def chosen_of(task: str, folder: RunFolder) -> frozenset[str] | None:
    """Return the offers for a task that the user chose; None when all may be read."""
    kept = folder.hooks.get(hits_of(task, _CHOICE))
    return None if kept is None or _ALL in kept.notes else frozenset(kept.notes)


def left_by_hooks(offers: Sequence[Offer], task: str, folder: RunFolder) -> list[Offer]:
    """Return the offers that no hook removed from the run, whatever the user chose."""
    dropped = folder.hooks.dropped(hits_of(task, ANSWERS), hits_of(task, CITATIONS))
    return [offer for offer in offers if offer.ref not in dropped]


def left_in(offers: Sequence[Offer], task: str, folder: RunFolder) -> list[Offer]:
    """Return the offers that no hook took out of the run, and that the user chose."""
    chosen = chosen_of(task, folder)
    left = left_by_hooks(offers, task, folder)
    return left if chosen is None else [offer for offer in left if offer.ref in chosen]


def hook_excluded(offers: Sequence[Offer], task: str, folder: RunFolder) -> list[Skip]:
    """Return why each of the other offers was removed."""
    dropped = folder.hooks.dropped(hits_of(task, ANSWERS), hits_of(task, CITATIONS))
    chosen = chosen_of(task, folder)
    if chosen is not None:
        others = (offer.ref for offer in offers if offer.ref not in chosen)
        dropped = {**dict.fromkeys(others, NOT_CHOSEN), **dropped}
    return [
        Skip(offer.hit.title, offer.hit.url, dropped[offer.ref])
        for offer in offers
        if offer.ref in dropped
    ]


@dataclass(frozen=True, slots=True)
class Filters:
    """The hooks of one run. If a hook fails, its input is kept or removed, as configured.

    `failed` is called with each failure: which hook, and why.
    """

    hooks: Hooks
    leaves_out: bool = False
    failed: _Failed = lambda _hook, _why: None

    def has(self, event: HookEvent) -> bool:
        return bool(self.hooks.for_event(event))

    def plan(self, agenda: Agenda, run: str, is_over: IsOver) -> tuple[Agenda, Verdict]:
        """Run `pre_research`; return the remaining agenda. Raises StoppedError."""
        wanted = [task for task in agenda.tasks if task.choice is Choice.WANTED]
        remarks: list[str] = []
        for hook in self.hooks.for_event(HookEvent.PRE_RESEARCH):
            try:
                answer = _planned(hook, bodies.research(agenda, wanted, run), is_over)
                agenda, wanted = _narrow_plan(agenda, wanted, answer, hook.name, remarks)
            except HookError as error:
                remarks.append(self._report(HookEvent.PRE_RESEARCH, hook, error))
                wanted = [] if self.leaves_out else wanted
        rest = [task for task in agenda.tasks if task.choice is not Choice.WANTED]
        return replace(agenda, tasks=(*wanted, *rest)), Verdict(remarks=tuple(remarks))

    def hits(self, task: Task, offers: Sequence[Offer], run: str, is_over: IsOver) -> Verdict:
        """Run `post_discover` on the results for a task. Raises StoppedError."""
        left = {offer.ref: bodies.hit(offer) for offer in offers}
        context = {"run": run, "task": bodies.task(task)}
        return self._left(HookEvent.POST_DISCOVER, "hits", left, context, is_over)

    def findings(self, findings: Sequence[Finding], run: str, is_over: IsOver) -> Verdict:
        """Run `post_synthesize` on the findings. Raises StoppedError."""
        left = {finding.id: bodies.finding(finding) for finding in findings}
        return self._left(HookEvent.POST_SYNTHESIZE, "findings", left, {"run": run}, is_over)

    def document(
        self, document: Document, flags: Sequence[Flag], run: str, is_over: IsOver
    ) -> Verdict:
        """Run `post_extract` on one document. Raises StoppedError."""
        body = {"run": run, "document": bodies.document(document, flags)}
        notes: list[str] = []
        remarks: list[str] = []
        for hook in self.hooks.for_event(HookEvent.POST_EXTRACT):
            try:
                answer = understood(Reading, _ask(hook, body, is_over))
            except HookError as error:
                remarks.append(self._report(HookEvent.POST_EXTRACT, hook, error))
                answer = Reading(drop=self.leaves_out, why=_FAILED)
            if answer.drop:
                why = _why(hook, answer.why)
                return Verdict(dropped={document.id: why}, remarks=tuple(dict.fromkeys(remarks)))
            if note := line(answer.note):
                notes.append(f"your hook {hook.name} says: {note}")
        together = {document.id: "; ".join(notes)} if notes else {}
        return Verdict(notes=together, remarks=tuple(dict.fromkeys(remarks)))

    def search(self, query: str, sources: Sequence[str], is_over: IsOver) -> Verdict:
        """Run `pre_search` on the sources of a search. Raises StoppedError."""
        left: dict[str, dict[str, object]] = {name: {"id": name} for name in sources}
        return self._left(HookEvent.PRE_SEARCH, "sources", left, {"query": query}, is_over)

    def results(self, query: str, offers: Sequence[Offer], is_over: IsOver) -> Verdict:
        """Run `post_search` on the results of a search. Raises StoppedError."""
        left = {offer.ref: bodies.hit(offer) for offer in offers}
        return self._left(HookEvent.POST_SEARCH, "results", left, {"query": query}, is_over)

    def inputs(self, inputs: Sequence[str], is_over: IsOver) -> Verdict:
        """Run `pre_ingest` on the inputs of an ingest. Raises StoppedError."""
        left: dict[str, dict[str, object]] = {each: {"id": each} for each in inputs}
        return self._left(HookEvent.PRE_INGEST, "inputs", left, {}, is_over)

    def _left(
        self,
        event: HookEvent,
        kind: str,
        left: dict[str, dict[str, object]],
        context: Mapping[str, object],
        is_over: IsOver,
    ) -> Verdict:
        """Run every hook of `event` on the remaining items, by id, and return what to remove."""
        dropped: dict[str, str] = {}
        remarks: list[str] = []
        for hook in self.hooks.for_event(event) if left else ():
            try:
                answer = _ask(hook, {**context, kind: list(left.values())}, is_over)
                drops = understood(Dropping, answer).drop
                _check_ids([drop.id for drop in drops], left)
                reasons = {drop.id: drop.why for drop in drops}
            except HookError as error:
                remarks.append(self._report(event, hook, error))
                reasons = dict.fromkeys(left, _FAILED) if self.leaves_out else {}
            for id_, why in reasons.items():
                dropped[id_] = _why(hook, why)
                del left[id_]
        return Verdict(dropped=dropped, remarks=tuple(remarks))

    def _report(self, event: HookEvent, hook: Hook, error: HookError) -> str:
        """Report a failed hook, and return the line for the digest."""
        _log.warning("hook %s %s: %s", event, hook.name, error)
        self.failed(f"{event} {hook.name}", str(error))
        then = "what it was asked about was excluded" if self.leaves_out else "it had no say"
        return f"{event} {hook.name} failed: {line(str(error), 300)}; {then}"


def _ask(hook: Hook, body: Mapping[str, object], is_over: IsOver) -> dict[str, object]:
    """Run one hook. A stop of the run ends the waiting, and is not the hook's fault."""
    try:
        return hook.ask(body, is_over)
    except HookError:
        if is_over():
            raise StoppedError("stopped; not waiting for hooks any longer") from None
        raise


def _planned(hook: Hook, body: Mapping[str, object], is_over: IsOver) -> Planning:
    return understood(Planning, _ask(hook, body, is_over))


def _narrow_plan(
    agenda: Agenda, tasks: Sequence[Task], planning: Planning, name: str, remarks: list[str]
) -> tuple[Agenda, list[Task]]:
    """Apply the answer of `pre_research`, all of it or nothing. Raises HookError."""
    _check_ids([*(drop.id for drop in planning.drop), *(change.id for change in planning.change)],
               [task.id for task in tasks])  # fmt: skip
    if planning.depth is not None and _DEPTHS.index(planning.depth) > _DEPTHS.index(agenda.depth):
        raise HookError(f"its answer asks for depth {planning.depth}; {agenda.depth} was approved")
    changed = {task.id: task for task in tasks}
    new: list[str] = []
    for change in planning.change:
        changed[change.id] = _narrowed(changed[change.id], change.query, change.sources, name, new)
    for drop in {drop.id: drop for drop in planning.drop}.values():
        task = changed.pop(drop.id)
        new.append(f"{HookEvent.PRE_RESEARCH}: {_why(name, drop.why)}: “{task.topic}”")
    if planning.depth not in (None, agenda.depth):
        new.append(f"{HookEvent.PRE_RESEARCH} {name} made it {planning.depth}, not {agenda.depth}")
    remarks += new
    return replace(agenda, depth=planning.depth or agenda.depth), list(changed.values())


def _narrowed(
    task: Task, query: str | None, sources: Sequence[str] | None, name: str, remarks: list[str]
) -> Task:
    """Use fewer sources, or fewer words. Raises HookError for anything that was not approved."""
    narrowed = task
    if query is not None:
        words = line(query, 1000).split()
        if not words or not {*map(str.casefold, words)} <= {*task.query.casefold().split()}:
            raise HookError(
                f"its reply must shorten the query for “{task.topic}”: other words are not approved"
            )
        narrowed = replace(narrowed, query=" ".join(words))
        if narrowed.query != task.query:
            remarks.append(
                f"{HookEvent.PRE_RESEARCH} {name} shortened “{task.query}” to “{narrowed.query}”"
            )
    if sources is not None:
        if not sources or not {*sources} <= {*task.sources}:
            raise HookError(f"its reply adds sources that were not approved for “{task.topic}”")
        kept = tuple(source for source in task.sources if source in sources)
        narrowed = replace(narrowed, sources=kept)
        gone = [source for source in task.sources if source not in sources]
        if gone:
            remarks.append(
                f"{HookEvent.PRE_RESEARCH} {name} kept “{task.topic}” from {', '.join(gone)}"
            )
    return narrowed


def _check_ids(ids: Sequence[str], known: Sequence[str] | Mapping[str, object]) -> None:
    """Raises HookError for an answer about an unknown item, or with an item twice."""
    odd = [id_ for id_ in ids if id_ not in known]
    if odd:
        raise HookError(f"its answer names {line(odd[0], 80)!r}, which it was not asked about")


def _why(hook: Hook | str, why: str) -> str:
    name = hook if isinstance(hook, str) else hook.name
    reason = line(why)
    return f"removed by your hook {name}" + (f": {reason}" if reason else "")
