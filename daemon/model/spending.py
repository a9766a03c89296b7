"""Budgets and costs: requests, bytes, money and findings, by run, day and month."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MICROS = 1_000_000  # parts of a US dollar: sums of integers are exact


class Span(StrEnum):
    """The scope of a cap. A `quota` is a service's own daily limit, assumed to be by UTC."""

    RUN = "run"
    DAY = "day"
    MONTH = "month"
    QUOTA = "quota"


class Measure(StrEnum):
    REQUESTS = "requests"
    BYTES = "bytes"
    MONEY = "money"
    FINDINGS = "findings"
    TOKENS = "tokens"  # of language models, in and out


@dataclass(frozen=True, slots=True)
class Amounts:
    """What was spent, or is about to be; `money` is in millionths of a US dollar."""

    requests: int = 0
    bytes: int = 0
    money: int = 0
    findings: int = 0
    tokens: int = 0

    def of(self, measure: Measure) -> int:
        return int(getattr(self, measure.value))

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(
            self.requests + other.requests,
            self.bytes + other.bytes,
            self.money + other.money,
            self.findings + other.findings,
            self.tokens + other.tokens,
        )

    def __neg__(self) -> "Amounts":
        return Amounts(-self.requests, -self.bytes, -self.money, -self.findings, -self.tokens)


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be spent in a period: by one `source`, or by all together for "".

    `kept` of it is left for what follows.
    """

    span: Span
    measure: Measure
    most: int
    source: str = ""
    kept: int = 0

    def left(self, spent: Amounts) -> int:
        return max(0, self.most - self.kept - spent.of(self.measure))

    @property
    def budget(self) -> str:
        """Name it without its amount: `the token budget of this run`."""
        kind = "" if self.measure is Measure.BYTES else f"{self.measure.value.rstrip('s')} "
        when = {Span.RUN: "this run", Span.MONTH: "this month"}.get(self.span, "today")
        return f"the {kind}budget of {when}" + (f" for {self.source}" if self.source else "")

    def __str__(self) -> str:
        """Name it for a sentence: `today's 500 requests`, `this month's $5.00`."""
        whose = {Span.RUN: "this run's", Span.MONTH: "this month's"}.get(self.span, "today's")
        return f"{whose} {amount(self.measure, self.most)}"


def used_up(cap: Cap) -> str:
    """Return a message that a budget is used up."""
    is_one = cap.most == 1 or cap.measure in (Measure.BYTES, Measure.MONEY)
    return f"{cap} {'is' if is_one else 'are'} used up"


def amount(measure: Measure, number: int) -> str:
    """Format the amount: `500 requests`, `1.5 MB`, `$0.05`."""
    match measure:
        case Measure.MONEY:
            return dollars(number)
        case Measure.BYTES:
            return megabytes(number)
        case _:
            return f"{number} {measure.value if number != 1 else measure.value[:-1]}"


def dollars(micros: int) -> str:
    """Format money: in cents, and more precisely if cents would hide some of it."""
    if micros % 10_000 == 0:
        return f"${micros / MICROS:.2f}"
    return f"${micros / MICROS:.6f}".rstrip("0")


def megabytes(number: int) -> str:
    """Format bytes in the unit that fits: `15 B`, `340 kB`, `1.2 MB`."""
    if number < 1000:
        return f"{number} B"
    if number < 100_000:
        return f"{number / 1000:.3g} kB"
    return f"{number / 1e6:.1f} MB".replace(".0 MB", " MB")


def caps_of(
    span: Span,
    *,
    requests: int = 0,
    mb: float = 0,
    money: float = 0,
    findings: int = 0,
    tokens: int = 0,
) -> list[Cap]:
    """Make the caps of a period from settings: megabytes, dollars; 0 means no cap."""
    given = (
        (Measure.REQUESTS, requests),
        (Measure.BYTES, _whole(mb * 1_000_000)),
        (Measure.MONEY, _whole(money * MICROS)),
        (Measure.FINDINGS, findings),
        (Measure.TOKENS, tokens),
    )
    return [Cap(span, measure, most) for measure, most in given if most > 0]


def _whole(number: float) -> int:
    """Round positive values to at least 1: even a tiny cap is a cap."""
    return max(1, round(number)) if number > 0 else 0


def of_source(name: str, caps: Sequence[Cap]) -> list[Cap]:
    """Make caps that are for one source."""
    return [Cap(cap.span, cap.measure, cap.most, name) for cap in caps]


FINDING = "finding"


ONE_REQUEST = Amounts(requests=1)


@dataclass(frozen=True, slots=True)
class Sending:
    """A request about to be sent, or a finding about to be written.

    `source` is the spender; `what` contains no key's value; `keys` are names.
    """

    source: str
    kind: str
    host: str = ""
    what: str = ""
    keys: tuple[str, ...] = ()
    amounts: Amounts = ONE_REQUEST


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A row of the ledger."""

    sent_at: datetime
    run: str
    sending: Sending
    is_settled: bool


@dataclass(frozen=True, slots=True)
class SpentSum:
    """What was spent under one heading: `day` is of the user's calendar."""

    day: str
    run: str
    source: str
    amounts: Amounts
