"""The data that a check shows."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from daemon.app import App


class Verdict(StrEnum):
    """The result of a check; `off` means an optional part that is not in use."""

    OK = "ok"
    OFF = "off"
    WARN = "warn"
    FAIL = "fail"


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
