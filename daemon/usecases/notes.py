"""The notes of a vault: indexing them, and the graph of their links."""

from pydantic import Field

from daemon.analysis.export import graph_json
from daemon.app import App
from daemon.index.sync import SyncReport
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, Number, Request


class IndexRequest(Request):
    """What to index."""

    embed: bool = Field(default=True, description="Embed notes, too; false: words and links only.")


class SkippedNote(Document):
    """A note that could not be read whole, and why."""

    path: str
    why: str


class Index(Document):
    """What the index holds now, and what was done."""

    notes: int
    links: int
    unresolved: int = Field(description="Links to missing notes.")
    chunks: int = Field(description="Passages of the notes.")
    embedded: int = Field(description="Chunks embedded now.")
    reused: int = Field(description="Chunks whose embedding was known.")
    removed: int = Field(description="Notes that are gone.")
    skipped: tuple[SkippedNote, ...]
    seconds: Number
    trouble: str = Field(default="", description='Why nothing could be embedded; "" if it could.')

    @classmethod
    def of(cls, report: SyncReport) -> "Index":
        skipped = tuple(SkippedNote(path=each.path, why=each.why) for each in report.skipped)
        return cls(
            notes=report.notes,
            links=report.links,
            unresolved=report.unresolved,
            chunks=report.chunks,
            embedded=report.embedded,
            reused=report.reused,
            removed=report.removed,
            skipped=skipped,
            seconds=round(report.seconds, 3),
            trouble=report.trouble,
        )


class Edge(Document):
    """Links from one note to another, of one kind."""

    source: str
    target: str
    kind: str = Field(examples=["link", "embed", "frontmatter", "canvas"])
    count: int


class UnresolvedEdge(Document):
    """Links from a note to one that does not exist."""

    source: str
    target: str
    count: int


class Graph(Document):
    """The link graph: nodes and edges by vault-relative path, sorted."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    unresolved: tuple[UnresolvedEdge, ...]


def index(work: Work, request: IndexRequest) -> Index:
    """Bring the index up to date. Without the model, words and links are indexed all the same."""
    return Index.of(
        work.app.knowledge.sync(
            now=work.now,
            progress=work.report.progress,
            stop=work.stop,
            embed=request.embed,
            meanwhile=work.meanwhile,
        )
    )


def graph(app: App) -> Graph:
    """Return the link graph of the index as it is."""
    found = graph_json(app.knowledge.notes.all(), app.knowledge.notes.links())
    return Graph.model_validate(found)


INDEX = Command(
    name="index",
    request=IndexRequest,
    document=Index,
    carry_out=index,
    is_slow=True,
    needs_sync=False,
    is_about_the_model=True,
)
