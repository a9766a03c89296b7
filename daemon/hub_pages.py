"""Build the two ends of reading web documents by way of a hub: a vault's, and a worker's.

Loaded when the settings name a hub.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from urllib.parse import urlsplit

from daemon.adapters.extract import ChildExtractor
from daemon.adapters.hub_client import HubClient
from daemon.adapters.pages import Retrievers, fetch_copy
from daemon.adapters.robots import Robots
from daemon.adapters.shared_pages import SharedPages
from daemon.config import Settings, origin_text
from daemon.config.hub_section import HUB_KEY
from daemon.gates import gate
from daemon.model.errors import HubError
from daemon.model.evidence import Hit, SourceType
from daemon.model.spending import Sending
from daemon.ports import RetrievedDocument, Secrets
from daemon.store.ledger import Ledger

_SHARE = 3.0  # of the time-out of a page: a batch of notes is stored and indexed


def hub_client(settings: Settings, token: Callable[[], str | None]) -> HubClient:
    """Return a connection to the hub in the settings; nothing is sent yet. Raises HubError."""
    url = settings.hub.url
    if not url:
        raise HubError("this vault has no hub: `lacuna hub join URL NAME`")
    return HubClient(url, gate(settings, allow_origins=(origin_text(url),), share=_SHARE), token)


def shared_pages(
    settings: Settings, extractor: ChildExtractor, secrets: Secrets, ledger: Ledger
) -> SharedPages:
    """Return the documents of the hub in the settings. Raises HubError."""
    client = hub_client(settings, partial(secrets.get, HUB_KEY))
    hub = urlsplit(settings.hub.url).hostname or ""

    def record(url: str) -> None:
        ledger.record(Sending("hub", "document", hub, url, keys=(HUB_KEY,)))

    return SharedPages(client, extractor, record)


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
