"""Citations: what a note or a document says, and where."""

from urllib.parse import quote

from pydantic import Field

from daemon.app import App
from daemon.asking.statements import Passage, PassageOrigin, line_of
from daemon.usecases.document import Document
from daemon.usecases.note_links import note_uri
from vault_adapters.base import NoteError


class Citation(Document):
    """An excerpt that answers, and where it is."""

    origin: PassageOrigin = Field(description="Whether it is from a note or from the library.")
    path: str = Field(description="Vault-relative path of a note; path of a document.")
    name: str = Field(description="Display name of the note, or title of the document.")
    heading: str = Field(description='The heading that it is under, or "".')
    line: int = Field(description="Where it begins, from 1; 0 in a document.")
    text: str = Field(description="The statement and those around it, without markup.")
    statement: str = Field(description="The statement that answers best.")
    uri: str = Field(description="Opens it: obsidian:// or file://.")


def citation(app: App, passage: Passage, text: str, statement: str, source: str) -> Citation:
    """Return a citation of a passage; `source` is how its first statement is written there."""
    return Citation(
        origin=passage.origin,
        path=passage.ref,
        name=passage.name,
        heading=passage.heading,
        line=_line(app, passage, source),
        text=text,
        statement=statement,
        uri=_uri(app, passage),
    )


def _line(app: App, passage: Passage, source: str) -> int:
    """Return the line of the note as it is now."""
    if passage.origin is PassageOrigin.LIBRARY:
        return 0
    try:
        text = app.adapter.load(passage.ref).decode("utf-8", "replace")
    except NoteError:
        return passage.line
    return line_of(source, text, passage.line)


def _uri(app: App, passage: Passage) -> str:
    """Return an address that opens the passage in the editor, the browser or a viewer."""
    if passage.origin is PassageOrigin.LIBRARY:
        return f"file://{quote(passage.ref)}"
    return note_uri(app, passage.ref)
