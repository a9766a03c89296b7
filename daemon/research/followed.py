"""Citations in a run's folder: how far they were followed, and the documents found."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from daemon.model.agenda import DEPTH_LIMITS, Agenda, Task
from daemon.model.evidence import Hit
from daemon.research.credibility import Table
from daemon.research.dedup import Offer
from daemon.research.follow import Graph, Trust, Walk, Work, ranked, walk
from daemon.research.identity import keys_of, site_of
from daemon.research.quotable import keys_in
from daemon.research.recall import Recall
from daemon.research.weigh import weigh
from daemon.store.evidence import RunFolder

_INDEXES = ("openalex.org", "semanticscholar.org")  # whose own addresses also identify a work
_LOOKED_AT = 60  # works that may be known from earlier runs


def trusting(table: Table) -> Trust:
    """The credibility of a work before it is read; 0 for a retracted one.

    Each work is weighed once, however often it is ranked.
    """
    return cache(lambda hit: weigh(hit, None, table).score)


def walk_of(
    task: Task, agenda: Agenda, offers: Sequence[Offer], folder: RunFolder, trust: Trust
) -> Walk:
    """Return how far the citations of a task's results have been followed."""
    limits = DEPTH_LIMITS[agenda.depth]
    seeds = [offer.hit for offer in offers if is_identified(offer.hit)][: limits.documents]
    sources = sorted(agenda.follow)
    return walk(seeds if sources else (), sources, folder.citations.get, limits, trust)


def is_identified(hit: Hit) -> bool:
    """Return whether citation indexes can identify the work by more than its title."""
    named = any(key.startswith(("doi:", "arxiv:")) for key in keys_of(hit))
    return named or site_of(hit.url) in _INDEXES


def discovered_by_citations(
    task: Task,
    agenda: Agenda,
    offers: Sequence[Offer],
    graph: Graph,
    recall: Recall,
    trust: Trust,
) -> list[Offer]:
    """Return the documents to fetch along citations, best first: at most the depth's limit.

    Those that share a word with the task come first; within that, credibility and centrality
    decide.
    """
    offered = {key for offer in offers for key in offer.keys}
    found = [work for work in ranked(graph, trust) if work.hop and offered.isdisjoint(work.keys)]
    terms = keys_in(f"{task.topic} {task.query}")
    found.sort(key=lambda work: terms.isdisjoint(keys_in(f"{work.hit.title} {work.hit.snippet}")))
    looked_at = found[:_LOOKED_AT]
    recall.known([key for work in looked_at for key in work.keys])  # all in one query, stored once
    fresh = [work for work in looked_at if not recall.known(work.keys)]
    return [_offer(work) for work in fresh[: DEPTH_LIMITS[agenda.depth].followed]]


def query_for(work: Work) -> Hit:
    """Return a work for a query to an index: with every known identifier."""
    named = dict(key.split(":", 1) for key in reversed(work.keys) if ":" in key)
    doi, arxiv = named.get("doi", ""), named.get("arxiv", "")
    return replace(work.hit, doi=doi or work.hit.doi, arxiv_id=arxiv or work.hit.arxiv_id)


def _offer(work: Work) -> Offer:
    return Offer(work.hit, work.key, work.keys, reached=work.reached)
