"""A command for the one writer, stored until it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

MAX_ATTEMPTS = 5
INGEST = "ingest"  # the command that takes documents in
RELOAD = "reload"  # the command that the run loop itself carries out


class RequestState(StrEnum):
    NEW = "new"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Request:
    """One command. While it is in progress it belongs to its `owner`, until `leased_until`.

    `answer` contains the id of its agenda (`agenda`) while it is in progress, and then its
    document, or `error`. `attempts` counts how often it was begun, without those that its owner
    stopped properly.
    """

    id: int
    kind: str
    body: Mapping[str, Any]
    state: RequestState
    answer: Mapping[str, Any]
    asked_at: datetime
    owner: str = ""
    leased_until: datetime | None = None
    attempts: int = 0
