"""Build what reaches the hub. Loaded when the settings name one and it is first needed."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from daemon.adapters.hub_client import HubClient
from daemon.app import App
from daemon.config import Settings, origin_text
from daemon.cycle.sharing import Sharing, SharingRule
from daemon.gates import gate
from daemon.keys import HUB_KEY
from daemon.model.errors import HubError
from daemon.model.spending import Sending
from daemon.store.ledger import Ledger
from daemon.store.published_notes import PublishedNoteStore

_SHARE = 3.0  # of the time-out of a page: a batch of notes is stored and indexed


def hub_client(settings: Settings, token: Callable[[], str | None]) -> HubClient:
    """Return a connection to the hub in the settings; nothing is sent yet. Raises HubError."""
    url = settings.hub.url
    if not url:
        raise HubError("this vault has no hub: `lacuna hub join URL NAME`")
    return HubClient(url, gate(settings, allow_origins=(origin_text(url),), share=_SHARE), token)


def client_of(app: App) -> HubClient:
    """Return a connection to the hub of a vault, with its stored token. Raises HubError."""
    return hub_client(app.settings, lambda: app.secrets.get(HUB_KEY))


def sharing_of(app: App) -> Sharing:
    """Return what publishes the vault as the settings say. Raises HubError."""
    hub = app.settings.hub
    return Sharing(
        app.stores.notes,
        PublishedNoteStore(app.db),
        client_of(app),
        hub.vault,
        app.children.embedder.model,
        SharingRule(hub.folders, hub.tags, hub.property, with_text=hub.text),
        partial(_record, app.scheduling.spending.ledger, urlsplit(hub.url).hostname or ""),
    )


def _record(ledger: Ledger, host: str, what: str) -> None:
    ledger.record(Sending("hub", "notes", host, what, keys=(HUB_KEY,)))
