"""The graph of citations that a run followed, as stored and exported."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.model.finding import Finding
from daemon.research.follow import Graph, Trust
from daemon.store.evidence import RunFolder

_DIGITS = 6
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
            "findings": cited[key],
        }
        for key, document in sorted(documents.items())
    ]


def graphml(graph: Mapping[str, Any]) -> str:
    """Write a graph from `graph_json` in GraphML; its run cites the sources of findings."""
    import networkx as nx  # noqa: PLC0415 12 MB that the daemon, which exports nothing, does without

    directed = nx.DiGraph()
    for work in graph["works"]:
        values = {
            name: value for name, value in work.items() if value is not None and name != "key"
        }
        directed.add_node(
            _xml(work["key"]), **{name: _xml(value) for name, value in values.items()}
        )
    for pair in graph["citations"]:
        ends = _xml(pair["citing"]), _xml(pair["cited"])
        directed.add_edge(*ends, sources=_xml(", ".join(pair["sources"])))
    run = _xml(f"run:{graph.get('run', '')}")
    for source in graph.get("sources", ()):
        key = _xml(source["key"])
        directed.add_node(run, kind="run")
        directed.add_node(key, title=_xml(source["title"]), url=_xml(source["url"]))
        directed.add_edge(run, key, findings=_xml(", ".join(source["findings"])))
    return "\n".join(nx.generate_graphml(directed)) + "\n"


def _document(keys: tuple[str, ...], folder: RunFolder) -> str | None:
    outcomes = (folder.outcome(key) for key in keys)
    return next((each.document for each in outcomes if each is not None and each.document), None)


def _xml(value: Any) -> Any:
    """Remove characters that XML forbids."""
    return _NOT_IN_XML.sub("", value) if isinstance(value, str) else value
