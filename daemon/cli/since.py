"""Parse a calendar day: 2026-11-01, or 30d for the last thirty days."""

import re
from datetime import date, timedelta

import click

from daemon.model.clock import now


def as_day(_context: click.Context, _parameter: click.Parameter, value: str | None) -> date | None:
    """Read `2026-11-01`, `30d`, `today` or `all`; `date.min` stands for all."""
    if value is None:
        return None
    text, today = value.strip().lower(), now().astimezone().date()
    if text in ("all", "today"):
        return date.min if text == "all" else today
    if found := re.fullmatch(r"(\d{1,5})d", text, re.ASCII):
        return today - timedelta(days=int(found[1]))
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not a day; use 2026-11-01, 30d, today or all"
        ) from None
