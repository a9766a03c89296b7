"""Queries to sources and calls of models that vaults handed over: the queues `research`, `models`.

As with documents, a job names none: it takes what waits and no other worker has in hand, and stores
the answer in the transaction that has this lock. With it, it locks a place at the service: there
are as many as requests that may be sent at once, over all workers.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Protocol

from pydantic import JsonValue
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Text,
    cast,
    delete,
    func,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.attempts import (
    MOST,
    begin_work,
    count_attempt,
    forget_attempts,
    is_given_up,
)
from daemon.hub.database import Database
from daemon.hub.in_hand import HELD, begin_waiting, is_held, take
from daemon.hub.night_budget import Payer, paid_by
from daemon.hub.tables import offers, request_readers, requests, services, vaults
from daemon.model.errors import FetchError, HubError, HubUnknownError
from daemon.model.shared_requests import MODELS, RESEARCH, RequestAnswer, RequestState

_log = logging.getLogger(__name__)
_FRESH = timedelta(days=1)  # after which a request is sent again when somebody asks
_FAILED = timedelta(hours=1)  # the same for one that failed
_KEPT = timedelta(days=7)  # since somebody last asked for it
_OFFERED = timedelta(minutes=5)  # since a worker last said that it offers a service
_REST = timedelta(minutes=1)  # of a service that failed, over all workers
_MAX_TROUBLE = 500  # characters
_FEW = 8  # requests, as a run has at once: fewer of one person do not change their turn much

# What a worker locks: a request, and a place of its service.
_REQUEST = "'request/' || r.id"
_PLACE = "concat_ws('/', 'place', p.queue, p.place, p.name)"
# Of the person who has waited longest for each request that was served meanwhile, and a few more;
# then of their vault for which that is true. So a single request comes in the order of asking,
# and does not wait until another's hundred are done. Of a service with a free place. Each part is
# computed once, also while the tables have no statistics yet.
_NEXT = text(f"""
WITH held AS MATERIALIZED ({HELD}), free AS MATERIALIZED (
  SELECT DISTINCT ON (p.name) p.name AS service, p.place, {_PLACE} AS place_name FROM services p
  WHERE p.queue = :queue AND p.name = ANY(:names) AND p.due_at <= clock_timestamp()
    AND hashtextextended({_PLACE}, 0) NOT IN (SELECT key FROM held)
  ORDER BY p.name, p.place
), first AS MATERIALIZED (
  SELECT DISTINCT ON (r.vault_id, r.service) r.id, r.service, r.vault_id, r.asked_at
  FROM requests r
  WHERE r.queue = :queue AND r.state = 'waiting' AND r.service IN (SELECT service FROM free)
    AND hashtextextended({_REQUEST}, 0) NOT IN (SELECT key FROM held)
    AND NOT EXISTS (
      SELECT FROM attempts a WHERE a.queue = r.queue AND a.id = r.id AND a.number >= :most
    )
  ORDER BY r.vault_id, r.service, r.asked_at, r.id
), asking AS MATERIALIZED (
  SELECT r.vault_id, v.owner_id, min(r.asked_at) AS since
  FROM requests r JOIN vaults v ON v.id = r.vault_id
  WHERE r.queue = :queue AND r.state = 'waiting' GROUP BY r.vault_id, v.owner_id
), people AS MATERIALIZED (
  SELECT owner_id, min(since) AS since FROM asking GROUP BY owner_id
), used AS (
  SELECT v.id AS vault_id, p.owner_id, p.since, count(s.id) AS number
  FROM people p JOIN vaults v ON v.owner_id = p.owner_id
  LEFT JOIN spending s ON s.vault_id = v.id AND s.queue = :queue AND s.at > p.since
  GROUP BY v.id, p.owner_id, p.since
), turns AS MATERIALIZED (
  SELECT vault_id, since, number, sum(number) OVER (PARTITION BY owner_id) AS of_person FROM used
)
SELECT r.id, r.service, r.question, r.vault_id, p.place, {_REQUEST} AS name, p.place_name
FROM first f JOIN free p ON p.service = f.service JOIN requests r ON r.id = f.id
LEFT JOIN turns t ON t.vault_id = f.vault_id
LEFT JOIN asking a ON a.vault_id = f.vault_id
ORDER BY (now() - coalesce(t.since, f.asked_at)) / (:few + coalesce(t.of_person, 0))::int DESC,
  t.of_person,
  (now() - coalesce(a.since, f.asked_at)) / (:few + coalesce(t.number, 0))::int DESC,
  t.number, f.asked_at, f.id
