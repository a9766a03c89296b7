"""The JSON that hooks get about a run; the guide documents these forms, of format 1."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from daemon.model.agenda import Agenda, Task
from daemon.model.evidence import Document, Flag
from daemon.model.finding import Finding

if TYPE_CHECKING:
    from daemon.research.dedup import Offer

MAX_TEXT_LENGTH = 200_000  # characters of a document that a hook gets


def research(agenda: Agenda, tasks: Sequence[Task], run: str) -> dict[str, Any]:
    """Return what is about to be researched."""
    return {
        "run": run,
        "agenda": agenda.id,
        "trigger": agenda.trigger,
        "note": agenda.note,
        "depth": agenda.depth.value,
        "tasks": [task(each) for each in tasks],
    }


def task(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "topic": task.topic,
        "query": task.query,
        "sources": list(task.sources),
        "because": task.because,
        "note": task.note,
    }


def hit(offer: "Offer") -> dict[str, Any]:
    """What was found, before any of it is fetched."""
    hit = offer.hit
    return {
        "id": offer.ref,
        "url": hit.url,
        "title": hit.title,
        "snippet": hit.snippet,
        "authors": list(hit.authors),
        "published": hit.published,
        "doi": hit.doi,
        "source": hit.source,
        "source_type": hit.source_type.value,
        "also_from": list(offer.also_from),
        "reached": offer.reached,
    }


def document(document: Document, flags: Sequence[Flag]) -> dict[str, Any]:
    """A document that was fetched and read."""
    hit = document.hit
    return {
        "id": document.id,
        "key": document.key,
        "url": hit.url,
        "final_url": document.final_url,
        "title": hit.title,
        "authors": list(hit.authors),
        "published": hit.published,
        "source": hit.source,
        "source_type": hit.source_type.value,
        "method": document.method,
        "flags": [flag.kind for flag in flags],
        "text": document.text[:MAX_TEXT_LENGTH],
        "is_cut": len(document.text) > MAX_TEXT_LENGTH,
    }


def finding(finding: Finding) -> dict[str, Any]:
    """Return what is about to be written into the inbox."""
    return {
        "id": finding.id,
        "title": finding.title,
        "topic": finding.task.topic,
        "question": finding.task.query,
        "task": finding.task.id,
        "url": finding.document.hit.url,
        "source": finding.document.hit.source,
        "source_type": finding.document.hit.source_type.value,
        "document": finding.document.id,
        "credibility": finding.credibility.score,
        "confidence": finding.confidence.value,
        "sources": [
            {
                "url": source.document.hit.url,
                "title": source.document.hit.title,
                "document": source.document.id,
                "credibility": source.credibility.score,
            }
            for source in finding.sources
        ],
        "quotes": [quote.passage.text for quote in finding.quotes],
        "concepts": list(finding.concepts),
        "connects": [each.near.path for each in finding.connects],
        "flags": sorted({flag.kind for source in finding.sources for flag in source.flags}),
    }
