"""What a run's folder holds, as evidence: each document once, with the tasks it was found for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from daemon.model.agenda import Agenda, Task
from daemon.model.evidence import Document, Flag
from daemon.model.finding import Skip
from daemon.research.dedup import Offer, all_keys, merge
from daemon.research.gather import to_fetch, wanted
from daemon.research.recall import Recall
from daemon.store.evidence import Kept, RunFolder

OFFERED_BEFORE = "offered in an earlier run"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Documents by id, in the order in which they were found; `tasks` is task id → document ids.

    `flags` are what screening saw, by document id.
    """

    agenda: Agenda
    documents: Mapping[str, Document]
    flags: Mapping[str, tuple[Flag, ...]]
    tasks: Mapping[str, tuple[str, ...]]
    skips: tuple[Skip, ...]
    bytes: int  # that came over the network

    def asked_of(self, document: str) -> list[Task]:
        """Return the tasks that a document was found for."""
        return [task for task in wanted(self.agenda) if document in self.tasks[task.id]]


def collect(agenda: Agenda, folder: RunFolder, recall: Recall) -> Evidence:
    """Read the folder; documents that are one become one. Raises ReplayError.

    What was offered before counts for all that is the same document, wherever it was found now.
    """
    found: dict[str, list[tuple[str, Offer]]] = {task.id: [] for task in wanted(agenda)}
    skips: dict[str, Skip] = {}
    for task in wanted(agenda):
        fresh, old = to_fetch(task, agenda, folder, recall)
        for offer in old:
            skips[offer.ref] = Skip(offer.hit.title, offer.hit.url, OFFERED_BEFORE)
        for offer in (*fresh, *old):
            outcome = folder.outcome(offer.ref)
            if outcome is not None and outcome.document is not None:
                found[task.id].append((outcome.document, offer))
            elif outcome is not None:
                skips[offer.ref] = Skip(offer.hit.title, offer.hit.url, outcome.why)
    kept = _read(found, folder)
    merged = merge([each.document for each in kept.values()])
    known = _known(kept, merged, recall)
    for id_ in known:
        hit = merged[id_].hit
        skips.setdefault(id_, Skip(hit.title, hit.url, OFFERED_BEFORE))
    tasks = {
        task: tuple(
            dict.fromkeys(merged[id_].id for id_, _ in pairs if merged[id_].id not in known)
        )
        for task, pairs in found.items()
    }
    standing = {one.id: one for one in merged.values() if one.id not in known}
    return Evidence(
        agenda=agenda,
        documents=standing,
        flags={id_: kept[id_].flags for id_ in standing},
        tasks=tasks,
        skips=tuple({(skip.url, skip.why): skip for skip in skips.values()}.values()),
        bytes=sum(each.came for each in kept.values()),
    )


def _known(
    kept: Mapping[str, Kept], merged: Mapping[str, Document], recall: Recall
) -> dict[str, None]:
    """Return the ids of those that stand for a document which was offered before."""
    recall.known([key for each in kept.values() for key in all_keys(each.document)])
    return {
        merged[id_].id: None
        for id_, each in kept.items()
        if recall.known((*all_keys(each.document), merged[id_].key))
    }


def _read(found: Mapping[str, list[tuple[str, Offer]]], folder: RunFolder) -> dict[str, Kept]:
    """Read each document once; all the sources that offered it are known by it."""
    sources: dict[str, dict[str, None]] = {}
    for pairs in found.values():
        for id_, offer in pairs:
            sources.setdefault(id_, {}).update(dict.fromkeys((offer.hit.source, *offer.also_from)))
    kept = {}
    for id_, names in sources.items():
        each = folder.document(id_)
        others = tuple(name for name in names if name != each.document.hit.source)
        kept[id_] = replace(each, document=replace(each.document, also_from=others))
    return kept
