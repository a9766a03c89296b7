"""The answers of citation indexes in a run, one file for each, written once; and the graph."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from daemon.model.citations import Citations
from daemon.model.errors import ReplayError
from daemon.model.evidence import SourceStatus
from daemon.ports import RunFiles
from daemon.store.evidence_json import hit_from_json
from daemon.store.run_files import read_json, write_json

GRAPH = "citations.json"
_FOLDER = "citations"


class CitationRecord:
    """`citations/` and `citations.json` of one run folder.

    Raises StoreError if they cannot be written, ReplayError if they cannot be read.
    """

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._said: dict[tuple[str, str], Citations] = {}
        for name in files.names(_FOLDER):
            citations = _from_json(files.locate(name), read_json(files, name))
            self._said[citations.work, citations.source] = citations

    def get(self, work: str, source: str) -> Citations | None:
        """Return what `source` said about the work with this key, or None if it was not queried."""
        return self._said.get((work, source))

    def add(self, found: Citations) -> None:
        name = sha256(f"{found.work}\0{found.source}".encode("utf-8", "replace")).hexdigest()[:24]
        write_json(self._files, f"{_FOLDER}/{name}.json", asdict(found))
        self._said[found.work, found.source] = found

    def __iter__(self) -> Iterator[Citations]:
        return (self._said[key] for key in sorted(self._said))

    def keep_graph(self, graph: Mapping[str, Any]) -> None:
        """Store the graph in its export format."""
        write_json(self._files, GRAPH, graph)

    def graph(self) -> dict[str, Any]:
        """Return the stored graph; one without works for a run that followed nothing."""
        if not self._files.has(GRAPH):
            return {"works": [], "citations": []}
        return read_json(self._files, GRAPH)


def _from_json(where: str, body: dict[str, Any]) -> Citations:
    try:
        return Citations(
            source=body["source"],
            work=body["work"],
            status=SourceStatus(body["status"]),
            references=tuple(map(hit_from_json, body["references"])),
            citing=tuple(map(hit_from_json, body["citing"])),
            why=body["why"],
            seconds=float(body["seconds"]),
            requests=int(body["requests"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ReplayError(f"{where} was not written by a run: {error!r}") from None
