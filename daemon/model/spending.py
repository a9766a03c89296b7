"""What may be spent and what was: requests, bytes, money and findings, by run, day and month."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MICROS = 1_000_000  # of which a US dollar has so many: sums of whole numbers are exact


class Span(StrEnum):
    """What a cap is for. A `quota` is a service's own day, which is taken to be that of UTC."""

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
    """The most that may be spent in a span: by one `source`, or by all together when it is ""."""

    span: Span
    measure: Measure
    most: int
    source: str = ""

    def left(self, spent: Amounts) -> int:
        return max(0, self.most - spent.of(self.measure))

    def __str__(self) -> str:
        """Name it as a sentence would: `today's 500 requests`, `this month's $5.00`."""
        whose = {Span.RUN: "this run's", Span.MONTH: "this month's"}.get(self.span, "today's")
        return f"{whose} {amount(self.measure, self.most)}"


def used_up(cap: Cap) -> str:
    """Say that nothing is left of it."""
    is_one = cap.most == 1 or cap.measure in (Measure.BYTES, Measure.MONEY)
    return f"{cap} {'is' if is_one else 'are'} used up"


def amount(measure: Measure, number: int) -> str:
    """Say how much it is: `500 requests`, `1.5 MB`, `$0.05`."""
    match measure:
        case Measure.MONEY:
            return dollars(number)
        case Measure.BYTES:
            return megabytes(number)
        case _:
            return f"{number} {measure.value if number != 1 else measure.value[:-1]}"


def dollars(micros: int) -> str:
    """Say a sum of money: in cents, and more exactly where cents would hide some of it."""
    if micros % 10_000 == 0:
        return f"${micros / MICROS:.2f}"
    return f"${micros / MICROS:.6f}".rstrip("0")


def megabytes(number: int) -> str:
    """Say how much it is in the unit that fits: `15 B`, `340 kB`, `1.2 MB`."""
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
    """Make the caps of a span from settings: megabytes, dollars; 0 means that there is no cap."""
    given = (
        (Measure.REQUESTS, requests),
        (Measure.BYTES, _whole(mb * 1_000_000)),
        (Measure.MONEY, _whole(money * MICROS)),
        (Measure.FINDINGS, findings),
        (Measure.TOKENS, tokens),
    )
    return [Cap(span, measure, most) for measure, most in given if most > 0]


def _whole(number: float) -> int:
    """Round what is above 0 to 1 at least: ever so small a cap is not none."""
    return max(1, round(number)) if number > 0 else 0


def of_source(name: str, caps: Sequence[Cap]) -> list[Cap]:
    """Make caps that are for one source."""
    return [Cap(cap.span, cap.measure, cap.most, name) for cap in caps]


FINDING = "finding"


ONE_REQUEST = Amounts(requests=1)


@dataclass(frozen=True, slots=True)
class Sending:
    """Something that is about to leave this machine, or a finding that is about to be written.

    `source` is whom it is put down to; `what` holds no key's value; `keys` are names.
    """

    source: str
    kind: str
    host: str = ""
    what: str = ""
    keys: tuple[str, ...] = ()
    amounts: Amounts = ONE_REQUEST


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A row of the ledger as it is read back."""

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
