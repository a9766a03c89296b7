"""Agendas: what is planned; planning, approving and cancelling."""

from typing import Annotated

from pydantic import Field

from daemon.agenda.depth_limits import limits_fields, limits_line
from daemon.app import App
from daemon.model import agenda as model
from daemon.model.agenda import AgendaStatus, Choice, Depth, GapKind, Origin
from daemon.store.agendas import task_to_json
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, ListDocument, Moment, Number, Request, absent
from daemon.usecases.query import Query, of_all
from daemon.usecases.research import propose

AgendaId = Annotated[
    str,
    Field(
        description="An agenda's id, the beginning of it, its path or its name.",
        examples=["a-20261121-4f1c"],
    ),
]


class AgendaRequest(Request):
    """Which agenda is meant."""

    id: AgendaId


class ApproveRequest(AgendaRequest):
    """Which agenda to research now, and without which of its tasks."""

    blocked: tuple[str, ...] = Field(
        default=(), description="Ids of tasks that are not researched.", examples=[("1a2b3c4d",)]
    )


class ChangeRequest(AgendaRequest):
    """What to change in one task of an agenda that has not started."""

    task: str = Field(description="Id of the task.", examples=["1a2b3c4d"])
    choice: Choice | None = Field(
        default=None, description="Whether to research it; null: as it was."
    )
    query: str = Field(
        default="",
        max_length=300,
        description='The question for the sources; "": as it was.',
        examples=["why does bread go stale?"],
    )


class NewRequest(Request):
    """What to plan for."""

    note: str | None = Field(
        default=None,
        description="Path, name or title of one note. Default: the whole vault.",
        examples=["Sourdough"],
    )


class Task(Document):
    """One question of an agenda, put to one or more sources."""

    id: str = Field(description="Id of the task, unique in its agenda.")
    topic: str = Field(description="What it is about, in a few words.", examples=["stale bread"])
    query: str = Field(
        description="The question for the sources.", examples=["why does bread go stale?"]
    )
    sources: tuple[str, ...] = Field(
        description="Names of the sources to query.", examples=[("wikipedia", "crossref")]
    )
    because: str = Field(description="Why it is worth asking, in words.")
    note: str | None = Field(description="Vault-relative path of the note that led to it.")
    kind: GapKind = Field(
        description="`gap`: something is missing; `deepen`: a note could say more."
    )
    score: Number = Field(description="From 0 to 1.")
    choice: Choice = Field(description="What you decided.")
    excluded: tuple[str, ...] | None = absent(
        description="DOIs, URLs and titles of works that the note is about; absent: none."
    )
    details: str | None = absent(description="The figures behind `because`; absent: none.")
    origin: Origin | None = absent(
        description="Where its words come from; absent for your own question."
    )


class DepthLimits(Document):
    """How far an agenda goes at most; numbers are for each task unless another is named."""

    tasks: int = Field(description="Tasks of the agenda.")
    questions: int = Field(description="Questions of all tasks to all sources.")
    results: int = Field(description="Results of each source.")
    documents: int = Field(description="Documents that are read.")
    follow: tuple[str, ...] = Field(description="Sources that citations are followed through.")
    steps: int = Field(description="Steps along citations.")
    works: int = Field(description="Works whose citations are followed.")
    followed: int = Field(description="Documents read along citations.")


class Agenda(Document):
    """What is planned, when it runs, and why."""

    id: str = Field(description="Id of the agenda.")
    path: str | None = Field(description="Vault-relative path of its note, once written.")
    status: AgendaStatus = Field(description="Its state.")
    created: Moment = Field(description="When it was proposed.")
    runs_at: Moment | None = Field(description="When it runs; null: when you approve it.")
    trigger: str = Field(description="What started it, in words.")
    depth: Depth = Field(description="How far it goes.")
    depth_limits: DepthLimits = Field(description="The limits of its depth.")
    budget: DepthLimits = Field(description="Old name of `depth_limits`.")
    may_take: str = Field(description="Its limits in one line.")
    tries: int = Field(description="Runs that reached no source.")
    trouble: str = Field(description='Why no source could be reached; "" otherwise.')
    tasks: tuple[Task, ...] = Field(description="Its questions.")

    @classmethod
    def of(cls, agenda: model.Agenda) -> "Agenda":
        return cls.model_validate(agenda_fields(agenda))


class Agendas(ListDocument[Agenda]):
    """Agendas that have not ended, the oldest first."""


class AgendaAfter(Document):
    """An agenda after a command; null when there was nothing to plan."""

    agenda: Agenda | None = Field(description="The agenda; null: there was nothing to plan.")


def agendas(app: App) -> Agendas:
    """List the agendas that have not ended."""
    return Agendas(tuple(map(Agenda.of, app.stores.agendas.open())))


def agenda(app: App, request: AgendaRequest) -> Agenda:
    """Return one agenda. Raises LacunaError when it is unknown."""
    return Agenda.of(app.research.agendas.find(request.id))


def new(work: Work, request: NewRequest) -> AgendaAfter:
    """Plan for one note or for the whole vault, and write the agenda's note."""
    made = propose(work, work.app.scheduled, note=request.note)
    return AgendaAfter(agenda=Agenda.of(made) if made is not None else None)


def approve(work: Work, request: ApproveRequest) -> AgendaAfter:
    """Let an agenda run now. Raises LacunaError when it is unknown or has ended."""
    return _decided(work, request, AgendaStatus.APPROVED, request.blocked)


def change(work: Work, request: ChangeRequest) -> AgendaAfter:
    """Change a task of an agenda. Raises LacunaError when it is unknown or has started."""
    changed = work.app.research.agendas.change(
        request.id, request.task, work.now, choice=request.choice, query=request.query
    )
    return AgendaAfter(agenda=Agenda.of(changed))


def cancel(work: Work, request: AgendaRequest) -> AgendaAfter:
    """Cancel an agenda. Raises LacunaError when it is unknown or has ended."""
    return _decided(work, request, AgendaStatus.CANCELLED)


def agenda_fields(agenda: model.Agenda) -> dict[str, object]:
    """Return the values of an `Agenda` document."""
    return {
        "id": agenda.id,
        "path": agenda.path,
        "status": agenda.status,
        "created": agenda.created_at,
        "runs_at": agenda.runs_at,
        "trigger": agenda.trigger,
        "depth": agenda.depth,
        "depth_limits": limits_fields(agenda),
        "budget": limits_fields(agenda),
        "may_take": limits_line(agenda),
        "tries": agenda.tries,
        "trouble": agenda.trouble,
        "tasks": [task_to_json(task) for task in agenda.tasks],
    }


def _decided(
    work: Work, request: AgendaRequest, status: AgendaStatus, blocked: tuple[str, ...] = ()
) -> AgendaAfter:
    agendas = work.app.research.agendas
    return AgendaAfter(
        agenda=Agenda.of(agendas.decide(request.id, status, work.now, blocked=blocked))
    )


AGENDA = Query("agenda", AgendaRequest, Agenda, agenda)
AGENDAS = of_all("agendas", Agendas, agendas)
NEW = Command(
    name="agenda-new",
    request=NewRequest,
    document=AgendaAfter,
    carry_out=new,
    makes_agenda=True,
    makes_notes=True,
    needs_embeddings=True,
)
APPROVE = Command(
    name="agenda-approve", request=ApproveRequest, document=AgendaAfter, carry_out=approve
)
CHANGE = Command(
    name="agenda-change", request=ChangeRequest, document=AgendaAfter, carry_out=change
)
CANCEL = Command(
    name="agenda-cancel", request=AgendaRequest, document=AgendaAfter, carry_out=cancel
)
