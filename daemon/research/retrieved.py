"""A retrieved document after screening, as evidence."""

from hashlib import sha256

from daemon.model.evidence import Document
from daemon.ports import RetrievedDocument
from daemon.research.screen import SCREEN_VERSION, Screened


def content_key(body: bytes) -> str:
    """Return the identity of a document that has no other."""
    return f"sha256:{sha256(body).hexdigest()}"


def document_of(retrieved: RetrievedDocument, screened: Screened, key: str) -> Document:
    """Return the document with the identity `key`."""
    version = retrieved.extracted.version
    notes = [retrieved.note, "only its first part was read" if screened.is_cut else ""]
    return Document(
        id=sha256(key.encode("utf-8", "replace")).hexdigest()[:16],
        key=key,
        hit=screened.hit,
        final_url=screened.final_url,
        fetched_at=retrieved.fetched_at,
        sha256=sha256(retrieved.body).hexdigest(),
        text=screened.text,
        extracted_by=retrieved.extracted.extracted_by,
        note="; ".join(filter(None, notes)),
        via=retrieved.via,
        places=screened.places,
        normaliser=f"{version}.{SCREEN_VERSION}" if version else "",
    )
