"""What workers may spend in a night, for all vaults together, and what they spent.

Each request to a source or a model is a row, written before it is sent with its maximum cost, and
corrected afterwards. A kill in between counts too much, never too little. All sums are made under
one lock in the database: budgets and caps hold over all workers. A night lasts from noon to noon,
in the time zone of the database.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, fields

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection, delete, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.database import Database
from daemon.hub.tables import facts, spending
from daemon.model.errors import SpentError
from daemon.model.spending import Amounts, Cap, Measure, Sending, Span, used_up

_BUDGET = "night_budget"  # in `facts`
_NIGHT = "date_trunc('day', now() - interval '12 hours') + interval '12 hours'"
_LOCK = text("SELECT pg_advisory_xact_lock(7432)")
# A worker that is stopped here must not keep all others waiting.
_AT_MOST = text("""
SELECT set_config('lock_timeout', '20s', true),
       set_config('idle_in_transaction_session_timeout', '10s', true)
""")
_BEGINS = {
    Span.DAY: "date_trunc('day', now())",
    Span.QUOTA: "date_trunc('day', now(), 'UTC')",
    Span.MONTH: "date_trunc('month', now())",
}
_SUMS = ", ".join(
    "0" if each.name == "findings" else f"coalesce(sum({each.name}), 0)" for each in fields(Amounts)
)
_OF_OWNER = """vault_id IN (
  SELECT id FROM vaults WHERE owner_id = (SELECT owner_id FROM vaults WHERE id = :vault)
)"""
_WHOLE = 100  # per cent
_DAYS_KEPT = 62  # the sums of a month need it


class NightBudget(BaseModel):
    """The most of a night; 0: no limit. `money` is in millionths of a dollar, `share` the per cent
    of each that the vaults of one person may use.
    """

    model_config = ConfigDict(frozen=True)

    requests: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    money: int = Field(default=0, ge=0)
    share: int = Field(default=100, ge=1, le=100)

    def limits(self) -> Iterator[tuple[Measure, int]]:
        """Return what is limited."""
        for measure in (Measure.REQUESTS, Measure.TOKENS, Measure.MONEY):
            if most := getattr(self, measure.value):
                yield measure, most


@dataclass(slots=True)
class Payer:
    """For which request of which vault something is spent; a deleted vault's is None.

    `refused` says which budget did not allow it, or is "".
    """

    queue: str
    service: str
    request: int
    vault: int | None
    refused: str = ""


_PAYER: ContextVar[Payer] = ContextVar("payer")


def budget(connection: Connection) -> NightBudget:
    """Return the budget of a night."""
    found = connection.scalar(select(facts.c.value).where(facts.c.key == _BUDGET))
    return NightBudget.model_validate_json(found) if found else NightBudget()


def set_budget(connection: Connection, new: NightBudget) -> None:
    """Replace the budget; what was spent this night counts."""
    value = new.model_dump_json()
    made = upsert(facts).values(key=_BUDGET, value=value)
    connection.execute(made.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def spent_tonight(connection: Connection, vault: int | None = None) -> Amounts:
    """Return what was spent since noon, by all vaults or by those of the owner of one."""
    return _spent(connection, _NIGHT, *([_OF_OWNER] if vault else []), vault=vault)


def forget_spending(connection: Connection) -> None:
    """Delete rows that no sum needs any more."""
    old = text("DELETE FROM spending WHERE at < now() - :days * interval '1 day'")
    connection.execute(old, {"days": _DAYS_KEPT})


@contextmanager
def paid_by(payer: Payer) -> Iterator[Payer]:
    """Count what is sent in the block as this one's; tasks and threads of asyncio inherit it."""
    token = _PAYER.set(payer)
    try:
        yield payer
    finally:
        _PAYER.reset(token)


def payer() -> Payer | None:
    """Return for which request something is sent now."""
    return _PAYER.get(None)


