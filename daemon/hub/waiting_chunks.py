"""Chunks that were published as text, without an embedding: the work of the queue `embed`."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from pgvector import HalfVector
from sqlalchemy import Connection, Row, bindparam, func, select, text, update
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
_FIRST = 4  # slices of an hour, of a person or a vault, that are taken in the order of publishing
_MODEL = "embedding_model"
_WAITING = (chunks.c.embedding.is_(None), chunks.c.text.is_not(None))

# First the people, and then their vaults, for whom least was done in this hour; the first few
# slices do not count. Of those, the vault that has waited longest: numbers of passages grow.
_VAULTS = text("""
WITH done AS (
  SELECT v.id, v.owner_id, coalesce(w.chunks, 0) / :slice AS slices
  FROM vaults v LEFT JOIN work_done w
    ON w.vault_id = v.id AND w.hour = date_trunc('hour', now())
), turns AS (
  SELECT id, slices, sum(slices) OVER (PARTITION BY owner_id) AS of_person FROM done
), waiting AS (
  SELECT c.vault_id, min(c.id) AS first FROM chunks c
  WHERE c.embedding IS NULL AND c.text IS NOT NULL AND NOT EXISTS (
    SELECT FROM attempts a WHERE a.queue = 'embed' AND a.id = c.id AND a.number >= :given_up
  ) GROUP BY c.vault_id
)
SELECT w.vault_id FROM waiting w JOIN turns t ON t.id = w.vault_id
ORDER BY greatest(t.of_person - :first, 0), greatest(t.slices - :first, 0), w.first
""")
# What failed before comes last.
_TAKE = text("""
SELECT c.id, c.vault_id, c.heading, c.text, coalesce(a.number, 0) AS attempts
FROM chunks c LEFT JOIN attempts a ON a.queue = 'embed' AND a.id = c.id
WHERE c.embedding IS NULL AND c.text IS NOT NULL AND coalesce(a.number, 0) < :given_up
  AND c.vault_id = :vault
ORDER BY coalesce(a.number, 0), c.id LIMIT :most FOR UPDATE OF c SKIP LOCKED
""")


def number_waiting(connection: Connection) -> int:
    """Return how many chunks are without an embedding."""
    waiting = (*_WAITING, ~is_given_up(EMBED, chunks.c.id))
    return connection.scalar(select(func.count()).select_from(chunks).where(*waiting)) or 0


def slices_waiting(connection: Connection) -> int:
    """Return how many jobs embed what waits: a slice is of one vault."""
    waiting = (*_WAITING, ~is_given_up(EMBED, chunks.c.id))
    of_vault = select(func.count().label("number")).where(*waiting).group_by(chunks.c.vault_id)
    numbers = connection.scalars(of_vault)
    return sum(ceil(number / SLICE) for number in numbers)


def _take(connection: Connection) -> Sequence[Row[Any]]:
    """Lock what waits in one vault, the next one of those that other workers do not have whole."""
    vaults = connection.scalars(_VAULTS, {"given_up": MOST, "slice": SLICE, "first": _FIRST})
    for vault in vaults.all():
        values = {"most": SLICE, "vault": vault, "given_up": MOST}
        if found := connection.execute(_TAKE, values).all():
            return found
    return ()


def embed_slice(database: Database, embedder: Embedder) -> int:
    """Embed some of what waits; return how many chunks. Raises HubError, ModelError.

    Other workers skip the rows that this transaction has locked. `require_model` comes before it.
    A passage that failed several times is embedded alone, and then given up.
    """
    with database.begin() as connection:
        begin_work(connection, EMBED)
        found = _take(connection)
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
