"""What was spent, and what is left of each budget."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from enum import StrEnum

from pydantic import Field

from daemon.app import App
from daemon.model.spending import MICROS, Amounts, Cap, Measure, Span, SpentSum, amount
from daemon.usecases.document import Day, Document, Moment, Number, Request, absent
from daemon.usecases.query import timed

_SPANS = {Span.DAY: "today", Span.QUOTA: "today", Span.MONTH: "this month", Span.RUN: "each run"}
_NO_RUN = "(no run)"


class Spent(Document):
    """Amounts that were spent."""

    requests: int = Field(default=0, description="Requests that were sent.", examples=[42])
    bytes: int = Field(default=0, description="Bytes received.", examples=[1_048_576])
    money: float = Field(default=0.0, description="US dollars.", examples=[0.025])
    findings: int = Field(default=0, description="Findings written.", examples=[3])

    @classmethod
    def of(cls, amounts: Amounts) -> "Spent":
        return cls.model_validate(spent_fields(amounts))


def spent_fields(amounts: Amounts) -> dict[str, Number]:
    """Return the values of a `Spent` document."""
    return {
        "requests": amounts.requests,
        "bytes": amounts.bytes,
        "money": amounts.money / MICROS,
        "findings": amounts.findings,
    }


class Heading(StrEnum):
    """What amounts are summed up by."""

    SOURCE = "source"
    DAY = "day"
    MONTH = "month"
    RUN = "run"


class CostsRequest(Request):
    """Which amounts to sum up."""

    by: Heading = Field(default=Heading.SOURCE, description="What to sum up by.")
    since: Day | None = Field(
        default=None,
        description="The first day, in local time. Default: the first day of this month;"
        " 0001-01-01 is everything.",
        examples=["2026-11-01"],
    )


class SpentUnder(Document):
    """Amounts under one heading; of `source`, `day`, `month` and `run` one is present."""

    source: str | None = absent(
        description="Name of the source; absent unless `by` is `source`.", examples=["crossref"]
    )
    day: str | None = absent(
        description="Day in local time; absent unless `by` is `day`.", examples=["2026-11-21"]
    )
    month: str | None = absent(
        description="Month in local time; absent unless `by` is `month`.", examples=["2026-11"]
    )
    run: str | None = absent(description="Id of the run; absent unless `by` is `run`.")
    requests: int = Field(description="Requests that were sent.", examples=[42])
    bytes: int = Field(description="Bytes received.", examples=[1_048_576])
    money: float = Field(description="US dollars.", examples=[0.025])
    findings: int = Field(description="Findings written.", examples=[3])

    @property
    def heading(self) -> str:
        return self.source or self.day or self.month or self.run or ""


class Budget(Document):
    """One limit, and what is left of it. Money is in US dollars, received data in bytes."""

    span: Span = Field(description="How long the limit holds for.")
    measure: Measure = Field(description="What is limited.")
    source: str | None = Field(description="The source that is limited; null: all together.")
    limit: Number = Field(description="The limit, in the unit of `measure`.", examples=[500])
    used: Number = Field(description="The amount used.", examples=[20])
    left: Number = Field(description="The amount left.", examples=[480])
    resets_at: Moment | None = Field(description="When the limit resets; null: each run.")
    says: str = Field(description="The budget in one line.", examples=["today: 480 of 500 left"])


class Costs(Document):
    """What was spent since a day, and what is left of each budget."""

    since: str | None = Field(
        description="The first day, in local time; null: everything.", examples=["2026-11-01"]
    )
    by: Heading = Field(description="What the rows are summed up by.")
    rows: tuple[SpentUnder, ...] = Field(description="The amounts, one row per value of `by`.")
    total: Spent = Field(description="The sum of all rows.")
    budgets: tuple[Budget, ...] = Field(description="Every limit that is set.")
    exhausted: str | None = Field(
        description="The budget that is used up; scheduled work waits for it."
    )


def costs(app: App, request: CostsRequest, *, now: datetime) -> Costs:
    """Sum up what was spent, and state every budget."""
    first = request.since or app.scheduling.spending.ledger.today(now).replace(day=1)
    rows = _summed(app.scheduling.spent.sums(first), request.by)
    return Costs(
        since=first.isoformat() if first > date.min else None,
        by=request.by,
        rows=tuple(_under(request.by, name, each) for name, each in rows.items()),
        total=Spent.of(sum(rows.values(), Amounts())),
        budgets=tuple(_budgets(app, now)),
        exhausted=app.scheduling.spending.exhausted(now),
    )


def _under(by: Heading, name: str, amounts: Amounts) -> SpentUnder:
    return SpentUnder.model_validate({by.value: name, **spent_fields(amounts)})


def _summed(sums: Iterable[SpentSum], by: Heading) -> dict[str, Amounts]:
    """Sum up under each heading, in order; costs outside of runs are `(no run)`.

    Amounts that were counted and revoked, because nothing was sent, are not shown.
    """
    found: dict[str, Amounts] = {}
    for each in sums:
        heading = each.day[:7] if by is Heading.MONTH else str(getattr(each, by)) or _NO_RUN
        found[heading] = found.get(heading, Amounts()) + each.amounts
    return {name: spent for name, spent in sorted(found.items()) if spent != Amounts()}


def _budgets(app: App, now: datetime) -> Iterator[Budget]:
    """Yield each limit with its usage; a run's limit without usage."""
    used = dict(app.scheduling.spending.ledger.used(app.scheduling.spending.caps, now))
    for cap in app.scheduling.spending.caps:
        spent = used.get(cap, Amounts())
        yield Budget(
            span=cap.span,
            measure=cap.measure,
            source=cap.source or None,
            limit=_number(cap.measure, cap.most),
            used=_number(cap.measure, spent.of(cap.measure)),
            left=_number(cap.measure, cap.left(spent)),
            resets_at=app.scheduling.spending.ledger.resets_at(cap.span, now),
            says=_budget_line(cap, spent),
        )


def _number(measure: Measure, value: int) -> Number:
    return value / MICROS if measure is Measure.MONEY else value


def _budget_line(cap: Cap, spent: Amounts) -> str:
    whose = f"{cap.source}, " if cap.source else ""
    if cap.span is Span.RUN:
        return f"{whose}{_SPANS[cap.span]}: up to {amount(cap.measure, cap.most)}"
    left, most = amount(cap.measure, cap.left(spent)), amount(cap.measure, cap.most)
    _, _, unit = most.partition(" ")
    left = left.removesuffix(f" {unit}") if unit else left  # once is enough
    return f"{whose}{_SPANS[cap.span]}: {left} of {most} left"


COSTS = timed("costs", CostsRequest, Costs, costs)
