"""Chunks that were published as text, without an embedding: the work of the queue `embed`."""

from pgvector import HalfVector
from sqlalchemy import Connection, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.tables import chunks, facts
from daemon.hub.workload import count_done
from daemon.index.chunk import embedded_text
from daemon.model.errors import HubError
from daemon.model.shared_notes import DIMENSIONS
from daemon.ports import Embedder

SLICE = 64  # chunks that one job embeds: a few seconds of a processor
_MODEL = "embedding_model"
_WAITING = (chunks.c.embedding.is_(None), chunks.c.text.is_not(None))

# Of a random vault that has some: no vault waits until the largest one is done.
_TAKE = text("""
SELECT id, vault_id, heading, text FROM chunks
WHERE embedding IS NULL AND text IS NOT NULL AND vault_id = (
  SELECT vault_id FROM (
    SELECT DISTINCT vault_id FROM chunks WHERE embedding IS NULL AND text IS NOT NULL
  ) AS waiting ORDER BY random() LIMIT 1
)
ORDER BY id LIMIT :most FOR UPDATE SKIP LOCKED
""")


def number_waiting(connection: Connection) -> int:
    """Return how many chunks are without an embedding."""
    return connection.scalar(select(func.count()).select_from(chunks).where(*_WAITING)) or 0


def embed_slice(connection: Connection, embedder: Embedder) -> int:
    """Embed some of what waits; return how many chunks. Raises HubError, ModelError.

    Other workers skip the rows that this transaction has locked. `require_model` comes before it,
    in a transaction of its own.
    """
    rows = connection.execute(_TAKE, {"most": SLICE}).all()
    if not rows:
        return 0
    vectors = embedder.embed([embedded_text(row.heading, row.text) for row in rows])
    if vectors.shape[1] != DIMENSIONS:
        raise HubError(f"{embedder.model} makes {vectors.shape[1]} dimensions, not {DIMENSIONS}")
    changed = update(chunks).where(chunks.c.id == bindparam("row")).values(embedding=bindparam("v"))
    values = [
        {"row": row.id, "v": HalfVector(vector)} for row, vector in zip(rows, vectors, strict=True)
    ]
    connection.execute(changed, values)
    count_done(connection, rows[0].vault_id, len(rows))
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
