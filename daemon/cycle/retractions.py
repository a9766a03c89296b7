"""Whether a finding's sources were retracted since: from local data, without requests."""

from collections.abc import Iterator
from contextlib import suppress

from daemon.model.errors import ReplayError
from daemon.model.evidence import Hit, SourceType
from daemon.model.finding import FindingRecord
from daemon.model.source_names import source_name
from daemon.research.identity import keys_of
from daemon.research.weigh import retracted
from daemon.store.evidence import RunFolder
from daemon.store.retractions import RetractionFile
from daemon.store.runs import RunStore

_MAX_RUNS = 30  # the latest


class Retractions:
    """Reads the local list of retractions, and the sources' answers in the latest runs."""

    def __init__(self, file: RetractionFile, runs: RunStore) -> None:
        self.file = file
        self._runs = runs

    def of(self, record: FindingRecord) -> str:
        """Return who reports that the document of a finding was retracted, or "". Raises
        SettingsError.

        Sends no request: a later run that finds the document looks it up.
        """
        page = Hit("", SourceType.WEB, record.source, "")
        keys = (record.key, *keys_of(page))
        known = (key.partition(":")[2] for key in keys if key.startswith(("doi:", "pmid:")))
        found = self.file.find([id_.partition("#")[0] for id_ in known])
        if found:
            return next(iter(found.values()))
        return next(filter(None, (_reported_in(folder, record) for folder in self._latest())), "")

    def _latest(self) -> Iterator[RunFolder]:
        for row in self._runs.all(limit=_MAX_RUNS):
            with suppress(ReplayError):
                yield self._runs.folder(row.id)


def _reported_in(folder: RunFolder, record: FindingRecord) -> str:
    """Return the source that reported it in a run, or that the title there does."""
    for hit in _hits(folder):
        keys = keys_of(hit)
        why = retracted(hit) if record.key in keys else ""
        if why:
            return source_name(hit.source) if hit.retracted else why
    return ""


def _hits(folder: RunFolder) -> Iterator[Hit]:
    for _, answer in folder.answers():
        yield from answer.hits
    for record in folder.citations:
        yield from (*record.references, *record.citing)
