"""The content of a run's folder as evidence: each document once, with its tasks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daemon.model.agenda import Agenda, Task
from daemon.model.evidence import Document, Flag, ScreenedDocument
from daemon.model.finding import Skip
from daemon.model.hook_event import Verdict
from daemon.research.dedup import Offer, all_keys, merge
from daemon.research.follow import Graph, Trust
from daemon.research.followed import discovered_by_citations, trusting, walk_of
from daemon.research.hook_filters import hook_excluded, left_in, reading_of
from daemon.research.identity import site_of
from daemon.research.offered import active_tasks, offered, returned, to_fetch
from daemon.research.recall import Recall
from daemon.research.subject_works import subjects_among
from daemon.store.evidence import RunFolder

OFFERED_BEFORE = "offered in an earlier run"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Documents by id, in the order in which they were found; `tasks` is task id → document ids.

    `flags` are screening's findings, by document id; `copies` are other places of its text;
    `offered` are the ids of those that an earlier run offered: they are evidence, but not new.
    `centrality` is a document's centrality among the works whose citations were followed, by its
    key: PageRank, as a share of the highest. `passages` are those that the user's library found,
    by (task id, document id).
    """

    agenda: Agenda
    documents: Mapping[str, Document]
    flags: Mapping[str, tuple[Flag, ...]]
    tasks: Mapping[str, tuple[str, ...]]
    skips: tuple[Skip, ...]
    bytes: int  # received over the network
    copies: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)
    centrality: Mapping[str, float] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)
    offered: frozenset[str] = frozenset()
    passages: Mapping[tuple[str, str], Sequence[tuple[int, int]]] = field(default_factory=dict)

    def asked_of(self, document: str) -> list[Task]:
        """Return the tasks for which a document was found."""
        return [task for task in active_tasks(self.agenda) if document in self.tasks[task.id]]


def collect(
    agenda: Agenda, folder: RunFolder, recall: Recall, trust: Trust | None = None
) -> Evidence:
    """Read the folder and merge duplicates. Raises ReplayError.

    A document that was offered in an earlier run counts as offered, even if only a duplicate of it
    was found now.
    """
    found: dict[str, list[tuple[str, Offer]]] = {task.id: [] for task in active_tasks(agenda)}
    skips: dict[str, Skip] = {}
    graph, trust = Graph(), trust or trusting(recall.table())
    for task in active_tasks(agenda):
        found_for = offered(task, folder)
        fresh, old = to_fetch(task, found_for, agenda, folder, recall)
        walked = walk_of(task, agenda, found_for, folder, trust).graph
        graph.join(walked)
        cited = discovered_by_citations(task, agenda, found_for, walked, recall, trust)
        reached = left_in(cited, task.id, folder)
        for skip in hook_excluded([*returned(task, folder), *cited], task.id, folder):
            skips.setdefault(f"{skip.url} {skip.why}", skip)
        for skip in subjects_among(returned(task, folder), task):
            skips.setdefault(f"{skip.url} {skip.why}", skip)
        for offer in (*fresh, *old, *reached):
            document, why = _outcome_of(offer, folder)
            if document:
                found[task.id].append((document, offer))
            elif why or offer in old:
                skips[offer.ref] = Skip(offer.hit.title, offer.hit.url, why or OFFERED_BEFORE)
    kept = _read(found, folder)
    merged = merge([each.document for each in kept.values()])
    tasks = {
        task: tuple(dict.fromkeys(merged[id_].id for id_, _ in pairs))
        for task, pairs in found.items()
    }
    standing = {one.id: one for one in merged.values()}
    return Evidence(
        agenda=agenda,
        documents=standing,
        flags={id_: kept[id_].flags for id_ in standing},
        tasks=tasks,
        skips=tuple({(skip.url, skip.why): skip for skip in skips.values()}.values()),
        bytes=sum(each.received for each in kept.values()),
        copies=_copies(kept, merged),
        centrality=_centrality(standing.values(), graph),
        graph=graph,
        offered=_offered(kept, merged, recall),
        passages=_passages(found, kept, merged),
    )


