"""Adding a source that an OpenAPI document describes."""

from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from daemon.app import App
from daemon.model.errors import LacunaError, SourceError
from daemon.new_source import checked_entry, entry_text, propose_sources, sources_file
from daemon.usecases.document import Document, Request
from daemon.usecases.settings_file import replace_file


class AddSourceRequest(Request):
    """Where an OpenAPI document is, and what the source is to be called."""

    openapi: str = Field(description="Path or address of an OpenAPI 3 document, JSON or YAML.")
    name: str = Field(
        default="",
        description="Name of the new source. Default: from the document's title.",
        examples=["papers_db"],
    )
    operation: int = Field(default=1, ge=1, description="Number of the operation.")
    url: str = Field(default="", description="Where the service is, if the document does not say.")


class ProposedSource(Document):
    """An entry for sources.yaml, and what it lacks."""

    name: str = Field(description="Name of the new source.", examples=["papers_db"])
    operation: str = Field(description="The operation that it calls.")
    others: tuple[str, ...] = Field(description="All operations that it could call, by number.")
    entry: str = Field(description="The entry as YAML.")
    lacks: tuple[str, ...] = Field(description="What you have to fill in yourself.")
    key: str = Field(description='The name of the key that it needs; "" for none.')


class AddedSource(ProposedSource):
    """An entry for sources.yaml, and where it was written."""

    written: str = Field(description='Path of sources.yaml; "" if nothing was written.')


def propose(app: App, request: AddSourceRequest) -> ProposedSource:
    """Propose an entry for a service. Raises SourceError."""
    found = propose_sources(app.settings, request.openapi, request.name, request.url)
    if request.operation > len(found):
        raise SourceError(f"the document has {len(found)} such operations")
    chosen = found[request.operation - 1]
    return ProposedSource(
        name=chosen.name,
        operation=chosen.operation,
        others=tuple(each.operation for each in found),
        entry=entry_text(chosen),
        lacks=chosen.missing,
        key=str(chosen.entry.get("api_key", "")),
    )


def add(proposed: ProposedSource, config: Path | None) -> Path:
    """Add an entry to the user's sources.yaml, and return its path. What is there stays.

    Raises SourceError for what would not be valid, LacunaError for what cannot be written.
    """
    path = sources_file(config)
    try:
        with TemporaryDirectory() as folder:
            draft = Path(folder) / path.name
            whole = checked_entry(path, proposed.name, proposed.entry, draft)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path.resolve(), whole.encode())
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise LacunaError(f"{path}: {error.strerror}") from None
    return path
