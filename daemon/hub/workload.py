"""What the workers have to do, and did, for each vault."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, text
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.tables import work_done

_DAYS_KEPT = 30
_SHARES = text("""
SELECT v.id, v.name AS vault, p.name AS owner, coalesce(w.waiting, 0) AS waiting,
       coalesce(d.hour, 0) AS hour, coalesce(d.day, 0) AS day, coalesce(a.asking, 0) AS asking,
       coalesce(s.requests, 0) AS requests, coalesce(s.tokens, 0) AS tokens,
       coalesce(s.money, 0) AS money
FROM vaults v JOIN people p ON p.id = v.owner_id
LEFT JOIN (
  SELECT vault_id, count(*) AS waiting FROM chunks
  WHERE embedding IS NULL AND text IS NOT NULL GROUP BY vault_id
) w ON w.vault_id = v.id
LEFT JOIN (
  SELECT vault_id, sum(chunks) FILTER (WHERE hour >= date_trunc('hour', now()))::bigint AS hour,
         sum(chunks)::bigint AS day
  FROM work_done WHERE hour > now() - interval '1 day' GROUP BY vault_id
) d ON d.vault_id = v.id
LEFT JOIN (
  SELECT vault_id, count(*) AS asking FROM requests WHERE state = 'waiting' GROUP BY vault_id
) a ON a.vault_id = v.id
LEFT JOIN (
  SELECT vault_id, sum(requests)::bigint AS requests, sum(tokens)::bigint AS tokens,
         sum(money)::bigint AS money
  FROM spending WHERE at > now() - interval '1 day' GROUP BY vault_id
) s ON s.vault_id = v.id
WHERE w.waiting > 0 OR d.day > 0 OR a.asking > 0 OR s.requests > 0
ORDER BY waiting + coalesce(a.asking, 0) DESC, day DESC, vault
""")
_DONE = text("""
SELECT 'embed', coalesce(sum(chunks), 0)::bigint FROM work_done
WHERE hour >= date_trunc('hour', now())
UNION ALL SELECT 'extract', count(*) FROM documents
WHERE fetched_at > now() - interval '1 hour' AND state = 'done'
UNION ALL SELECT queue, count(*) FROM requests
WHERE answered_at > now() - interval '1 hour' AND state = 'done' GROUP BY queue
""")
_OWNED = text("""
SELECT id FROM vaults WHERE owner_id = :person
UNION SELECT g.vault_id FROM grants g LEFT JOIN members m ON m.group_id = g.group_id
WHERE :person IN (g.person_id, m.person_id) AND g.role = 'owner' AND g.folder = ''
""")
_WORKERS = text("""
SELECT w.id, extract(epoch FROM now() - w.last_heartbeat)::int AS seconds, j.queue_name AS queue
FROM procrastinate_workers w
LEFT JOIN LATERAL (
  SELECT queue_name FROM procrastinate_jobs WHERE worker_id = w.id AND status = 'doing'
  ORDER BY id DESC LIMIT 1
) j ON true
ORDER BY w.id
""")


@dataclass(frozen=True, slots=True)
class VaultWork:
    """Passages of a vault that wait, and that were done since the hour began and in 24 hours.

    `asking` is the number of requests to services that wait; what was spent is of 24 hours, money
    in millionths of a dollar.
    """

    id: int
    vault: str
    owner: str
    waiting: int
    hour: int
    day: int
    asking: int
    requests: int
    tokens: int
    money: int


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker, the seconds since its last heartbeat, and the queue of its job, if it has one."""

    id: int
    seconds: int
    queue: str | None


def count_done(connection: Connection, vault: int, chunks: int) -> None:
    """Count chunks that are done for a vault; in the transaction that stores them."""
    made = upsert(work_done).values(
        vault_id=vault, hour=func.date_trunc("hour", func.now()), chunks=chunks
    )
    more = {"chunks": work_done.c.chunks + made.excluded.chunks}
    connection.execute(made.on_conflict_do_update(index_elements=["vault_id", "hour"], set_=more))


def forget_old(connection: Connection) -> None:
    """Delete counts that nobody asks for any more."""
    old = text("DELETE FROM work_done WHERE hour < now() - :days * interval '1 day'")
    connection.execute(old, {"days": _DAYS_KEPT})


def by_vault(connection: Connection) -> list[VaultWork]:
    """Return the vaults for which there is or was work, those that wait most first."""
    return [VaultWork(**row) for row in connection.execute(_SHARES).mappings()]


def workers(connection: Connection) -> list[Worker]:
    """Return the workers; one without a heartbeat for half a minute is dead or paused."""
    return [Worker(**row) for row in connection.execute(_WORKERS).mappings()]


def done_this_hour(connection: Connection) -> dict[str, int]:
    """Return passages, documents and answers that were done in the last hour, by queue."""
    return {queue: int(number) for queue, number in connection.execute(_DONE)}


def owned(connection: Connection, person: int) -> set[int]:
    """Return the vaults that somebody owns, or is owner of by a grant."""
    return set(connection.scalars(_OWNED, {"person": person}))