class HubLedger:
    """Counts what a worker sends within `paid_by`, as a vault's ledger does for its daemon."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, amounts: Amounts, caps: Iterable[Cap] = ()) -> None:
        """Raise SpentError if `amounts` exceed a budget, and count nothing."""
        with self._database.begin() as connection:
            _require(connection, _PAYER.get(), amounts, caps)

    def reserve(self, sending: Sending, caps: Iterable[Cap] = ()) -> tuple[int, int]:
        """Count a request before it is sent; return the row's id, and how many of its bytes are
        allowed. Raises SpentError.
        """
        if min(astuple(sending.amounts)) < 0:
            raise ValueError("an amount is negative")
        payer = _PAYER.get()
        with self._database.begin() as connection:
            connection.execute(_AT_MOST)
            connection.execute(_LOCK)
            room = _require(connection, payer, sending.amounts, caps)
            of = sending.amounts
            row = insert(spending).values(
                queue=payer.queue,
                service=payer.service,
                request_id=payer.request,
                vault_id=payer.vault,
                requests=of.requests,
                bytes=room,
                tokens=of.tokens,
                money=of.money,
            )
            return int(connection.execute(row.returning(spending.c.id)).scalar_one()), room

    def extend(self, id_: int, more: int, caps: Iterable[Cap] = ()) -> int:
        """Count up to `more` bytes before they are read; return how many. Raises SpentError."""
        with self._database.begin() as connection:
            connection.execute(_AT_MOST)
            connection.execute(_LOCK)
            room = _require(connection, _PAYER.get(), Amounts(bytes=more), caps)
            self._set(connection, id_, bytes=spending.c.bytes + room)
            return room

    def settle(self, id_: int, received: int) -> None:
        """Correct the number of bytes."""
        with self._database.begin() as connection:
            self._set(connection, id_, bytes=received, is_settled=True)

    def settle_tokens(self, id_: int, tokens: int, money: int) -> None:
        """Replace the estimate of a call of a model by what it took."""
        with self._database.begin() as connection:
            self._set(connection, id_, tokens=tokens, money=money, is_settled=True)

    def release(self, id_: int) -> None:
        """Revoke a reservation: nothing was sent."""
        with self._database.begin() as connection:
            connection.execute(delete(spending).where(spending.c.id == id_))

    def _set(self, connection: Connection, id_: int, **values: object) -> None:
        connection.execute(update(spending).where(spending.c.id == id_).values(**values))


def _require(connection: Connection, payer: Payer, amounts: Amounts, caps: Iterable[Cap]) -> int:
    """Return how many of the bytes are allowed. Raises SpentError."""
    try:
        _require_night(connection, payer, amounts)
        return _room(connection, payer, amounts, caps)
    except SpentError as error:
        payer.refused = str(error)
        raise


def _room(connection: Connection, payer: Payer, amounts: Amounts, caps: Iterable[Cap]) -> int:
    room = amounts.bytes
    for cap in caps:
        wanted, begins = amounts.of(cap.measure), _BEGINS.get(cap.span)
        if wanted <= 0 or begins is None:  # a cap of a run is the vault's own
            continue
        where = ["queue = :queue", *(["service = :service"] if cap.source else [])]
        spent = _spent(connection, begins, *where, queue=payer.queue, service=payer.service)
        left = cap.left(spent)
        if left < (1 if cap.measure is Measure.BYTES else wanted):
            raise SpentError(f"on the hub, {used_up(cap)}", cap.budget)
        room = min(room, left) if cap.measure is Measure.BYTES else room
    return room


def _require_night(connection: Connection, payer: Payer, amounts: Amounts) -> None:
    limits = budget(connection)
    wanted = [(measure, most) for measure, most in limits.limits() if amounts.of(measure) > 0]
    if not wanted:
        return
    spent = spent_tonight(connection)
    own = spent_tonight(connection, payer.vault) if limits.share < _WHOLE and payer.vault else None
    for measure, most in wanted:
        now = amounts.of(measure)
        if spent.of(measure) + now > most:
            why = "the hub's budget for this night is used up"
            raise SpentError(why, "the hub's budget")
        if own is not None and own.of(measure) + now > max(now, most * limits.share // 100):
            why = "your share of the hub's budget for this night is used up"
            raise SpentError(why, "the hub's budget")


def _spent(connection: Connection, begins: str, *where: str, **values: object) -> Amounts:
    conditions = " AND ".join((f"at >= {begins}", *where))
    found = text(f"SELECT {_SUMS} FROM spending WHERE {conditions}")  # noqa: S608 no value is in it
    return Amounts(*(int(each) for each in connection.execute(found, values).one()))
