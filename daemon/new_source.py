"""Adding a source: what an OpenAPI document proposes, and the user's own sources.yaml."""

import asyncio
from pathlib import Path

import yaml

from daemon.adapters.sources import Entry, load_registry
from daemon.adapters.sources.openapi import MAX_DOCUMENT_BYTES, Proposal, proposals, read_openapi
from daemon.config import Settings, sources_path
from daemon.gates import gate
from daemon.model.errors import FetchError, SourceError

__all__ = ["Entry", "Proposal", "checked_entry", "entry_text", "propose_sources", "sources_file"]


def propose_sources(settings: Settings, place: str, name: str, url: str = "") -> list[Proposal]:
    """Propose entries from the document at `place`, a path or an address; the likeliest first.

    `url` is where the service is, when the document does not say. Raises SourceError.
    """
    if place.startswith(("http://", "https://")):
        body, origin = _fetched(settings, place), place
    else:
        body, origin = _read(Path(place).expanduser()), ""
    document = read_openapi(body)
    if url:
        document = {**document, "servers": [{"url": url}]}
    return proposals(document, name, origin)


def entry_text(proposal: Proposal) -> str:
    """Return an entry as it is written into sources.yaml."""
    entry = {proposal.name: dict(proposal.entry)}
    text = yaml.safe_dump(entry, sort_keys=False, allow_unicode=True)
    return str(text)


def sources_file(config: Path | None) -> Path:
    """Return the path of the user's sources.yaml."""
    return sources_path(config)


def checked_entry(path: Path, name: str, text: str, draft: Path) -> str:
    """Return what sources.yaml holds with an entry added; `draft` is a file for trying it.

    Raises SourceError for a name that is taken, and for what would not be valid.
    """
    if name in load_registry(path):
        raise SourceError(f"{name}: there is such a source already; choose another --name")
    before = path.read_text("utf-8") if path.exists() else ""
    parted = before if not before or before.endswith("\n") else f"{before}\n"
    whole = f"{parted}\n{text}" if parted else text
    draft.write_text(whole, encoding="utf-8")
    try:
        known = load_registry(draft)
    except SourceError as error:
        why = str(error).removeprefix(f"{draft}: ")
        raise SourceError(f"{path}: with the new entry it is not valid: {why}") from None
    if name not in known or not load_registry(path).keys() < known.keys():
        raise SourceError(f"{path}: nothing can be added at its end: add the entry by hand")
    return whole


def _fetched(settings: Settings, url: str) -> bytes:
    """Fetch a document through the network guard. Raises SourceError."""
    try:
        found = asyncio.run(gate(settings, allow_origins=settings.network.allow_origins).get(url))
    except FetchError as error:
        raise SourceError(f"the document cannot be fetched: {error}") from None
    if found.status != 200:
        raise SourceError(f"the document cannot be fetched: HTTP {found.status}")
    return found.body


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from None
