"""The data that a check shows."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from daemon.app import App
from daemon.model.check_verdict import Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """One result of a check. `hint` is the command to run if there is a problem."""

    name: str
    verdict: Verdict
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the checks examine."""

    app: App
    now: datetime
    config: Path | None


def passed(name: str, what: str) -> Check:
    """Report that a check passed."""
    return Check(name, Verdict.OK, what)
