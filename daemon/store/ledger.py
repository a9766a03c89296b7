"""The ledger of costs: counted before they are spent, and checked against the budgets.

Each request is a row, written before it is sent with the maximum cost, and corrected when the cost
is known. A kill in between counts too much, never too little. Sums by day, run and source are
updated in the same step, and outlive the rows.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import chain

from daemon.model.errors import SpentError
from daemon.model.spending import FINDING, Amounts, Cap, Measure, Sending, Span, used_up
from daemon.store.db import Database, Row

_SUMS = "sum(requests), sum(bytes), sum(money), sum(findings), sum(tokens)"
_RUN: ContextVar[str] = ContextVar("run", default="")
_MAX_TEXT_LENGTH = 1500  # characters of sent text that are kept


@dataclass(frozen=True, slots=True)
class _Moment:
    """When something is counted: `day` is of the user's calendar, `run` the current one."""

    now: datetime
    day: str
    run: str


class Ledger:
    """Counts what a vault's daemon and its commands spend. `caps` are the overall ones.

    Several runs may be active at once. Costs belong to the run in whose context they are spent: see
    `running`. Tasks and threads of asyncio inherit it.
    """

    def __init__(
        self,
        db: Database,
        *,
        clock: Callable[[], datetime],
        zone: Callable[[], tzinfo],
        caps: Sequence[Cap] = (),
    ) -> None:
        self._db = db
        self._clock = clock
        self.zone = zone
        self.caps = tuple(caps)
        self._own_caps: dict[str, tuple[Cap, ...]] = {}  # by the active run
        self._ended: dict[str, str] = {}
        self._noting = threading.Lock()

    @property
    def run(self) -> str:
        """The run in whose context this is called, or ""."""
        return _RUN.get()

    @contextmanager
    def running(self, run: str, caps: Sequence[Cap] = ()) -> Iterator[None]:
        """Count costs inside the `with` block as this run's; `caps` are its own limits, besides the
        overall ones.
        """
        with self._noting:
            self._ended.pop(run, None)
            self._own_caps[run] = tuple(caps)
        token = _RUN.set(run)
        try:
            yield
        finally:
            _RUN.reset(token)
            with self._noting:
                self._own_caps.pop(run, None)

    def finish(self, run: str) -> str:
        """Return which budget stood in a run's way first, or ""."""
        return self._ended.get(run, "")

    def reserve(self, sending: Sending, caps: Iterable[Cap] = ()) -> tuple[int, int]:
        """Reserve an amount if the overall limits and `caps` allow it.

        Returns the row's id, and how many of its bytes are allowed. Raises SpentError that names
        the used-up budget.
        """
        at = self._moment(self.run)
        with self._db.transaction():
            room = self._room(sending.amounts, caps, at)
            granted = replace(sending, amounts=replace(sending.amounts, bytes=room))
            self._add(at.day, at.run, sending.source, granted.amounts)
            return self._insert(at, granted, is_settled=False), room

    def extend(self, id_: int, more: int, caps: Iterable[Cap] = ()) -> int:
        """Count up to `more` expected bytes, before they are read; return how many.

        Raises SpentError if none are allowed.
        """
        with self._db.transaction():
            row = self._row(id_)
            if row is None:  # deleted while it came
                return more
            room = self._room(Amounts(bytes=more), caps, self._moment(row["run"]))
            self._db.execute("UPDATE ledger SET bytes = bytes + ? WHERE id = ?", (room, id_))
            self._add(row["day"], row["run"], row["source"], Amounts(bytes=room))
            return room

    def settle(self, id_: int, received: int) -> None:
        """Correct the number of bytes."""
        with self._db.transaction():
            row = self._row(id_)
            if row is None:
                return
            self._db.execute(
                "UPDATE ledger SET bytes = ?, is_settled = 1 WHERE id = ?", (received, id_)
            )
            difference = Amounts(bytes=received - row["bytes"])
            self._add(row["day"], row["run"], row["source"], difference)

    def settle_tokens(self, id_: int, tokens: int, money: int) -> None:
        """Replace the estimate of a call of a language model by what it took."""
        with self._db.transaction():
            row = self._row(id_)
            if row is None:
                return
            self._db.execute(
                "UPDATE ledger SET tokens = ?, money = ?, is_settled = 1 WHERE id = ?",
                (tokens, money, id_),
            )
            difference = Amounts(tokens=tokens - row["tokens"], money=money - row["money"])
            self._add(row["day"], row["run"], row["source"], difference)

    def release(self, id_: int) -> None:
        """Revoke a reservation: nothing was sent."""
        with self._db.transaction():
            row = self._row(id_)
            if row is not None:
                self._db.execute("DELETE FROM ledger WHERE id = ?", (id_,))
                self._add(row["day"], row["run"], row["source"], -amounts_of(row))

    def record(self, sending: Sending, *, run: str = "") -> None:
        """Count data that is sent in any case, and not for a run: a notification, a model's
        files.
        """
        at = self._moment(run)
        with self._db.transaction():
            self._add(at.day, at.run, sending.source, sending.amounts)
            self._insert(at, sending, is_settled=True)

    def count_finding(self, id_: str, source: str) -> None:
        """Count a finding before it is written, each only once."""
        known = "SELECT 1 FROM ledger WHERE run = ? AND kind = ? AND what = ?"
        if self._db.value(known, (self.run, FINDING, id_)) is None:
            sending = Sending(source, FINDING, what=id_, amounts=Amounts(findings=1))
            self.record(sending, run=self.run)

    def check(self, amounts: Amounts, caps: Iterable[Cap] = ()) -> None:
        """Raise SpentError if `amounts` exceed a budget, and count nothing."""
        self._room(amounts, caps, self._moment(self.run))

    def used(self, caps: Sequence[Cap], now: datetime | None = None) -> list[tuple[Cap, Amounts]]:
        """Return each cap with what was spent of it; those of runs only during one."""
        at = self._moment(self.run, now)
        kept = {cap: self._spent(cap, at) for cap in caps}
        return [(cap, spent) for cap, spent in kept.items() if spent is not None]

    def spent_by(self, run: str) -> Amounts:
        """Return what a run has spent so far."""
        return self._total("run = ?", (run,))

    def today(self, now: datetime) -> date:
        """Return the day of the user's calendar."""
        return now.astimezone(self.zone()).date()

    def resets_at(self, span: Span, now: datetime) -> datetime | None:
        """Return when a budget of a day or month starts again; None for a run's."""
        match span:
            case Span.RUN:
                return None
            case Span.QUOTA:
                return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)
            case Span.DAY:
                first = self.today(now) + timedelta(days=1)
            case Span.MONTH:
                first = (self.today(now).replace(day=1) + timedelta(days=32)).replace(day=1)
        return datetime.combine(first, time(), self.zone()).astimezone(UTC)

    def _moment(self, run: str, now: datetime | None = None) -> _Moment:
        now = now or self._clock()
        return _Moment(now, self.today(now).isoformat(), run)

    def _room(self, amounts: Amounts, caps: Iterable[Cap], at: _Moment) -> int:
        """Return how many of the bytes are allowed. Raises SpentError."""
        room = amounts.bytes
        own = self._own_caps.get(at.run, ())
        for cap in chain(self.caps, own, caps):
            wanted = amounts.of(cap.measure)
            spent = self._spent(cap, at) if wanted > 0 else None
            if spent is None:
                continue
            left = cap.left(spent)
            if left < (1 if cap.measure is Measure.BYTES else wanted):
                why = used_up(cap)
                self._note(cap, why, at.run)
                raise SpentError(why, cap.budget)
            room = min(room, left) if cap.measure is Measure.BYTES else room
        return room

    def _note(self, cap: Cap, why: str, run: str) -> None:
        """Record which budget of all sources ended the current run, the first one only."""
        with self._noting:
            if not cap.source and run in self._own_caps:
                self._ended.setdefault(run, why)

    def _spent(self, cap: Cap, at: _Moment) -> Amounts | None:
        """Return what was spent of a cap's period; None outside of runs, for a run's."""
        where, values = "1 = 1", tuple[str | float, ...]()
        match cap.span:
            case Span.RUN if not at.run:
                return None
            case Span.RUN:
                where, values = "run = ?", (at.run,)
            case Span.DAY:
                where, values = "day = ?", (at.day,)
            case Span.MONTH:
                month = at.day[:7]
                where, values = "day BETWEEN ? AND ?", (f"{month}-01", f"{month}-31")
            case Span.QUOTA:
                midnight = datetime.combine(at.now.astimezone(UTC).date(), time(), UTC)
                where, values = "sent_at >= ?", (midnight.timestamp(),)
        if cap.source:
            where, values = f"{where} AND source = ?", (*values, cap.source)
        return self._total(where, values, table="ledger" if cap.span is Span.QUOTA else None)

    def _total(
        self, where: str, values: Sequence[str | float], table: str | None = None
    ) -> Amounts:
        sql = f"SELECT {_SUMS} FROM {table or 'ledger_sums'} WHERE {where}"  # noqa: S608 our own
        row = self._db.row(sql, values)
        return Amounts(*(each or 0 for each in row)) if row is not None else Amounts()

    def _row(self, id_: int) -> Row | None:
        return self._db.row("SELECT * FROM ledger WHERE id = ?", (id_,))

    def _insert(self, at: _Moment, sending: Sending, *, is_settled: bool) -> int:
        spent = sending.amounts
        what = sending.what.encode("utf-8", "replace").decode()
        return self._db.insert(
            "INSERT INTO ledger (sent_at, day, run, source, kind, host, what, keys,"
            " requests, bytes, money, findings, tokens, is_settled)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(at.now.timestamp(), at.day, at.run, sending.source, sending.kind, sending.host),
                what if len(what) <= _MAX_TEXT_LENGTH else f"{what[:_MAX_TEXT_LENGTH]}…",
                json.dumps(sending.keys),
                *(spent.requests, spent.bytes, spent.money, spent.findings, spent.tokens),
                is_settled,
            ),
        )

    def _add(self, day: str, run: str, source: str, more: Amounts) -> None:
        self._db.execute(
            "INSERT INTO ledger_sums (day, run, source, requests, bytes, money, findings, tokens)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, run, source) DO UPDATE SET"
            " requests = requests + excluded.requests, bytes = bytes + excluded.bytes,"
            " money = money + excluded.money, findings = findings + excluded.findings,"
            " tokens = tokens + excluded.tokens",
            (day, run, source, more.requests, more.bytes, more.money, more.findings, more.tokens),
        )


def amounts_of(row: Row) -> Amounts:
    return Amounts(row["requests"], row["bytes"], row["money"], row["findings"], row["tokens"])