def _passages(
    found: Mapping[str, Sequence[tuple[str, Offer]]],
    kept: Mapping[str, ScreenedDocument],
    merged: Mapping[str, Document],
) -> dict[tuple[str, str], Sequence[tuple[int, int]]]:
    """Return the passages that sources found, by task and document, of texts that no other one
    replaces.
    """
    return {
        (task, merged[id_].id): offer.hit.passages
        for task, pairs in found.items()
        for id_, offer in pairs
        if offer.hit.passages and merged[id_].sha256 == kept[id_].document.sha256
    }


def _outcome_of(offer: Offer, folder: RunFolder) -> tuple[str, str]:
    """Return the document of an offer, or the reason for none; neither if it was not tried."""
    outcome = folder.outcome(offer.ref)
    if outcome is None or outcome.document is None:
        return "", outcome.why if outcome is not None else ""
    dropped = folder.hooks.dropped(reading_of(outcome.document))
    return ("", [*dropped.values()][-1]) if dropped else (outcome.document, "")


def _centrality(documents: Iterable[Document], graph: Graph) -> dict[str, float]:
    """Return the centrality of the documents in the citation graph."""
    ranks = graph.centrality()
    highest = max(ranks.values(), default=1.0)
    works = ((document.key, graph.find(all_keys(document))) for document in documents)
    return {key: round(ranks[work.key] / highest, 4) for key, work in works if work is not None}


def _copies(
    kept: Mapping[str, ScreenedDocument], merged: Mapping[str, Document]
) -> dict[str, tuple[Document, ...]]:
    """Return by document id those with its text on other sites, one for each site."""
    found: dict[str, dict[str, Document]] = {}
    for id_, each in kept.items():
        its, site = merged[id_], site_of(each.document.hit.url)
        is_same_work = set(_names(each.document)) & set(_names(its))
        if id_ != its.id and site and site != site_of(its.hit.url) and not is_same_work:
            found.setdefault(its.id, {}).setdefault(site, each.document)
    return {id_: tuple(by_site.values()) for id_, by_site in found.items()}


def _names(document: Document) -> list[str]:
    return [key for key in all_keys(document) if key.startswith(("doi:", "arxiv:"))]


def _offered(
    kept: Mapping[str, ScreenedDocument], merged: Mapping[str, Document], recall: Recall
) -> frozenset[str]:
    """Return the ids of those that represent a document offered before."""
    recall.known([key for each in kept.values() for key in all_keys(each.document)])
    return frozenset(
        merged[id_].id
        for id_, each in kept.items()
        if recall.known((*all_keys(each.document), merged[id_].key))
    )


def _read(
    found: Mapping[str, list[tuple[str, Offer]]], folder: RunFolder
) -> dict[str, ScreenedDocument]:
    """Read each document once, with all the sources that offered it."""
    sources: dict[str, dict[str, None]] = {}
    for pairs in found.values():
        for id_, offer in pairs:
            sources.setdefault(id_, {}).update(dict.fromkeys((offer.hit.source, *offer.also_from)))
    kept = {}
    for id_, names in sources.items():
        each = folder.document(id_)
        others = tuple(name for name in names if name != each.document.hit.source)
        verdict = folder.hooks.get(reading_of(id_)) or Verdict()
        remarks = (each.document.note, _how_reached(id_, found), verdict.notes.get(id_, ""))
        note = "; ".join(filter(None, remarks))
        document = replace(each.document, also_from=others, note=note)
        kept[id_] = replace(each, document=document)
    return kept


def _how_reached(id_: str, found: Mapping[str, list[tuple[str, Offer]]]) -> str:
    """Return which citation led to a document, unless a source returned it for some task."""
    ways = [offer.reached for pairs in found.values() for other, offer in pairs if other == id_]
    return f"found through citations: {ways[0]}" if all(ways) else ""
