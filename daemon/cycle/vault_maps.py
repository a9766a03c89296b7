"""The map of the vault, computed in a child process and kept in a file until something changes."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from daemon.cycle.analysis_options import AnalysisOptions
from daemon.cycle.vault_analysis import VaultAnalysis
from daemon.model.errors import ReplayError, StoreError
from daemon.model.progress import Progress, no_progress
from daemon.store.files import read_json, write_atomic
from daemon.store.notes import NoteStore

_FILE = "map.json"
_FORMAT = 2  # of the file; raise it when the columns change
Draw = Callable[[NoteStore, AnalysisOptions, Sequence[tuple[str, Sequence[str]]], Progress], str]


class VaultMaps:
    """The map of one vault. `draw` computes it, as `AnalysisChild.draw` does."""

    def __init__(self, notes: NoteStore, analysis: VaultAnalysis, draw: Draw) -> None:
        self._notes, self._analysis, self._draw = notes, analysis, draw
        self._file = notes.file.with_name(_FILE)

    def kept(self) -> tuple[dict[str, Any] | None, bool]:
        """Return the last map as JSON values, None if there is none, and whether it is current."""
        try:
            kept = read_json(self._file)
        except ReplayError:  # it is only a cache
            return None, False
        if kept.get("format") != _FORMAT:
            return None, False
        return kept["map"], kept["key"] == self._analysis.map_key()

    def current(self, now: datetime, progress: Progress = no_progress) -> dict[str, Any]:
        """Return the map of the index as it is. Raises LacunaError."""
        kept, is_current = self.kept()
        if kept is not None and is_current:
            return kept
        key = self._analysis.map_key()
        found = self._analysis.health(now, progress).clusters
        clusters = [(each.label, each.notes) for each in found]
        options = self._analysis.options(now)
        drawn: dict[str, Any] = json.loads(self._draw(self._notes, options, clusters, progress))
        with suppress(StoreError):  # it is only kept to be faster the next time
            kept = {"format": _FORMAT, "key": key, "map": drawn}
            body = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
            write_atomic(self._file, body.encode())
        return drawn