LIMIT 1
""")  # noqa: S608 only names are put in
_STILL = text("""
SELECT EXISTS (
  SELECT FROM requests r JOIN services p ON p.queue = r.queue AND p.name = r.service
  WHERE r.id = :id AND r.state = 'waiting' AND p.place = :place AND p.due_at <= clock_timestamp()
)
""")
# The request of the same question that a vault has, or whose vaults may all read it and be read.
_ALIKE = text("""
WITH rights AS (
  SELECT v.id AS vault, v.owner_id AS person FROM vaults v
  UNION
  SELECT g.vault_id, coalesce(m.person_id, g.person_id) FROM grants g
  LEFT JOIN members m ON m.group_id = g.group_id WHERE g.folder = ''
)
SELECT r.key FROM requests r
WHERE r.alike = :alike AND NOT EXISTS (
  SELECT FROM request_readers q JOIN vaults theirs ON theirs.id = q.vault_id
  JOIN vaults mine ON mine.id = :vault
  WHERE q.request_id = r.id AND NOT (
    EXISTS (SELECT FROM rights WHERE vault = theirs.id AND person = mine.owner_id)
    AND EXISTS (SELECT FROM rights WHERE vault = mine.id AND person = theirs.owner_id)
  )
)
ORDER BY r.id LIMIT 1
""")
# When a place is free again that rests, of a service for which something waits.
_DUE = text("""
SELECT least(min(p.due_at), clock_timestamp() + interval '2 seconds') FROM services p
WHERE p.queue = :queue AND p.due_at > clock_timestamp() AND EXISTS (
  SELECT FROM requests r WHERE r.queue = p.queue AND r.service = p.name AND r.state = 'waiting'
)
""")


class Service(Protocol):
    """A source or a model that a worker offers.

    At most `places` requests are sent to it at once, and its places rest for `pause` after each.
    """

    @property
    def places(self) -> int: ...

    @property
    def pause(self) -> timedelta: ...

    def answer(self, question: bytes) -> bytes:
        """Send a request, counted in the hub's ledger, and return a JSON object.

        Raises FetchError with the reason if there is no answer.
        """
        ...


Services = Mapping[str, Mapping[str, Service]]
"""The services of a worker: by queue, then by name."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests, in one transaction."""

    connection: Connection

    def ask(
        self, queue: str, service: str, vault: int, question: bytes, *, apart: bool
    ) -> tuple[bytes, bool]:
        """Note what a vault asks; return the key of the request, and whether it has to be sent.

        The same question of two vaults whose owners may read both is sent once, unless it is kept
        `apart`: others learn nothing of it. Raises HubUnknownError if no worker offers the service.
        """
        if not self._is_offered(queue, service):
            raise HubUnknownError(f"no worker of the hub offers {service}")
        at, now = requests.c, func.now()
        alike = None if apart else _hash(queue, service, "", question)
        key = self._alike(alike, vault) or _hash(
            queue, service, f"{vault}{' apart' if apart else ''}", question
        )
        is_over = or_(
            (at.state == RequestState.DONE) & (at.answered_at < now - _FRESH),
            (at.state == RequestState.FAILED) & (at.answered_at < now - _FAILED),
            at.state == RequestState.REFUSED,
        )
        known = select(at.id, is_over.label("is_over")).where(at.key == key)
        row, is_new = self.connection.execute(known).first(), False
        if row is None:
            made = upsert(requests).values(
                key=key, alike=alike, queue=queue, service=service, vault_id=vault,
                question=question, state=RequestState.WAITING,
            )  # fmt: skip
            stored = made.on_conflict_do_nothing().returning(at.id)
            is_new = self.connection.execute(stored).first() is not None
        elif row.is_over:
            again = update(requests).where(at.id == row.id, is_over)
            values = {"state": RequestState.WAITING, "asked_at": now, "vault_id": vault}
            is_new = self.connection.execute(again.values(values)).rowcount == 1
            forget_attempts(self.connection, queue, [row.id])
        of_key = select(at.id).where(at.key == key)
        reads = upsert(request_readers).from_select(
            ["request_id", "vault_id"], of_key.add_columns(literal(vault))
        )
        again_read = {"asked_at": now, "refused": ""}
        self.connection.execute(
            reads.on_conflict_do_update(index_elements=["request_id", "vault_id"], set_=again_read)
        )
        return key, is_new

    def _alike(self, alike: bytes | None, vault: int) -> bytes | None:
        if alike is None:
            return None
        found = self.connection.scalar(_ALIKE, {"alike": alike, "vault": vault})
        return None if found is None else bytes(found)

    def _is_offered(self, queue: str, service: str) -> bool:
        seen = offers.c.seen_at > func.now() - _OFFERED
        one = select(offers.c.name).where(offers.c.queue == queue, offers.c.name == service, seen)
        return self.connection.execute(one).first() is not None

    def offered(self, queue: str) -> list[str]:
        """Return the names of the services that some worker offers."""
        seen = offers.c.seen_at > func.now() - _OFFERED
        names = select(offers.c.name).where(offers.c.queue == queue, seen)
        return list(self.connection.scalars(names.order_by(offers.c.name)))

    def answer(self, key: bytes) -> RequestAnswer:
        """Return what there is of a request that the person of this transaction may see.

        It is refused if the budget of this person did not allow it, whatever others may spend.
        """
        row = self.connection.execute(select(requests).where(requests.c.key == key)).first()
        if row is None:
            return RequestAnswer(state=RequestState.WAITING)
        if row.state == RequestState.DONE:
            return RequestAnswer(state=RequestState.DONE, answer=_object(row.answer))
        if row.state == RequestState.FAILED:
            return RequestAnswer(state=RequestState.FAILED, trouble=row.trouble)
        of_row = select(request_readers.c.refused).where(request_readers.c.request_id == row.id)
        refusals = self.connection.scalars(of_row).all()
        if not all(refusals):
            return RequestAnswer(state=RequestState.WAITING)
        return RequestAnswer(state=RequestState.REFUSED, trouble=refusals[0])

    def offer(self, queue: str, offered: Mapping[str, Service]) -> None:
        """Note that a worker offers services, for some minutes."""
        rows = [
            {"queue": queue, "name": name, "place": place}
            for name, service in offered.items()
            for place in range(service.places)
        ]
        if rows:  # a place that rests goes on resting
            self.connection.execute(upsert(services).values(rows).on_conflict_do_nothing())
            made = upsert(offers).values([{"queue": queue, "name": name} for name in offered])
            seen = {"seen_at": func.now()}
            keys = ["queue", "name"]
            self.connection.execute(made.on_conflict_do_update(index_elements=keys, set_=seen))

    def number_waiting(self, queue: str) -> int:
        """Return how many requests wait."""
        of_queue = (
            requests.c.queue == queue,
            requests.c.state == RequestState.WAITING,
            ~is_given_up(queue, requests.c.id),
        )
        return self.connection.scalar(select(func.count()).where(*of_queue)) or 0

    def free_at(self, queue: str) -> datetime:
        """Return when to look again for a free place, by the database's clock."""
        found: datetime = self.connection.execute(_DUE, {"queue": queue}).scalar_one()
        return found

    def tidy(self) -> None:
        """Give up what no worker offers any more, or what kills its workers, and delete what nobody
        asks for any more.
        """
        old = offers.c.seen_at < func.now() - _OFFERED
        self.connection.execute(delete(offers).where(old))
        there = select(offers.c.name).where(
            offers.c.queue == requests.c.queue, offers.c.name == requests.c.service
        )
        lost = (requests.c.asked_at < func.now() - _OFFERED) & ~there.exists()
        self._give_up(lost, "no worker of the hub offers it any more")
        for queue in (RESEARCH, MODELS):
            deadly = (requests.c.queue == queue) & is_given_up(queue, requests.c.id)
            self._give_up(deadly, f"its worker ended {MOST} times")
        gone = request_readers.c.asked_at < func.now() - _KEPT
        self.connection.execute(delete(request_readers).where(gone))

    def _give_up(self, which: ColumnElement[bool], why: str) -> None:
        """Give up requests that no worker has in hand."""
        name = literal("request/") + cast(requests.c.id, Text)
        free = (requests.c.state == RequestState.WAITING, which, ~is_held(name))
        given_up = {"state": RequestState.FAILED, "answered_at": func.now(), "trouble": why}
        self.connection.execute(update(requests).where(*free).values(given_up))


