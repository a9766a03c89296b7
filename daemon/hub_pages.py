"""Build what a vault hands over to the workers of a hub, and what reads documents for a worker.

Loaded when the settings name a hub.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from daemon.adapters.extract import ChildExtractor
from daemon.adapters.hub_client import HubClient
from daemon.adapters.known_vectors import KnownVectors
from daemon.adapters.pages import Retrievers, fetch_copy
from daemon.adapters.robots import Robots
from daemon.adapters.shared_pages import SharedPages
from daemon.adapters.shared_source import shared_source
from daemon.config import Settings, origin_text
from daemon.config.hub_section import HUB_KEY
from daemon.gates import gate
from daemon.model.errors import HubError
from daemon.model.evidence import Hit, SourceType
from daemon.model.spending import Sending
from daemon.ports import Embedder, RetrievedDocument, Secrets, Source
from daemon.research.quotable import statements
from daemon.research.retrieved import content_key, document_of
from daemon.research.screen import screen
from daemon.research.synthesise import plain
from daemon.store.ledger import Ledger

_MOST_TEXTS = 2_000  # of a document: more than a vault compares
_SHARE = 3.0  # of the time-out of a page: a batch of notes is stored and indexed


def hub_client(settings: Settings, token: Callable[[], str | None]) -> HubClient:
    """Return a connection to the hub in the settings; nothing is sent yet. Raises HubError."""
    url = settings.hub.url
    if not url:
        raise HubError("this vault has no hub: `lacuna hub join URL NAME`")
    return HubClient(url, gate(settings, allow_origins=(origin_text(url),), share=_SHARE), token)


@dataclass(frozen=True, slots=True)
class Shared:
    """What a vault hands over to the workers of its hub."""

    settings: Settings
    client: HubClient
    extractor: ChildExtractor
    ledger: Ledger
    embedder: KnownVectors

    def pages(self) -> SharedPages | None:
        """Return what reads documents by way of the hub; None if the settings want none."""
        if not self.settings.hub.documents:
            return None
        record = partial(self._record, "document")
        vault = self.settings.hub.vault
        return SharedPages(self.client, vault, self.extractor, record, self.embedder)

    def sources(self, built: Mapping[str, Source]) -> dict[str, Source]:
        """Return the sources that are asked by way of the hub; of some, `built` has none."""
        hub, record = self.settings.hub, partial(self._record, "query")
        return {
            name: shared_source(name, built.get(name), self.client, hub.vault, record)
            for name in hub.sources
        }

    def _record(self, kind: str, what: str) -> None:
        host = urlsplit(self.settings.hub.url).hostname or ""
        self.ledger.record(Sending("hub", kind, host, what, keys=(HUB_KEY,)))


def shared_with_hub(
    settings: Settings,
    extractor: ChildExtractor,
    embedder: Embedder,
    secrets: Secrets,
    ledger: Ledger,
) -> Shared:
    """Return what is handed over to the hub in the settings. Raises HubError."""
    client = hub_client(settings, partial(secrets.get, HUB_KEY))
    return Shared(settings, client, extractor, ledger, KnownVectors(embedder))


def texts_compared(found: RetrievedDocument) -> list[str]:
    """Return the sentences of a document that vaults embed, whatever their question is."""
    document = document_of(found, screen(found), content_key(found.body))
    return list(dict.fromkeys(plain(each.text) for each in statements(document)))[:_MOST_TEXTS]


@contextmanager
def page_reader(settings: Settings) -> Iterator[Callable[[str], RetrievedDocument]]:
    """Return what fetches and reads the document at an address, as robots.txt allows.

    It raises FetchError, ExtractError.
    """
    extractor, robots = ChildExtractor(), Robots(gate(settings, share=0.5))
    retrievers = Retrievers(gate(settings, admit=robots.admit), extractor, robots)

    def read(url: str) -> RetrievedDocument:
        hit = Hit("hub", SourceType.WEB, url, "")
        return asyncio.run(fetch_copy(hit, url, retrievers, via="direct"))

    with closing(extractor):
        yield read
