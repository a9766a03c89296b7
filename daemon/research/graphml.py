"""Export a graph of citations in GraphML."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from daemon.model.late import LateModule

if TYPE_CHECKING:
    import networkx as nx
else:
    nx = LateModule("networkx")  # 12 MB that the daemon, which exports nothing, does without

_ORIGIN = ("title", "url", "published", "document", "sha256", "extracted_by", "normaliser")
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml(graph: Mapping[str, Any]) -> str:
    """Write the JSON of a citation graph in GraphML: works, and what the findings of runs cite.

    A source names its run if the graph has several.
    """
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
    for source in graph.get("sources", ()):
        run, key = _xml(f"run:{source.get('run') or graph.get('run', '')}"), _xml(source["key"])
        origin = {name: _xml(source.get(name, "")) for name in _ORIGIN}
        directed.add_node(run, kind="run")
        directed.add_node(key, **origin, authors=_xml("; ".join(source.get("authors", ()))))
        directed.add_edge(run, key, findings=_xml(", ".join(source["findings"])))
    return "\n".join(nx.generate_graphml(directed)) + "\n"


def _xml(value: Any) -> Any:
    """Remove characters that XML forbids."""
    return _NOT_IN_XML.sub("", value) if isinstance(value, str) else value