def serve_one(database: Database, queue: str, offered: Mapping[str, Service]) -> str:
    """Send one request and store its answer; return the name of the place from which it was sent,
    or "" if none could be sent.
    """
    while True:
        with database.begin() as connection:
            begin_work(connection, queue)
            values = {"queue": queue, "names": list(offered), "most": MOST, "few": _FEW}
            row = connection.execute(_NEXT, values).first()
            if row is None:
                return ""
            if _is_taken(connection, row):
                _send(database, connection, queue, row, offered[row.service])
                return f"{row.service} {row.place}"


def _is_taken(connection: Connection, row: Row[Any]) -> bool:
    """Lock a request and a place; return whether no other worker was faster."""
    still = {"id": row.id, "place": row.place}
    return take(connection, row.name, row.place_name) and bool(connection.scalar(_STILL, still))


def _send(
    database: Database, connection: Connection, queue: str, row: Row[Any], service: Service
) -> None:
    """Send a request that this transaction has locked, and store its answer."""
    count_attempt(database, queue, [row.id])
    begin_waiting(connection)
    with paid_by(Payer(queue, row.service, row.id, row.vault_id)) as payer:
        stored, rest = _answered(bytes(row.question), service, payer)
    if payer.refused:
        stored |= _for_another(connection, payer)
    now = func.clock_timestamp()
    # Not if it was deleted, or given up, in the meantime.
    of_row = (requests.c.id == row.id, requests.c.state == RequestState.WAITING)
    connection.execute(update(requests).where(*of_row).values(answered_at=now, **stored))
    forget_attempts(connection, queue, [row.id])
    of_place = (services.c.queue == queue, services.c.name == row.service)
    place = update(services).where(*of_place, services.c.place == row.place)
    connection.execute(place.values(due_at=now + rest))


