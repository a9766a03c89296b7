"""What a run may still spend, and whether scheduled work has to wait for another day."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from daemon.model.run import RunRules
from daemon.model.spending import Amounts, Cap, Measure, Span, used_up
from daemon.store.ledger import Ledger

_LIMITING = (Measure.REQUESTS, Measure.BYTES, Measure.FINDINGS)  # without money much still works


class Spending:
    """The budgets of all together and of single sources (`caps`), and one run's part in them."""

    def __init__(self, ledger: Ledger, caps: Sequence[Cap] = ()) -> None:
        self.ledger = ledger
        self._caps = caps

    @property
    def caps(self) -> Sequence[Cap]:
        return (*self.ledger.caps, *self._caps)

    def rules(self, rules: RunRules) -> RunRules:
        """Lower the number of findings of a new run to what the budgets of findings leave."""
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
        """Return what a run has spent so far, and which budget ended it, or ""."""
        return self.ledger.spent_by(run), self.ledger.finish(run)

    def exhausted(self, now: datetime) -> str | None:
        """Return which budget of the day or month lets no scheduled work run at `now`, if any.

        Budgets of money are not included: free sources still work.
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
    """Return amounts for programs: `money` in US dollars, the rest in integers."""
    return {**asdict(amounts), "money": amounts.money / 1_000_000}
