"""Reports and digests in the vault, and the audio files of the inbox."""

from pathlib import Path

from pydantic import Field

from daemon.app import App
from daemon.config import Settings
from daemon.model.audio import AudioFormat
from daemon.model.errors import NotFoundError
from daemon.usecases.document import Document, Request
from daemon.usecases.note_links import note_uri
from daemon.usecases.place import Place, settings_of
from daemon.usecases.query import Query, of_all
from vault_adapters.base import NoteError
from vault_adapters.wikilink import note_name

_KINDS = frozenset({"report", "digest"})
_AUDIO = "Audio"  # a folder of the inbox
AUDIO_TYPES = {each.suffix: each.media_type for each in AudioFormat}


class WrittenNote(Document):
    """A report or a digest."""

    path: str = Field(description="Vault-relative path of its note.")
    name: str = Field(description="Name of the note.")
    kind: str = Field(description="What it is.", examples=["report", "digest"])
    created: str = Field(description='When it was written, as its note says; "" if it does not.')


class WrittenNoteRequest(Request):
    """Which note of Lacuna to show."""

    path: str = Field(description="Vault-relative path of the note.")


class WrittenText(Document):
    """A note that Lacuna wrote: its text quotes documents of others."""

    path: str = Field(description="Vault-relative path.")
    name: str = Field(description="Display name.")
    text: str = Field(description="The Markdown.")
    uri: str = Field(description="Opens it in the editor: obsidian:// or file://.")


class Reports(Document):
    """Reports and digests, the newest first, and audio files."""

    notes: tuple[WrittenNote, ...] = Field(description="The newest first.")
    audio: tuple[str, ...] = Field(description="Names of the audio files, the last by name first.")


def reports(app: App) -> Reports:
    """List reports, digests and audio files."""
    rows = [row for row in app.index.knowledge.own_notes() if row.frontmatter.get("type") in _KINDS]
    found = [
        WrittenNote(
            path=row.path,
            name=note_name(row.path),
            kind=str(row.frontmatter["type"]),
            created=str(row.frontmatter.get("created") or ""),
        )
        for row in rows
    ]
    names = [each.name for each in _audio_files(app.settings)]
    return Reports(
        notes=tuple(sorted(found, key=lambda each: (each.created, each.path), reverse=True)),
        audio=tuple(sorted(names, reverse=True)),
    )


def written_note(app: App, request: WrittenNoteRequest) -> WrittenText:
    """Return a note that Lacuna wrote. Raises LacunaError if there is none at this path."""
    row = next(
        (each for each in app.index.knowledge.own_notes() if each.path == request.path), None
    )
    if row is None:
        raise NotFoundError(f"{request.path}: Lacuna wrote no such note")
    try:
        text = app.adapter.load(row.path).decode("utf-8", "replace")
    except NoteError:
        raise NotFoundError(f"{row.path} is no longer in the vault") from None
    return WrittenText(
        path=row.path, name=note_name(row.path), text=text, uri=note_uri(app, row.path)
    )


def audio_file(place: Place, name: str) -> Path:
    """Return an audio file of the inbox. Raises LacunaError if there is none of this name."""
    found = {each.name: each for each in _audio_files(settings_of(place))}
    if name not in found:
        raise NotFoundError("there is no such audio file in the inbox")
    return found[name]


def _audio_files(settings: Settings) -> list[Path]:
    """Return the audio files that lie in the inbox; links to other places are none."""
    if settings.vault is None:
        return []
    folder = settings.vault / settings.inbox.folder / _AUDIO
    try:
        found = [each for each in folder.iterdir() if each.suffix in AUDIO_TYPES]
    except OSError:  # mostly there is no such folder
        return []
    return [each for each in found if each.is_file() and not each.is_symlink()]


REPORTS = of_all("reports", Reports, reports)
WRITTEN_NOTE = Query("written-note", WrittenNoteRequest, WrittenText, written_note)
