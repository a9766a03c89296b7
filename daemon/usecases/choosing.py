"""Research in two steps: what sources offer, and reading what the user chose of it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field

from daemon.model.agenda import AgendaStatus
from daemon.model.errors import LacunaError
from daemon.model.sources import PAGE
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, Number, Request
from daemon.usecases.research import PROBE, ResearchRequest, RunDocument, propose, run_at_once
from daemon.usecases.runs import RunId

if TYPE_CHECKING:  # research is loaded by who researches
    from daemon.research.discovered import Discovered


class DiscoverRequest(ResearchRequest):
    """What to ask sources for, or a run whose offers are to be listed again."""

    run: str = Field(default="", description="A run that `discover` began.")


class Offered(Document):
    """A document that sources offer, before it is read."""

    id: str = Field(description="Id by which you choose it.")
    question: str = Field(description="The question that it may answer.")
    title: str = Field(description="Title of the document.")
    url: str = Field(description="Address of the document.", examples=["https://doi.org/10.1000/b"])
    text: str = Field(description="Description by its source.")
    authors: tuple[str, ...] = Field(description="Names of its authors; empty when unknown.")
    published: str = Field(
        description='ISO 8601, as precise as the source states it; "" when unknown.'
    )
    sources: tuple[str, ...] = Field(description="The sources that returned it.")
    credibility: Number = Field(description="From 0 to 0.95, from what the sources report.")
    note: str = Field(description='The note that cites it; "" for none.')
    known: bool = Field(description="Whether an earlier run offered it.")
    requests: int = Field(description="Network requests needed to read it; 0 for a file of yours.")


class Discovery(Document):
    """What sources offer to a run that has read nothing yet; for each question the best first."""

    run: RunId
    offers: tuple[Offered, ...] = Field(
        description="The documents, the best of each question first."
    )
    skips_choice: bool = Field(
        description="Whether there is nothing to choose: only pages were requested, by address."
    )


class ReadRequest(Request):
    """Which documents of a discovery to read."""

    run: RunId
    chosen: tuple[str, ...] | None = Field(
        default=None, description="Their ids. Default: all that the depth allows."
    )


def discover(work: Work, request: DiscoverRequest) -> Discovery:
    """Ask the sources and read nothing. Raises LacunaError when there is nothing to research."""
    if request.run:
        offers = tuple(map(_offered, work.app.research.choosing.discovered(request.run)))
        return Discovery(run=request.run, offers=offers, skips_choice=False)
    options = work.app.at_once(depth=request.depth, sources=request.sources)
    agenda = propose(work, options, note=request.note, topics=request.topics)
    if agenda is None:
        raise LacunaError("nothing to research")
    run, found = work.app.research.choosing.discover(
        agenda,
        now=work.now,
        stop=work.stop,
        report=work.report,
        meanwhile=work.meanwhile,
    )
    return Discovery(
        run=run,
        offers=tuple(map(_offered, found)),
        skips_choice=not found and all(task.sources == (PAGE,) for task in agenda.tasks),
    )


def read(work: Work, request: ReadRequest) -> RunDocument:
    """Read what was chosen, and make findings of it. Raises LacunaError for an unknown run."""
    work.app.children.embedder.embed(PROBE)
    agenda = work.app.research.choosing.choose(request.run, request.chosen)
    return run_at_once(work, replace(agenda, status=AgendaStatus.APPROVED))


def _offered(found: "Discovered") -> Offered:
    hit = found.offer.hit
    return Offered(
        id=found.offer.ref,
        question=found.task.query,
        title=hit.title,
        url=hit.url,
        text=hit.snippet[:500],
        authors=hit.authors,
        published=hit.published,
        sources=tuple(dict.fromkeys((hit.source, *found.offer.also_from))),
        credibility=found.credibility.score,
        note=found.note,
        known=found.is_known,
        requests=found.requests,
    )


DISCOVER = Command(
    name="discover",
    request=DiscoverRequest,
    document=Discovery,
    carry_out=discover,
    makes_agenda=True,
    makes_notes=True,  # a command that confined itself for this goes on to write findings
    needs_embeddings=True,
    needs_library=True,
    is_about_the_model=True,
)
READ = Command(
    name="read_chosen",
    request=ReadRequest,
    document=RunDocument,
    carry_out=read,
    makes_notes=True,
    needs_embeddings=True,
    is_about_the_model=True,
)
