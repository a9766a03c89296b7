"""A search of the notes and fast sources: what it is asked, what it finds, and saving it."""

import hashlib

from pydantic import Field

from daemon.findings.saved_search import FOLDER, saved_search_text
from daemon.model.evidence import SourceStatus
from daemon.model.web_search import Conflict, NoteSaying, SavedSearch, SourceSaying
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, Moment, Number, Request, Whole, absent
from daemon.usecases.research import RunDocument

MAX_WEB_QUERY = 1000  # characters that are sent to each source


class WebSearchRequest(Request):
    """What to search for, in notes and sources."""

    query: str = Field(
        max_length=MAX_WEB_QUERY,
        description="A question or words.",
        examples=["why does bread go stale"],
    )
    limit: Whole = Field(
        default=10, ge=1, le=50, description="Maximum number of notes, and of results."
    )


class NoteHit(Document):
    """A note of the vault in the result."""

    path: str = Field(description="Vault-relative path.")
    name: str = Field(description="Display name of the note.")
    heading: str = Field(description='The heading that the passage is under, or "".')
    text: str = Field(description="The passage.")


class WebHit(Document):
    """A result of a source that no note cites."""

    title: str = Field(description="Title of the result.")
    url: str = Field(description="Address of the result.")
    text: str = Field(description="What the source says about it.")
    published: str = Field(
        description='ISO 8601, as precise as the source states it; "" when unknown.'
    )
    authors: tuple[str, ...] = Field(description="Names of its authors; empty when unknown.")
    source_type: str = Field(description="Kind of the source.")
    sources: tuple[str, ...] = Field(description="The sources that returned it.")
    figures: tuple[tuple[str, str], ...] = Field(description="Name and value.")


class KnownHit(Document):
    """A document that sources returned, and that a note cites."""

    title: str = Field(description="Title of the document.")
    url: str = Field(description="Address of the document.")
    path: str = Field(description="The note that cites it.")


class Contradiction(Document):
    """A sentence of a note, and one of a result that contradicts it."""

    path: str = Field(description="Vault-relative path of the note.")
    note_says: str = Field(description="The sentence of the note.")
    title: str = Field(description="Title of the result.")
    url: str = Field(description="Address of the result.")
    result_says: str = Field(description="The sentence of the result.")
    kind: str = Field(
        description="How they contradict each other.", examples=["opposite", "other figure"]
    )


class SearchedSource(Document):
    """How a source answered."""

    name: str = Field(description="Name of the source.")
    status: SourceStatus = Field(description="How it answered.")
    results: int = Field(description="Number of results.")
    why: str = Field(description='What went wrong; "" when nothing did.')
    seconds: Number = Field(description="Duration, in seconds.")


class WebSearch(Document):
    """What the notes say, what is new outside, and where they contradict each other."""

    query: str = Field(description="The query.")
    at: Moment = Field(description="When it was searched.")
    notes: tuple[NoteHit, ...] = Field(description="Notes that match, the best first.")
    new: tuple[WebHit, ...] = Field(description="Results that no note cites.")
    known: tuple[KnownHit, ...] = Field(description="Results that a note cites.")
    contradictions: tuple[Contradiction, ...] = Field(
        description="Sentences of notes and results that contradict each other."
    )
    sources: tuple[SearchedSource, ...] = Field(description="How each source answered.")
    skipped: dict[str, str] = Field(description="Name of a source that was not queried: why.")
    remarks: tuple[str, ...] = Field(description="What hooks changed, and what was shortened.")
    seconds: Number = Field(description="Duration, in seconds.")


class WebSearchDone(WebSearch):
    """A search, and what was done with it."""

    saved: str | None = absent("Vault-relative path of its note; absent: it was not saved.")
    research: RunDocument | None = absent("The run that followed; absent: none.")


class SaveSearchRequest(Request):
    """A search to save."""

    found: WebSearch = Field(description="The search, as it was answered.")


class SearchSaved(Document):
    """Where a search was saved."""

    path: str = Field(description="Vault-relative path of the note in the inbox.")


def save_search(work: Work, request: SaveSearchRequest) -> SearchSaved:
    """Write a search into the inbox; the same search is written once."""
    found, app = request.found, work.app
    link, taken = app.index.knowledge.linker(), app.index.knowledge.paths()
    name = f"Search {found.at.astimezone(app.tz):%Y-%m-%d} {found.query[:80]}"
    saved = _saved(found)
    text = saved_search_text(saved, link=link, tz=app.tz)
    path = app.review.inbox.write_own(saved.id, name, text, taken=taken, folder=FOLDER)
    app.notifying.announce.saved_search(path, found.as_json(), work.now)
    return SearchSaved(path=path)


SAVE = Command(
    name="save_search",
    request=SaveSearchRequest,
    document=SearchSaved,
    carry_out=save_search,
    makes_notes=True,
)


def _saved(found: WebSearch) -> SavedSearch:
    silent = [
        f"{each.name}: {each.why}"
        for each in found.sources
        if each.status is SourceStatus.UNAVAILABLE
    ]
    named = hashlib.sha256(f"{found.query}\n{found.at.isoformat()}".encode()).hexdigest()
    return SavedSearch(
        id=f"s-{named[:12]}",
        query=found.query,
        created_at=found.at,
        notes=tuple(NoteSaying(each.path, each.heading, each.text) for each in found.notes),
        results=tuple(
            SourceSaying(
                each.title, each.url, each.text, each.published, each.sources, each.figures
            )
            for each in found.new
        ),
        conflicts=tuple(
            Conflict(each.path, each.note_says, each.title, each.url, each.result_says)
            for each in found.contradictions
        ),
        unavailable=tuple(silent),
    )
