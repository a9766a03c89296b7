"""The graph of citations that a run followed, as stored."""

from collections.abc import Sequence
from typing import Any

from daemon.model.finding import Finding
from daemon.research.follow import Graph, Trust
from daemon.store.evidence import RunFolder

_DIGITS = 6


def graph_json(
    graph: Graph, folder: RunFolder, trust: Trust, findings: Sequence[Finding] = ()
) -> dict[str, Any]:
    """Return the works, most central first, their citations, and the sources of findings.

    `hop` is 0 for search results, `document` the id of the text read of the work, and `pagerank`
    its share of all centrality.
    """
    ranks = graph.centrality()
    order = sorted(graph.works.values(), key=lambda work: (-ranks[work.key], work.key))
    return {
        "works": [
            {
                "key": work.key,
                "title": work.hit.title,
                "url": work.hit.url,
                "published": work.hit.published,
                "citations": work.hit.citations,
                "retracted": work.hit.retracted,
                "credibility": trust(work.hit),
                "pagerank": round(ranks[work.key], _DIGITS),
                "hop": work.hop,
                "reached": work.reached,
                "document": _document(work.keys, folder),
            }
            for work in order
        ],
        "citations": [
            {"citing": citing, "cited": cited, "sources": list(sources)}
            for (citing, cited), sources in sorted(graph.cites.items())
        ],
        "sources": _sources(findings),
    }


def _sources(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return each document that findings cite, with its origin."""
    cited: dict[str, list[str]] = {}
    documents = {}
    for finding in findings:
        for source in finding.sources:
            documents[source.document.key] = source.document
            cited.setdefault(source.document.key, []).append(finding.id)
    return [
        {
            "key": key,
            "url": document.hit.url,
            "title": document.hit.title,
            "published": document.hit.published,
            "authors": list(document.hit.authors),
            "document": document.id,
            "sha256": document.sha256,
            "extracted_by": document.extracted_by,
            "normaliser": document.normaliser,
            "findings": cited[key],
        }
        for key, document in sorted(documents.items())
    ]


def _document(keys: tuple[str, ...], folder: RunFolder) -> str | None:
    outcomes = (folder.outcome(key) for key in keys)
    return next((each.document for each in outcomes if each is not None and each.document), None)
