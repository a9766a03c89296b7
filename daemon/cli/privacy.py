"""What left this machine: to whom, when, and what of the vault was in it."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any
from urllib.parse import unquote_plus

import click

from daemon.app import App
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import opened
from daemon.cli.since import as_day
from daemon.model.spending import megabytes
from daemon.store.spent import Entry
from daemon.usecases.wording import counted, moment

_SHOWN = 5  # of what was said to each host
_NOT_HERE = (
    "What is asked is made of topics and titles of your notes, and stands here as it was sent, with"
    " keys by their names. Not in this list: the look-up of each host's address by your system,"
    " what an MCP server, a hook or a collector of telemetry that you set up sends by itself, and"
    " what a browser does with an address that you open."
)


@dataclass(slots=True)
class _Host:
    """What was sent to one host."""

    first: datetime
    last: datetime
    requests: int = 0
    came: int = 0
    by: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    said: deque[str] = field(default_factory=lambda: deque(maxlen=_SHOWN))
    times: int = 0


@click.command()
@click.option(
    "--since",
    metavar="DAY",
    callback=as_day,
    default="30d",
    show_default=True,
    help="From this day on, or `all`.",
)
@click.option("--host", help="Only what went to this host.")
@common
def privacy(options: Options, *, since: date, host: str | None) -> None:
    """Show what left this machine: to whom, when, and what was said there.

    DAY is a date such as 2026-11-01, 30d for the last thirty days, `today`, or `all`. Everything
    is here that went through Lacuna: questions, pages, robots.txt, models, notices and webhooks.
    """
    with opened(options) as app:
        sent = _sent(app, since, host)
        oldest = app.spent.oldest()
        if options.json:
            emit(
                {
                    "since": since.isoformat() if since > date.min else None,
                    "kept_since": oldest.isoformat() if oldest else None,
                    "sent": [_json(entry) for entry in sent],
                    "remarks": _NOT_HERE,
                }
            )
            return
        _tell(_by_host(sent), since, oldest)


def _sent(app: App, since: date, host: str | None) -> Iterable[Entry]:
    zone = app.spending.ledger.zone()
    begins = datetime.combine(since, time(), zone) if since > date.min else None
    return (
        entry for entry in app.spent.entries(begins) if host is None or entry.sending.host == host
    )


def _json(entry: Entry) -> dict[str, Any]:
    sending = entry.sending
    return {
        "at": entry.sent_at.isoformat(),
        "host": sending.host,
        "kind": sending.kind,
        "source": sending.source,
        "what": sending.what,
        "keys": list(sending.keys),
        "run": entry.run or None,
        "received": sending.amounts.bytes if entry.is_settled else None,
    }


def _by_host(sent: Iterable[Entry]) -> dict[str, _Host]:
    found: dict[str, _Host] = {}
    for entry in sent:
        sending = entry.sending
        host = found.setdefault(sending.host, _Host(entry.sent_at, entry.sent_at))
        host.last = entry.sent_at
        host.requests += sending.amounts.requests
        host.came += sending.amounts.bytes if entry.is_settled else 0
        host.by.add(sending.source)
        host.keys.update(sending.keys)
        host.times += 1
        host.said.append(unquote_plus(sending.what))
    return dict(sorted(found.items()))


def _tell(hosts: dict[str, _Host], since: date, oldest: datetime | None) -> None:
    when = f"since {since.isoformat()}" if since > date.min else "so far"
    if not hosts:
        say(f"Nothing left this machine {when}.")
    else:
        to = counted(len(hosts), "place")
        say(f"What left this machine {when}, to {to}:")
    for name, host in hosts.items():
        say(f"\n{name or '(unknown)'}: {counted(host.requests, 'request')}, {_times(host)}")
        keys = f", with the key {', '.join(sorted(host.keys))}" if host.keys else ""
        say(f"  for {', '.join(sorted(host.by))}{keys}; {megabytes(host.came)} came back")
        for said in host.said:
            say_folded(said, indent=4)
        if host.times > len(host.said):
            say(f"    and {host.times - len(host.said)} before these; --json shows all")
    say()
    if oldest is not None:
        say_folded(f"Single requests are kept since {moment(oldest)}.", indent=0)
    say_folded(_NOT_HERE, indent=0)


def _times(host: _Host) -> str:
    if host.first == host.last:
        return moment(host.first)
    return f"{moment(host.first)} to {moment(host.last)}"
