"""The machines that share a vault: which of them leads."""

from collections.abc import Iterator
from datetime import timedelta

import click

from daemon.app import App, now
from daemon.cli.options import Options, common
from daemon.cli.output import emit, moment, say
from daemon.cli.session import ask

_FRESH = timedelta(days=1)


@click.command()
@common
def lead(options: Options) -> None:
    """Have this machine research what notes and schedules ask for.

    Of several machines that run Lacuna on one synced vault, one leads. The others stop
    researching when the sync has brought them the news.
    """
    found = ask(options, "lead", {})["machines"]
    if options.json:
        emit(found)
    elif not found:
        say("This machine leads: several_machines is off.")
    else:
        say(f"{found[0]['name']} (this machine) leads.")


def machine_lines(app: App) -> Iterator[tuple[str, str]]:
    """Yield (label, line) of each machine: whether it leads, and its last heartbeat.

    Nothing for one that is alone.
    """
    found = app.machines.standings()
    if len(found) < 2:
        return
    for number, each in enumerate(found):
        name = f"{each.label} (this machine)" if each.is_this else each.label
        role = "leads" if each.leads else "indexes and reviews"
        heard = f"last heartbeat {moment(each.heard_at)}" if each.heard_at else "not heard yet"
        silent = each.heard_at is not None and now() - each.heard_at >= _FRESH
        line = f"{name}: {role}; {heard}{', silent since' if silent else ''}"
        yield ("" if number else "machines", line)
    if why := app.machines.standby(now()):
        yield "", f"not researching here: {why}"
