"""A model, pages and services for workers of a hub that answer slowly."""

import json
import select
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from daemon.hub.database import Database
from daemon.hub.night_budget import HubLedger
from daemon.hub.worker_jobs import Tools
from daemon.model.evidence import Hit, SourceType
from daemon.model.shared_notes import DIMENSIONS
from daemon.model.shared_requests import MODELS, RESEARCH
from daemon.model.spending import Sending
from daemon.ports import Extracted, RetrievedDocument, Vectors

SLOW = 0.2  # seconds of a slice, a page, or an answer: most faults come in the middle of one
SERVICE = "slow"
PLACES = 4  # requests that it takes at once

Wait = Callable[[], None]
"""Waits in the middle of a slice, a page, or an answer."""


def be_slow() -> None:
    """Wait as long as each of them takes."""
    select.select([], [], [], SLOW)  # libfaketime breaks `time.sleep`


@dataclass(frozen=True, slots=True)
class SlowModel:
    """Makes the same embedding of each text."""

    wait: Wait = be_slow
    model: str = "bench"

    def embed(self, texts: Sequence[str], progress: object = None) -> Vectors:
        del progress
        self.wait()
        return np.tile(np.eye(1, DIMENSIONS, dtype=np.float32), (len(texts), 1))

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class SlowService:
    """A source or a model; what it is sent is a line of a file."""

    ledger: HubLedger
    sent: Path
    wait: Wait = be_slow
    places: int = PLACES
    pause: timedelta = timedelta()

    def answer(self, question: bytes) -> bytes:
        row, _ = self.ledger.reserve(Sending(SERVICE, "question"))
        with self.sent.open("a") as file:
            file.write(f"{question.decode()}\n")
        self.wait()
        self.ledger.settle(row, 100)
        return json.dumps({"to": question.decode()}).encode()


def slow_tools(database: Database, sent: Path, wait: Wait = be_slow) -> Tools:
    """Return what a worker works with; what it sends are lines of a file."""
    service = SlowService(HubLedger(database), sent, wait)
    services = {queue: {SERVICE: service} for queue in (RESEARCH, MODELS)}
    return Tools(SlowModel(wait), partial(_page, wait), services)


def _page(wait: Wait, url: str) -> RetrievedDocument:
    """Return a page as if it had been fetched."""
    wait()
    return RetrievedDocument(
        hit=Hit("hub", SourceType.WEB, url, ""),
        final_url=url,
        body=b"<p>Rye is sour.",
        content_type="text/html",
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        extracted=Extracted("Rye is sour.", "trafilatura"),
    )
