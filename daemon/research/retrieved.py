"""A retrieved document after screening, as evidence."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256

from daemon.model.errors import ExtractError, FetchError, RefusedError
from daemon.model.evidence import Document, Hit
from daemon.ports import RetrievedDocument
from daemon.research.dedup import Offer
from daemon.research.identity import arxiv_of, keys_of, strongest
from daemon.research.screen import SCREEN_VERSION, Screened

GetDocument = Callable[[Hit], Awaitable[RetrievedDocument]]


async def retrieve(offer: Offer, get_document: GetDocument) -> tuple[Offer, RetrievedDocument]:
    """Retrieve what a source offered; return it, and what was read: the work, or its deposit.

    A deposit is read if the work cannot be, and a preprint of arXiv also if only a summary of the
    work can; it then has its own identity. Raises FetchError or ExtractError.
    """
    deposit = offer.deposit
    try:
        retrieved = await get_document(offer.hit)
    except RefusedError:
        raise
    except (FetchError, ExtractError):
        if deposit is None:
            raise
    else:
        is_summary = retrieved.extracted.extracted_by == "abstract"
        if deposit is None or not (is_summary and arxiv_of(deposit.url)):
            return offer, retrieved
        try:
            return _alone(offer, deposit), await get_document(deposit)
        except (FetchError, ExtractError):
            return offer, retrieved
    return _alone(offer, deposit), await get_document(deposit)


def _alone(offer: Offer, deposit: Hit) -> Offer:
    """Return a deposit as an offer of its own: the other sources returned the work, not it."""
    keys = keys_of(deposit)
    alone = replace(offer, hit=deposit, ref=strongest(keys) or deposit.url, keys=keys)
    return replace(alone, also_from=(), deposit=None)


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
