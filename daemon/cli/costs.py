"""What was spent, and what is left of each budget."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import click

from daemon.app import App, now
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import opened
from daemon.cli.since import as_day
from daemon.cycle.spending import amounts_json
from daemon.model.spending import MICROS, Amounts, Cap, Measure, Span, amount, dollars, megabytes
from daemon.store.spent import Sum

_HEADINGS = ("source", "day", "month", "run")
_SPANS = {Span.DAY: "today", Span.QUOTA: "today", Span.MONTH: "this month", Span.RUN: "each run"}
_WIDTHS = (10, 12, 12, 10)


@click.command()
@click.option(
    "--by",
    type=click.Choice(_HEADINGS),
    default="source",
    show_default=True,
    help="Sum up by this.",
)
@click.option(
    "--since", metavar="DAY", callback=as_day, help="From this day on; without it, this month."
)
@common
def costs(options: Options, *, by: str, since: date | None) -> None:
    """Show what was sent, received, paid and found, and what is left of each budget.

    DAY is a date such as 2026-11-01, 30d for the last thirty days, `today`, or `all`. What was
    under way when the daemon was killed counts as far as it may have gone.
    """
    with opened(options) as app:
        at = now()
        first = since or app.spending.ledger.today(at).replace(day=1)
        rows = _summed(app.spent.sums(first), by)
        left = list(_budgets(app))
        exhausted = app.spending.exhausted(at)
    total = sum(rows.values(), Amounts())
    if options.json:
        emit(
            {
                "since": first.isoformat() if first > date.min else None,
                "by": by,
                "rows": [{by: name, **amounts_json(each)} for name, each in rows.items()],
                "total": amounts_json(total),
                "budgets": left,
                "exhausted": exhausted,
            }
        )
        return
    when = f"Since {first.isoformat()}" if first > date.min else "In all"
    _tell(when, by, rows, total)
    _tell_budgets(left, exhausted)


def _summed(sums: Iterable[Sum], by: str) -> dict[str, Amounts]:
    """Add up under each heading, in order; what is of no run is `(no run)`.

    What was counted and taken back, because nothing was sent after all, is nothing to show.
    """
    found: dict[str, Amounts] = {}
    for each in sums:
        heading = each.day[:7] if by == "month" else str(getattr(each, by)) or "(no run)"
        found[heading] = found.get(heading, Amounts()) + each.amounts
    return {name: spent for name, spent in sorted(found.items()) if spent != Amounts()}


def _budgets(app: App) -> Iterable[dict[str, Any]]:
    """Say of each cap what was used of it; of a run's, only what it is."""
    at = now()
    used = dict(app.spending.ledger.used(app.spending.caps, at))
    for cap in app.spending.caps:
        spent = used.get(cap, Amounts())
        resets_at = app.spending.ledger.resets_at(cap.span, at)
        yield {
            "span": cap.span.value,
            "measure": cap.measure.value,
            "source": cap.source or None,
            "limit": _number(cap.measure, cap.most),
            "used": _number(cap.measure, spent.of(cap.measure)),
            "left": _number(cap.measure, cap.left(spent)),
            "resets_at": resets_at.isoformat() if resets_at else None,
            "says": _says(cap, spent),
        }


def _number(measure: Measure, value: int) -> float:
    return value / MICROS if measure is Measure.MONEY else value


def _says(cap: Cap, spent: Amounts) -> str:
    whose = f"{cap.source}, " if cap.source else ""
    if cap.span is Span.RUN:
        return f"{whose}{_SPANS[cap.span]}: up to {amount(cap.measure, cap.most)}"
    left = amount(cap.measure, cap.left(spent))
    return f"{whose}{_SPANS[cap.span]}: {left} of {amount(cap.measure, cap.most)} left"


def _tell(when: str, by: str, rows: dict[str, Amounts], total: Amounts) -> None:
    if not rows:
        say(f"{when}: nothing was spent.")
        return
    width = max(len(name) for name in (*rows, by, "total"))
    say(f"{when}, by {by}:\n")
    say(_line(by, ("requests", "received", "money", "findings"), width))
    for name, each in [*rows.items(), ("total", total)]:
        shown = (str(each.requests), megabytes(each.bytes), dollars(each.money), str(each.findings))
        say(_line(name, shown, width))


def _line(name: str, columns: tuple[str, ...], width: int) -> str:
    shown = "".join(f"{text:>{wide}}" for text, wide in zip(columns, _WIDTHS, strict=True))
    return f"  {name:<{width}}{shown}"


def _tell_budgets(left: list[dict[str, Any]], exhausted: str | None) -> None:
    say("\nBudgets:" if left else "\nThere are no budgets: everything is without a limit.")
    for each in left:
        say(f"  {each['says']}")
    if exhausted:
        say(f"\nNothing scheduled runs for now: {exhausted}.")
