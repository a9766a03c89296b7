"""What a look shows."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from daemon.app import App


class Verdict(StrEnum):
    """How a look turned out; what is off could be on, and need not be."""

    OK = "ok"
    OFF = "off"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """What one look showed. `hint` is what to type where it is not well."""

    name: str
    verdict: Verdict
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the looks look at."""

    app: App
    now: datetime
    config: Path | None


def well(name: str, what: str) -> Check:
    """Say that all is well."""
    return Check(name, Verdict.OK, what)
