"""Export a graph of citations in GraphML.

networkx writes the same with 19 MB of code; the tests read with it what is written here.
"""

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

_ORIGIN = ("title", "url", "published", "document", "sha256", "extracted_by", "normaliser")
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_TYPES = {bool: "boolean", int: "long", float: "double", str: "string"}

_Values = dict[str, Any]


def graphml(graph: Mapping[str, Any]) -> str:
    """Write the JSON of a citation graph in GraphML: works, and what the findings of runs cite.

    A source names its run if the graph has several.
    """
    nodes: dict[str, _Values] = {}
    edges: dict[tuple[str, str], _Values] = {}
    for work in graph["works"]:
        values = {name: value for name, value in work.items() if value is not None}
        key = values.pop("key")
        nodes.setdefault(key, {}).update(values)
    for pair in graph["citations"]:
        edges[pair["citing"], pair["cited"]] = {"sources": ", ".join(pair["sources"])}
    for source in graph.get("sources", ()):
        run, key = f"run:{source.get('run') or graph.get('run', '')}", source["key"]
        origin = {name: source.get(name, "") for name in _ORIGIN}
        nodes.setdefault(run, {}).update(kind="run")
        nodes.setdefault(key, {}).update(origin, authors="; ".join(source.get("authors", ())))
        edges[run, key] = {"findings": ", ".join(source["findings"])}
    for end in (end for ends in edges for end in ends):
        nodes.setdefault(end, {})
    return _Writer().write(nodes, edges)


class _Writer:
    """Writes one document; each property is declared once for each kind of element and value."""

    def __init__(self) -> None:
        self._root = ET.Element("graphml", xmlns=_NAMESPACE)
        self._declared: dict[tuple[str, str, str], str] = {}

    def write(self, nodes: Mapping[str, _Values], edges: Mapping[tuple[str, str], _Values]) -> str:
        """Return the document as text."""
        graph = ET.Element("graph", edgedefault="directed")
        for id_, values in nodes.items():
            self._add(ET.SubElement(graph, "node", id=_xml(id_)), values)
        for (source, target), values in edges.items():
            ends = {"source": _xml(source), "target": _xml(target)}
            self._add(ET.SubElement(graph, "edge", ends), values)
        self._root.append(graph)
        ET.indent(self._root)
        written: bytes = ET.tostring(self._root, "utf-8", xml_declaration=True)
        return f"{written.decode()}\n"

    def _add(self, element: ET.Element, values: _Values) -> None:
        for name, value in values.items():
            declared = self._declare(element.tag, name, _TYPES.get(type(value), "string"))
            ET.SubElement(element, "data", key=declared).text = _xml(_text_of(value))

    def _declare(self, kind: str, name: str, type_: str) -> str:
        """Return the id of a property, which is declared before the graph."""
        id_ = self._declared.get((kind, name, type_))
        if id_ is None:
            id_ = self._declared[kind, name, type_] = f"d{len(self._declared)}"
            attributes = {"id": id_, "for": kind, "attr.name": _xml(name), "attr.type": type_}
            ET.SubElement(self._root, "key", attributes)
        return id_


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _xml(text: str) -> str:
    """Remove characters that XML forbids."""
    return _NOT_IN_XML.sub("", text)
