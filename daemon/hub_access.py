"""Build what reaches the hub. Loaded when the settings name one and it is first needed."""

from functools import partial
from urllib.parse import urlsplit

from daemon.adapters.browser_answer import waiting_for_browser
from daemon.adapters.hub_client import HubClient
from daemon.app import App
from daemon.config.hub_section import HUB_KEY, SharedFindings
from daemon.cycle.receiving import Receiving
from daemon.cycle.shared_findings import shared_findings
from daemon.cycle.sharing import Sharing, SharingRule
from daemon.hub_pages import hub_client
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import SharedFinding
from daemon.model.spending import Sending
from daemon.store.ledger import Ledger
from daemon.store.published_notes import PublishedNoteStore
from daemon.store.received_findings import ReceivedFindingStore

__all__ = ["client_of", "receiving_of", "sharing_of", "waiting_for_browser"]

_STATUSES = {
    SharedFindings.NONE: (),
    SharedFindings.ACCEPTED: (FindingStatus.ACCEPTED,),
    SharedFindings.PENDING: (FindingStatus.ACCEPTED, FindingStatus.PENDING),
}


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
        partial(_findings, app),
        partial(_record, app.scheduling.spending.ledger, urlsplit(hub.url).hostname or ""),
    )


def receiving_of(app: App) -> Receiving | None:
    """Return what receives findings; None if the settings want none. Raises HubError."""
    hub = app.settings.hub
    if not (hub.receive and hub.text):  # without text, the hub knows no gap of this vault
        return None
    return Receiving(
        ReceivedFindingStore(app.db),
        app.stores.findings,
        app.review.inbox,
        app.review.reviews,
        client_of(app),
        hub.vault,
        app.index.knowledge.paths,
    )


def _findings(app: App) -> dict[str, SharedFinding]:
    """Return the findings that the settings let out, by the path that the hub gets."""
    statuses = _STATUSES[app.settings.hub.findings]
    return shared_findings(app.stores.findings, app.adapter, app.settings.inbox.folder, statuses)


def _record(ledger: Ledger, host: str, what: str) -> None:
    ledger.record(Sending("hub", "notes", host, what, keys=(HUB_KEY,)))
