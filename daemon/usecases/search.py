"""Searching the notes by words and by meaning."""

from pydantic import Field

from daemon.app import App
from daemon.usecases.document import Document, ListDocument, Number, Request, absent


class SearchRequest(Request):
    """What to search for; with `like`, the notes most similar to one that it has no link with."""

    query: str = Field(
        default="",
        description='Words and conditions: status:open, tag:#x, path:Folder, "a phrase", -tag:#x.',
        examples=["stale crumb -tag:#done"],
    )
    like: str | None = Field(default=None, description="Path, name or title of a note.")
    limit: int = Field(default=10, ge=1, description="Maximum number of notes.")


class SearchHit(Document):
    """A note that was found, by its best chunk."""

    path: str = Field(description="Vault-relative path.")
    heading: str = Field(description='The heading that the chunk is under, or "".')
    score: Number = Field(description="From 0 to 1: 1 is first by words and by meaning.")
    snippet: str = Field(description="What the chunk says.")
    name: str | None = absent(description="Name of the note; absent when it is unknown.")


class SearchHits(ListDocument[SearchHit]):
    """Notes that were found, the best first."""


def search(app: App, request: SearchRequest) -> SearchHits:
    """Search the index as it is. Raises LacunaError for an unknown note in `like`."""
    knowledge = app.knowledge
    found = (
        knowledge.search.search(request.query, request.limit)
        if request.like is None
        else knowledge.like(request.like, request.limit, request.query)
    )
    names = knowledge.titles_of(each.path for each in found)
    return SearchHits(
        tuple(
            SearchHit(
                path=each.path,
                heading=each.heading,
                score=each.score,
                snippet=each.snippet,
                name=names.get(each.path),
            )
            for each in found
        )
    )