def _answered(
    question: bytes, service: Service, payer: Payer
) -> tuple[dict[str, object], timedelta]:
    """Return what is stored of a request after an attempt, and how long its place rests."""
    try:
        found = service.answer(question)
    except FetchError as error:
        if payer.refused:
            return _given_up(RequestState.REFUSED, payer.refused), timedelta()
        return _given_up(RequestState.FAILED, str(error)), max(service.pause, _REST)
    except HubError:  # the database is away: nothing can be stored, and the job is tried again
        raise
    except Exception:  # noqa: BLE001 left waiting, it would be taken first again
        _log.exception("a request could not be sent")
        why = "an error of Lacuna: see the log of the worker"
        return _given_up(RequestState.FAILED, why), service.pause
    return {"state": RequestState.DONE, "answer": found, "trouble": ""}, service.pause


def _for_another(connection: Connection, payer: Payer) -> dict[str, object]:
    """Note whom a budget refused a request; return what has it sent for another one who asked."""
    of_request = request_readers.c.request_id == payer.request
    owner = select(vaults.c.owner_id).where(vaults.c.id == payer.vault).scalar_subquery()
    theirs = request_readers.c.vault_id.in_(select(vaults.c.id).where(vaults.c.owner_id == owner))
    why = payer.refused.replace("\0", "")[:_MAX_TROUBLE]
    connection.execute(update(request_readers).where(of_request, theirs).values(refused=why))
    others = select(request_readers.c.vault_id).where(of_request, request_readers.c.refused == "")
    other = connection.scalar(others.order_by(request_readers.c.asked_at).limit(1))
    return {} if other is None else {"state": RequestState.WAITING, "vault_id": other}


def _object(answer: bytes) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = json.loads(answer)
    return found


def _given_up(state: RequestState, why: str) -> dict[str, object]:
    return {"state": state, "answer": None, "trouble": why.replace("\0", "")[:_MAX_TROUBLE]}


def _hash(queue: str, service: str, vault: str, question: bytes) -> bytes:
    found = sha256(f"{queue}\0{service}\0{vault}\0".encode("utf-8", "surrogatepass"))
    found.update(question)
    return found.digest()
