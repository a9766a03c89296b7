"""What each job of a worker does, in a thread of its own."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import text

from daemon.hub.database import Database
from daemon.hub.service_requests import Requests, Service, Services, serve_one
from daemon.hub.waiting_chunks import SLICE, embed_slice, number_waiting, require_model
from daemon.hub.web_documents import Documents, Fetch, fetch_one
from daemon.model.errors import HubError, ModelError
from daemon.model.shared_documents import SharedEmbeddings
from daemon.model.shared_notes import DIMENSIONS
from daemon.ports import Embedder, RetrievedDocument

_AGAIN = timedelta(seconds=2)  # until a worker looks again for a site that is free
_JOB = 5.0  # seconds after which a job that goes on with the next request ends
_EXPECTED = text("""
SELECT count(*) FILTER (WHERE scheduled_at IS NULL OR scheduled_at <= now()),
       count(*) FILTER (WHERE scheduled_at > now())
FROM procrastinate_jobs WHERE queue_name = :queue AND status = 'todo'
""")
_CLOCK = text("SELECT clock_timestamp()")
_log = logging.getLogger(__name__)

Found = tuple[str, datetime | None]
"""What is free now after a job, or ""; and when to look again, or None if nothing waits."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a worker works with; `texts` are those of a document that it embeds."""

    embedder: Embedder
    fetch: Fetch
    services: Services = field(default_factory=dict)
    texts: Callable[[RetrievedDocument], Sequence[str]] = lambda _found: ()


def serve_some(database: Database, queue: str, offered: Mapping[str, Service]) -> Found:
    """Send requests, one after the other, for some seconds: a job for each would cost more.

    Return the place that is free now, or "", and when to look again: None if nothing waits.
    """
    ends = time.monotonic() + _JOB
    while True:
        place = serve_one(database, queue, offered)
        with database.begin() as connection:
            requests = Requests(connection)
            later = requests.free_at(queue) if requests.number_waiting(queue) else None
        if not place or later is None or time.monotonic() > ends:
            return place, later


def embed_some(database: Database, tools: Tools) -> Found:
    """Embed a slice. After a part of one, return what may be free now, or "", and when to look
    again: two jobs that lock one vault's chunks at once share them, and another vault has no job.
    """
    with database.begin() as connection:
        require_model(connection, tools.embedder.model)
    done = embed_slice(database, tools.embedder)
    _log.info("embedded %d chunks", done)
    if done == SLICE:  # each whole slice has its job
        return "", None
    with database.begin() as connection:
        later: datetime = connection.execute(_CLOCK).scalar_one() + _AGAIN
        return "slice" if done else "", later if number_waiting(connection) else None


def extract_one(database: Database, tools: Tools) -> Found:
    """Fetch a document; return what is free now, or "" if there was none of a site that was, and
    when to look again: None if none waits.
    """
    is_done = fetch_one(database, tools.fetch, partial(_embedded, database, tools))
    with database.begin() as connection:
        later: datetime = connection.execute(_CLOCK).scalar_one() + _AGAIN
        return "site" if is_done else "", later if Documents(connection).number_waiting() else None


def _embedded(
    database: Database, tools: Tools, found: RetrievedDocument
) -> SharedEmbeddings | None:
    """Embed the texts of a document; None if there is nothing to embed, or it cannot be done."""
    if not (texts := tools.texts(found)):
        return None
    try:
        with database.begin() as connection:
            require_model(connection, tools.embedder.model)
        vectors = tools.embedder.embed(texts)
    except (HubError, ModelError) as error:  # vaults embed it themselves
        _log.warning("a document was not embedded: %s", error)
        return None
    is_fit = vectors.shape[1] == DIMENSIONS
    return SharedEmbeddings.of(tools.embedder.model, texts, vectors) if is_fit else None


def expected(database: Database, queue: str) -> tuple[int, int]:
    """Return how many jobs wait for a worker, and how many for their time."""
    with database.begin() as connection:
        now, later = connection.execute(_EXPECTED, {"queue": queue}).one()
        return int(now), int(later)
