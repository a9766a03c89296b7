"""Requests that left this machine: where, when, and what of the vault was in them."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from urllib.parse import unquote_plus

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import opened
from daemon.cli.since import as_day
from daemon.model.spending import megabytes
from daemon.model.wording import counted, moment
from daemon.usecases.assistants import AssistantCall
from daemon.usecases.privacy import Privacy, PrivacyRequest, SentRequest
from daemon.usecases.privacy import privacy as privacy_of

_SHOWN = 5  # of what was sent to each host
_LONGEST = 300  # characters of a call


@dataclass(slots=True)
class _Host:
    """The requests to one host."""

    first: datetime
    last: datetime
    requests: int = 0
    received: int = 0
    by: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    texts: deque[str] = field(default_factory=lambda: deque(maxlen=_SHOWN))
    times: int = 0


@click.command()
@click.option(
    "--since",
    metavar="DAY",
    callback=as_day,
    default="30d",
    show_default=True,
    help="Start date, or `all`.",
)
@click.option("--host", help="Show only this host.")
@common
def privacy(options: Options, *, since: date, host: str | None) -> None:
    """Show what left this machine: recipient, time and content.

    DAY is a date such as 2026-11-01, 30d for the last thirty days, `today`, or `all`. Includes
    all traffic of Lacuna: questions, pages, robots.txt, models, notifications and webhooks. Also
    lists what assistants asked for through MCP.
    """
    with opened(options) as app:
        found = privacy_of(app, PrivacyRequest(since=since, host=host))
    if options.json:
        emit(found.as_json())
        return
    _show(_by_host(found.sent), found)


def _by_host(sent: Iterable[SentRequest]) -> dict[str, _Host]:
    found: dict[str, _Host] = {}
    for each in sent:
        host = found.setdefault(each.host, _Host(each.at, each.at))
        host.last = each.at
        host.requests += each.requests
        host.received += each.received or 0
        host.by.add(each.source)
        host.keys.update(each.keys)
        host.times += 1
        host.texts.append(unquote_plus(each.what))
    return dict(sorted(found.items()))


def _show(hosts: dict[str, _Host], found: Privacy) -> None:
    when = f"since {found.since}" if found.since else "so far"
    if not hosts:
        say(f"Nothing left this machine {when}.")
    else:
        to = counted(len(hosts), "place")
        say(f"What left this machine {when}, to {to}:")
    for name, host in hosts.items():
        say(f"\n{name or '(unknown)'}: {counted(host.requests, 'request')}, {_times(host)}")
        keys = f", with the key {', '.join(sorted(host.keys))}" if host.keys else ""
        say(f"  for {', '.join(sorted(host.by))}{keys}; {megabytes(host.received)} received back")
        for text in host.texts:
            say_folded(text, indent=4)
        if host.times > len(host.texts):
            say(f"    and {host.times - len(host.texts)} before these; --json shows all")
    say()
    for each in found.models:
        say_folded(f"{each.model} ({each.role}, {each.address}) is sent {each.receives}.", indent=0)
    _show_assistants(found.assistants)
    if found.kept_since is not None:
        say_folded(f"Single requests are kept since {moment(found.kept_since)}.", indent=0)
    say_folded(found.remarks, indent=0)


def _show_assistants(calls: Sequence[AssistantCall]) -> None:
    """Show which assistants called which tools, and the last calls."""
    if not calls:
        return
    names = ", ".join(sorted({each.client or "(unnamed)" for each in calls}))
    say(f"Assistants ({names}) called tools {counted(len(calls), 'time')}; the last calls:")
    for each in calls[-_SHOWN:]:
        shown = f"{moment(each.at)} {each.tool} {each.arguments}"
        shown += f" (refused: {each.refused})" if each.refused else ""
        say_folded(shown[:_LONGEST] + "…" * (len(shown) > _LONGEST), indent=4)
    say()


def _times(host: _Host) -> str:
    if host.first == host.last:
        return moment(host.first)
    return f"{moment(host.first)} to {moment(host.last)}"
