"""What a run may still spend, and whether anything scheduled has to wait for another day."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from daemon.model.run import RunRules
from daemon.model.spending import Amounts, Cap, Measure, Span, used_up
from daemon.store.ledger import Ledger

_LIMITING = (Measure.REQUESTS, Measure.BYTES, Measure.FINDINGS)  # without money much goes on


class Spending:
    """The budgets of all together and of single sources (`caps`), and one run's part in them."""

    def __init__(self, ledger: Ledger, caps: Sequence[Cap] = ()) -> None:
        self.ledger = ledger
        self._caps = caps

    @property
    def caps(self) -> Sequence[Cap]:
        return (*self.ledger.caps, *self._caps)

    def rules(self, rules: RunRules) -> RunRules:
        """Lower what a new run may find to what is left of the budgets of findings."""
        most, why, by_source = rules.max_findings, "", dict[str, int]()
        for cap, spent in self.ledger.used(self.caps):
            left = cap.left(spent)
            if cap.measure is not Measure.FINDINGS:
                continue
            if cap.source:
                by_source[cap.source] = min(left, by_source.get(cap.source, left))
            elif left < most:
                most, why = left, used_up(cap)
        return replace(rules, max_findings=most, max_by_source=by_source, why_no_more=why)

    def of_run(self, run: str) -> tuple[Amounts, str]:
        """What a run has spent by now, and which budget ended it, or ""."""
        return self.ledger.spent_by(run), self.ledger.ended(run)

    def exhausted(self, now: datetime) -> str | None:
        """Say which budget of the day or month lets nothing scheduled run at `now`, if any.

        Money is in none of them: sources that cost nothing can be asked without.
        """
        for cap, spent in self.ledger.used(self.ledger.caps, now):
            is_limiting = cap.span in (Span.DAY, Span.MONTH) and cap.measure in _LIMITING
            if is_limiting and cap.left(spent) == 0:
                resets_at = self.ledger.resets_at(cap.span, now)
                if resets_at is not None:
                    local = resets_at.astimezone(self.ledger.zone())
                    return f"{used_up(cap)}; there is more from {local:%a %Y-%m-%d %H:%M}"
        return None


def amounts_json(amounts: Amounts) -> dict[str, float]:
    """Say amounts for programs: `money` in US dollars, the rest in whole numbers."""
    return {**asdict(amounts), "money": amounts.money / 1_000_000}
