"""The machines that share a vault: which of them leads."""

from pydantic import Field

from daemon.app import App
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, ListDocument, Moment, Request


class LeadRequest(Request):
    """Have this machine lead."""


class Machine(Document):
    """A machine that runs Lacuna on this vault."""

    id: str = Field(description="Id of the machine.", examples=["m-5d2a"])
    name: str = Field(description="Name of the machine.", examples=["laptop"])
    this: bool = Field(description="Whether it is this machine.")
    leads: bool = Field(description="Whether it researches what notes and schedules ask for.")
    heartbeat: Moment | None = Field(description="When its last heartbeat arrived here.")


class MachineList(ListDocument[Machine]):
    """The machines that share the vault, this one first; empty when the setting is off."""


class Machines(Document):
    """The machines that share the vault, this one first; empty when the setting is off."""

    machines: tuple[Machine, ...] = Field(description="The machines, this one first.")


def machines(app: App) -> tuple[Machine, ...]:
    """Return the machines that share the vault, this one first."""
    return tuple(
        Machine(
            id=each.machine.id,
            name=each.label,
            this=each.is_this,
            leads=each.leads,
            heartbeat=each.heard_at,
        )
        for each in app.review.machines.states()
    )


def lead(work: Work, _request: LeadRequest) -> Machines:
    """Make this machine research what notes and schedules request."""
    work.app.review.machines.lead(work.now)
    return Machines(machines=machines(work.app))


LEAD = Command(
    name="lead", request=LeadRequest, document=Machines, carry_out=lead, makes_notes=True
)
