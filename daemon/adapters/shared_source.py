"""A source that a hub's workers ask for this vault; without them, the vault asks it itself."""

import asyncio
from collections.abc import Callable
from typing import ClassVar
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from daemon.adapters.hub_client import HubClient
from daemon.model.citations import Citations
from daemon.model.errors import HubError
from daemon.model.evidence import Answer, Hit, SourceStatus
from daemon.model.shared_requests import MAX_HITS, MAX_QUERY, RequestAnswer, RequestState
from daemon.ports import CitationIndex, Source

_ANSWER = TypeAdapter(Answer)
_ASKS = 3  # times; the hub waits a while before each answer


class SharedSource:
    """Asks a hub for what `own` would find; of a source without a key here, `own` is None."""

    is_local: ClassVar[bool] = False

    def __init__(
        self,
        name: str,
        own: Source | None,
        client: HubClient,
        vault: str,
        record: Callable[[str], None],
    ) -> None:
        self.name = name
        self._own, self._client, self._record = own, client, record
        self._path = f"/hub/v1/vaults/{quote(vault, safe='')}/research"

    async def search(self, query: str, *, limit: int) -> Answer:
        """Search by way of the hub, or without it if it is away; what it refuses is not asked."""
        limit = min(limit, MAX_HITS)
        try:
            found = await asyncio.to_thread(self._asked, query[:MAX_QUERY], limit)
        except HubError as error:
            if self._own is not None:
                return await self._own.search(query, limit=limit)
            return self._unavailable(query, str(error))
        if found.answer is None:
            return self._unavailable(query, found.trouble)
        try:
            return _ANSWER.validate_python(found.answer)
        except ValidationError:
            return self._unavailable(query, "the hub's answer is not understood")

    def _asked(self, query: str, limit: int) -> RequestAnswer:
        """Raises HubError."""
        body = {"source": self.name, "query": query, "limit": limit}
        self._record(f"{self.name}: {query}")
        for _ in range(_ASKS):
            answer = self._client.post(self._path, body)
            try:
                found = RequestAnswer.model_validate(answer, strict=False)
            except ValidationError:
                raise HubError("the hub's answer is not understood") from None
            if found.state is not RequestState.WAITING:
                return found
        raise HubError("no worker of the hub has asked the source yet")

    def _unavailable(self, query: str, why: str) -> Answer:
        return Answer(self.name, query, SourceStatus.UNAVAILABLE, why=why, requests=1)


class SharedIndex(SharedSource):
    """The same, of a source that also knows citations, which the vault looks up itself."""

    index: CitationIndex

    async def citations(self, hit: Hit, *, limit: int) -> Citations:
        """Look a work up, without the hub."""
        return await self.index.citations(hit, limit=limit)


def shared_source(
    name: str, own: Source | None, client: HubClient, vault: str, record: Callable[[str], None]
) -> Source:
    """Return a source that is asked by way of a hub; `record` notes each query that is sent."""
    index: object = own
    if not isinstance(index, CitationIndex):
        return SharedSource(name, own, client, vault, record)
    made = SharedIndex(name, own, client, vault, record)
    made.index = index
    return made
