"""The machines that share a vault: which one leads."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import ask
from daemon.model.wording import moment
from daemon.usecases.machines import LEAD, LeadRequest, Machine, MachineList

_FRESH = timedelta(days=1)


@click.command()
@common
def lead(options: Options) -> None:
    """Make this machine the leader of a synced vault.

    If several machines share a vault, one leads: only it does the research that notes and
    schedules ask for. The others stop researching once the sync delivers the change.
    """
    found = ask(options, LEAD, LeadRequest())
    if options.json:
        emit(MachineList(found.machines).as_json())
    elif not found.machines:
        say("This machine leads: machines.allow_others is off.")
    else:
        say(f"{found.machines[0].name} (this machine) leads.")


def machine_lines(
    machines: Sequence[Machine], standby: str, now: datetime
) -> Iterator[tuple[str, str]]:
    """Yield (label, line) of each machine: whether it leads, and its last heartbeat.

    Nothing for a single one. `standby` says why this machine does not research.
    """
    if len(machines) < 2:
        return
    for number, each in enumerate(machines):
        name = f"{each.name} (this machine)" if each.this else each.name
        role = "leads" if each.leads else "indexes and reviews"
        heartbeat = (
            f"last heartbeat {moment(each.heartbeat)}" if each.heartbeat else "not heard yet"
        )
        silent = each.heartbeat is not None and now - each.heartbeat >= _FRESH
        line = f"{name}: {role}; {heartbeat}{', silent since' if silent else ''}"
        yield ("" if number else "machines", line)
    if standby:
        yield "", f"not researching here: {standby}"
