"""Web documents by way of a hub: its workers fetch and read each once, for all vaults."""

import asyncio
import time
from collections.abc import Callable

from pydantic import ValidationError

from daemon.adapters.allowed_addresses import checked_url
from daemon.adapters.extract import EXTRACTOR_VERSION, extracted
from daemon.adapters.hub_client import HubClient
from daemon.adapters.known_vectors import KnownVectors
from daemon.model.errors import ExtractError, HubError
from daemon.model.evidence import Hit
from daemon.model.shared_documents import MAX_URL, DocumentRequest, EmbeddedAnswer, SharedDocument
from daemon.ports import Extracted, Extractor, RetrievedDocument

_ASKS = 3  # times; the hub waits a while before each answer
_AWAY = 60.0  # seconds without the hub after it failed, so that research does not wait for it
_MALFORMED = (KeyError, TypeError, ValueError, OverflowError)


class SharedPages:
    """Asks a hub for documents. What it cannot give, the vault fetches itself."""

    def __init__(
        self,
        client: HubClient,
        vault: str,
        extractor: Extractor,
        record: Callable[[str], None],
        known: KnownVectors,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`vault` is its name on the hub. `record` notes each address that is sent, for
        `lacuna privacy`; `known` takes the embeddings of documents.
        """
        self._client, self._vault = client, vault
        self._extractor, self._known = extractor, known
        self._record, self._clock = record, clock
        self._away_until = 0.0

    async def get(self, hit: Hit, url: str) -> RetrievedDocument | None:
        """Return the document at an address, or None if the hub has none now.

        Raises RefusedError for an address that must not be fetched.
        """
        checked_url(url)
        if len(url) > MAX_URL or self._clock() < self._away_until:
            return None
        self._record(url)
        try:
            document = await asyncio.to_thread(self._document, url)
            return await asyncio.to_thread(self._retrieved, hit, document) if document else None
        except HubError:
            self._away_until = self._clock() + _AWAY
            return None
        except ExtractError:  # the vault fetches it itself; this says nothing about other documents
            return None

    def _document(self, url: str) -> SharedDocument | None:
        """Return a document, or None if no worker could fetch it. Raises HubError."""
        wanted = DocumentRequest(url=url, model=self._known.model, vault=self._vault)
        body = wanted.model_dump(mode="json")
        for _ in range(_ASKS):
            found = self._client.post("/hub/v1/documents", body)
            try:
                answer = EmbeddedAnswer.model_validate(found, strict=False)
            except ValidationError:
                raise HubError("the hub's answer is not understood") from None
            if answer.embeddings is not None and answer.embeddings.model == self._known.model:
                self._known.add(answer.embeddings.by_key())
            if not answer.is_waiting:
                return answer.document
        raise HubError("no worker of the hub has fetched the document yet")

    def _retrieved(self, hit: Hit, document: SharedDocument) -> RetrievedDocument:
        """Raises HubError, ExtractError, RefusedError."""
        checked_url(document.final_url)
        body = document.bytes
        return RetrievedDocument(
            hit=hit,
            final_url=document.final_url,
            body=body,
            content_type=document.content_type,
            fetched_at=document.fetched_at,
            extracted=self._extracted(document, body),
        )

    def _extracted(self, document: SharedDocument, body: bytes) -> Extracted:
        if document.version != EXTRACTOR_VERSION:  # a worker of another version
            kind, url = document.content_type, document.final_url
            return self._extractor.extract(body, content_type=kind, url=url)
        try:
            return extracted(document.extracted)
        except _MALFORMED:
            raise HubError("the hub's answer is not understood") from None
