"""Chunks that were published as text, without an embedding: the work of the queue `embed`."""

from pgvector import HalfVector
from sqlalchemy import Connection, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.attempts import (
    ALONE,
    MOST,
    begin_work,
    count_attempt,
    forget_attempts,
    is_given_up,
)
from daemon.hub.database import Database
from daemon.hub.tables import chunks, facts
from daemon.hub.workload import count_done
from daemon.index.chunk import embedded_text
from daemon.model.errors import HubError
from daemon.model.shared_notes import DIMENSIONS
from daemon.ports import Embedder

EMBED = "embed"  # the queue
SLICE = 64  # chunks that one job embeds: a few seconds of a processor
_MODEL = "embedding_model"
_WAITING = (chunks.c.embedding.is_(None), chunks.c.text.is_not(None))

# Of a random vault that has some: no vault waits until the largest one is done. What failed before
# comes last.
_TAKE = text("""
SELECT c.id, c.vault_id, c.heading, c.text, coalesce(a.number, 0) AS attempts
FROM chunks c LEFT JOIN attempts a ON a.queue = 'embed' AND a.id = c.id
WHERE c.embedding IS NULL AND c.text IS NOT NULL AND coalesce(a.number, 0) < :given_up
  AND c.vault_id = (
    SELECT vault_id FROM (
      SELECT DISTINCT w.vault_id FROM chunks w
      WHERE w.embedding IS NULL AND w.text IS NOT NULL AND NOT EXISTS (
        SELECT FROM attempts b WHERE b.queue = 'embed' AND b.id = w.id AND b.number >= :given_up
      )
    ) AS waiting ORDER BY random() LIMIT 1
  )
ORDER BY coalesce(a.number, 0), c.id LIMIT :most FOR UPDATE OF c SKIP LOCKED
""")


def number_waiting(connection: Connection) -> int:
    """Return how many chunks are without an embedding."""
    waiting = (*_WAITING, ~is_given_up(EMBED, chunks.c.id))
    return connection.scalar(select(func.count()).select_from(chunks).where(*waiting)) or 0


def embed_slice(database: Database, embedder: Embedder) -> int:
    """Embed some of what waits; return how many chunks. Raises HubError, ModelError.

    Other workers skip the rows that this transaction has locked. `require_model` comes before it.
    A passage that failed several times is embedded alone, and then given up.
    """
    with database.begin() as connection:
        begin_work(connection, EMBED)
        found = connection.execute(_TAKE, {"most": SLICE, "given_up": MOST}).all()
        if not found:
            return 0
        rows = [row for row in found if row.attempts < ALONE] or found[:1]
        ids = [row.id for row in rows]
        count_attempt(database, EMBED, ids)
        vectors = embedder.embed([embedded_text(row.heading, row.text) for row in rows])
        if vectors.shape[1] != DIMENSIONS:
            number = vectors.shape[1]
            raise HubError(f"{embedder.model} makes {number} dimensions, not {DIMENSIONS}")
        changed = update(chunks).where(chunks.c.id == bindparam("row"))
        values = [
            {"row": id_, "v": HalfVector(vector)} for id_, vector in zip(ids, vectors, strict=True)
        ]
        connection.execute(changed.values(embedding=bindparam("v")), values)
        count_done(connection, rows[0].vault_id, len(rows))
        forget_attempts(connection, EMBED, ids)
        return len(rows)


def require_model(connection: Connection, model: str) -> None:
    """Raise HubError if the hub's embeddings are of another model; the first one decides."""
    known = select(facts.c.value).where(facts.c.key == _MODEL)
    if connection.scalar(known) is None:  # otherwise nobody waits for another transaction
        made = upsert(facts).values(key=_MODEL, value=model).on_conflict_do_nothing()
        connection.execute(made)
    found = connection.scalar(known)
    if found != model:
        raise HubError(f"this hub's embeddings are of {found}: set `embedding.model` to it")
