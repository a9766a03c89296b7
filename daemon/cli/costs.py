"""`lacuna costs`: what was spent, and what is left of each budget."""

from collections.abc import Sequence
from datetime import date

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import opened
from daemon.cli.since import as_day
from daemon.model.clock import now
from daemon.model.spending import MICROS, dollars, megabytes
from daemon.usecases.costs import Budget, Costs, CostsRequest, Heading, Spent, SpentUnder
from daemon.usecases.costs import costs as costs_of

_COLUMNS = ("requests", "received", "money", "findings")
_WIDTHS = (10, 12, 12, 10)


@click.command()
@click.option(
    "--by",
    type=click.Choice([heading.value for heading in Heading]),
    default=Heading.SOURCE.value,
    show_default=True,
    help="Group by.",
)
@click.option("--since", metavar="DAY", callback=as_day, help="Start date.  [default: this month]")
@common
def costs(options: Options, *, by: str, since: date | None) -> None:
    """Show usage, and what is left of each budget.

    Usage counts requests, bytes, money and findings. DAY is a date such as 2026-11-01, 30d for
    the last thirty days, `today`, or `all`. Requests that were in progress when the daemon was
    killed count at their maximum possible cost.
    """
    with opened(options) as app:
        found = costs_of(app, CostsRequest(by=Heading(by), since=since), now=now())
    if options.json:
        emit(found.as_json())
        return
    _show_amounts(found)
    _show_budgets(found.budgets, found.exhausted)


def _show_amounts(found: Costs) -> None:
    when = f"Since {found.since}" if found.since else "In all"
    if not found.rows:
        say(f"{when}: nothing was spent.")
        return
    width = max(len(name) for name in (*(row.heading for row in found.rows), found.by, "total"))
    say(f"{when}, by {found.by}:\n")
    say(_line(found.by, _COLUMNS, width))
    for row in found.rows:
        say(_line(row.heading, _cells(row), width))
    say(_line("total", _cells(found.total), width))


def _cells(spent: Spent | SpentUnder) -> tuple[str, ...]:
    money = dollars(round(spent.money * MICROS))
    return str(spent.requests), megabytes(spent.bytes), money, str(spent.findings)


def _line(name: str, columns: tuple[str, ...], width: int) -> str:
    shown = "".join(f"{text:>{wide}}" for text, wide in zip(columns, _WIDTHS, strict=True))
    return f"  {name:<{width}}{shown}"


def _show_budgets(budgets: Sequence[Budget], exhausted: str | None) -> None:
    say("\nBudgets:" if budgets else "\nNo budgets are set.")
    for each in budgets:
        say(f"  {each.says}")
    if exhausted:
        say(f"\nSchedules are paused: {exhausted}.")
