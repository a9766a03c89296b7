"""The endpoints for research: each is a use case under an address and with names of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, Field

from daemon.model.finding import FindingStatus
from daemon.usecases import agendas, findings
from daemon.usecases.command import Command
from daemon.usecases.document import Request
from daemon.usecases.queries import QUERIES
from daemon.usecases.query import Query

RESEARCH = "/api/research"


class _Body(Request):
    model_config = ConfigDict(populate_by_name=False)


class Trigger(_Body):
    """What to plan research for: a note, or the whole vault."""

    source_note: str | None = Field(
        default=None,
        alias="sourceNoteId",
        description="Path, name or title of a note. Default: the whole vault.",
        examples=["Bread/Sourdough.md"],
    )


class Approval(_Body):
    """Which tasks of the agenda are not researched."""

    blocked: tuple[str, ...] = Field(
        default=(),
        alias="blockedTaskIds",
        description="Ids of tasks, as the agenda names them.",
        examples=[["t2"]],
    )


class Nothing(_Body):
    """No values."""


class Dismissal(_Body):
    """How a finding is dismissed."""

    never: bool = Field(
        default=False,
        alias="suppressTopic",
        description="Never suggest its topic again.",
        examples=[True],
    )


class Wanted(_Body):
    """Which findings to list."""

    status: FindingStatus | None = Field(
        default=None, description="Only with this status.", examples=["pending"]
    )
    agenda: agendas.AgendaId | None = Field(
        default=None, alias="agendaId", description="Only of this agenda."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address, the request that it takes, and the use case for which it stands.

    The answer is that of `shown`, when it is another one: the finding after a decision about it.
    """

    method: str
    path: str
    body: type[Request]
    use: Query[Any, Any] | Command[Any, Any]
    request: Callable[..., Request]  # of the body, and `id_` in the path
    status: int = 200
    shown: Query[Any, Any] | None = None

    @property
    def has_id(self) -> bool:
        """Whether the path contains an id."""
        return "{id}" in self.path


def _decided(id_: str, status: FindingStatus, *, never: bool = False) -> Request:
    return findings.DecideRequest(ids=(id_,), status=status, never=never)


ENDPOINTS = (
    Endpoint(
        method="POST",
        path=f"{RESEARCH}/trigger",
        body=Trigger,
        use=agendas.NEW,
        request=lambda body, id_: agendas.NewRequest(note=body.source_note),
        status=201,
    ),
    Endpoint(
        method="POST",
        path=f"{RESEARCH}/agenda/{{id}}/approve",
        body=Approval,
        use=agendas.APPROVE,
        request=lambda body, id_: agendas.ApproveRequest(id=id_, blocked=body.blocked),
        status=202,
    ),
    Endpoint(
        method="GET",
        path=f"{RESEARCH}/findings",
        body=Wanted,
        use=QUERIES["findings"],
        request=lambda body, id_: findings.FindingsRequest(status=body.status, agenda=body.agenda),
    ),
    Endpoint(
        method="POST",
        path=f"{RESEARCH}/findings/{{id}}/accept",
        body=Nothing,
        use=findings.DECIDE,
        request=lambda body, id_: _decided(id_, FindingStatus.ACCEPTED),
        status=201,
        shown=QUERIES["finding"],
    ),
    Endpoint(
        method="POST",
        path=f"{RESEARCH}/findings/{{id}}/dismiss",
        body=Dismissal,
        use=findings.DECIDE,
        request=lambda body, id_: _decided(id_, FindingStatus.DISMISSED, never=body.never),
    ),
)
