"""A run again, from its folder alone: no network, no vault, no model; the same findings."""

from daemon.model.errors import ReplayError
from daemon.ports import Stop
from daemon.research.pipeline import RunResult, conclude
from daemon.research.recall import Recall
from daemon.store.evidence import FORMAT, RunFolder


def replay(folder: RunFolder) -> RunResult:
    """Make a run's findings again. Raises ReplayError that says what the folder lacks."""
    if folder.told().get("format") != FORMAT:
        raise ReplayError(f"{folder.path} was written by another version of Lacuna")
    return conclude(folder, Recall(folder.memory), stop=Stop(), progress=lambda *_: None)
