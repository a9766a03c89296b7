"""The graph of citations that a run followed, as stored and exported."""

import re
from collections.abc import Mapping
from typing import Any

from daemon.research.follow import Graph, Trust
from daemon.store.evidence import RunFolder

_DIGITS = 6
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graph_json(graph: Graph, folder: RunFolder, trust: Trust) -> dict[str, Any]:
    """Return the works, most central first, and their citations.

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
    }


def graphml(graph: Mapping[str, Any]) -> str:
    """Write a graph from `graph_json` in GraphML."""
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
    return "\n".join(nx.generate_graphml(directed)) + "\n"


def _document(keys: tuple[str, ...], folder: RunFolder) -> str | None:
    outcomes = (folder.outcome(key) for key in keys)
    return next((each.document for each in outcomes if each is not None and each.document), None)


def _xml(value: Any) -> Any:
    """Remove characters that XML forbids."""
    return _NOT_IN_XML.sub("", value) if isinstance(value, str) else value
