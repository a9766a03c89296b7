"""Replay a run from its folder alone: no network, no vault, no model; the same findings."""

from daemon.model.errors import ReplayError
from daemon.model.progress import Progress, no_progress
from daemon.ports import Stop
from daemon.research.pipeline import RunResult, conclude
from daemon.research.recall import Recall
from daemon.store.evidence import FORMAT, MIN_FORMAT, RunFolder


def replay(folder: RunFolder, progress: Progress = no_progress) -> RunResult:
    """Make a run's findings again. Raises ReplayError with what the folder lacks.

    A folder of an earlier version gives the findings that this version makes of it; queries that
    its run never made count as unknown.
    """
    version = folder.run_json().get("format")
    if version not in range(MIN_FORMAT, FORMAT + 1):
        raise ReplayError(f"{folder.files.locate()} was written by another version of Lacuna")
    recall = Recall(folder.memory, is_older=version != FORMAT)
    return conclude(folder, recall, stop=Stop(), progress=progress)
