"""A worker of a hub in a process of its own, whose model and services are slow: `URL FILE [MODEL]`.

Each request that it sends is a line of FILE. With MODEL, passages are embedded by the real model on
one thread, and nothing else is done.
"""

import asyncio
import json
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from daemon.composition import open_models
from daemon.config import load_settings
from daemon.hub.database import Database
from daemon.hub.night_budget import HubLedger
from daemon.hub.waiting_chunks import EMBED
from daemon.hub.web_documents import EXTRACT
from daemon.hub.worker_jobs import Tools, work
from daemon.model.evidence import Hit, SourceType
from daemon.model.shared_notes import DIMENSIONS
from daemon.model.shared_requests import MODELS, RESEARCH
from daemon.model.spending import Sending
from daemon.ports import Embedder, Extracted, RetrievedDocument, Vectors

SLOW = 0.2  # seconds of a slice, a page, or an answer: most faults come in the middle of one
SERVICE = "slow"
PLACES = 4  # requests that it takes at once


def _wait() -> None:
    select.select([], [], [], SLOW)  # libfaketime breaks `time.sleep`


class SlowModel:
    """Makes the same embedding of each text."""

    model = "bench"

    def embed(self, texts: Sequence[str], progress: object = None) -> Vectors:
        del progress
        _wait()
        return np.tile(np.eye(1, DIMENSIONS, dtype=np.float32), (len(texts), 1))

    def close(self) -> None:
        """Nothing is open."""


def slow_page(url: str) -> RetrievedDocument:
    """Return a page as if it had been fetched."""
    _wait()
    return RetrievedDocument(
        hit=Hit("hub", SourceType.WEB, url, ""),
        final_url=url,
        body=b"<p>Rye is sour.",
        content_type="text/html",
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        extracted=Extracted("Rye is sour.", "trafilatura"),
    )


@dataclass(frozen=True, slots=True)
class SlowService:
    """A source or a model; what it is sent is a line of a file."""

    ledger: HubLedger
    sent: Path
    places: int = PLACES
    pause: timedelta = timedelta()

    def answer(self, question: bytes) -> bytes:
        row, _ = self.ledger.reserve(Sending(SERVICE, "question"))
        with self.sent.open("a") as file:
            file.write(f"{question.decode()}\n")
        _wait()
        self.ledger.settle(row, 100)
        return json.dumps({"to": question.decode()}).encode()


@contextmanager
def _embedder(is_real: bool) -> Iterator[Embedder]:  # noqa: FBT001 an argument of the command
    if not is_real:
        yield SlowModel()
        return
    flags = {"embedding.threads": 1}
    with open_models(load_settings(None, must_exist=False, needs_vault=False, flags=flags)) as (
        model,
        _,
    ):
        model.embed(["Rye is sour."])  # it is loaded with the first passage
        yield model


def main(url: str, sent: Path, *, is_real: bool) -> None:
    with closing(Database(url)) as database, _embedder(is_real) as model:
        service = SlowService(HubLedger(database), sent)
        services = {queue: {SERVICE: service} for queue in (RESEARCH, MODELS)}
        queues = [EMBED] if is_real else [EMBED, EXTRACT, RESEARCH, MODELS]
        asyncio.run(work(database, Tools(model, slow_page, services), queues))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), is_real=len(sys.argv) > 3)
