"""The findings that a vault lets out to a hub."""

from collections.abc import Collection

from daemon.findings.received_note import HUB
from daemon.findings.shared_finding import shared_finding
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import SharedFinding
from daemon.store.findings import FindingStore
from vault_adapters.base import NoteError, VaultAdapter


def shared_findings(
    store: FindingStore, adapter: VaultAdapter, inbox: str, statuses: Collection[FindingStatus]
) -> dict[str, SharedFinding]:
    """Return the findings with one of these statuses, by the path that the hub gets.

    That path stays when a finding is accepted and moved, and is inside the inbox, for rights by
    folder. What another vault delivered is not sent on.
    """
    found = {}
    for record in store.all() if statuses else ():
        if record.status not in statuses or record.run == HUB:
            continue
        try:
            text = adapter.load(record.path).decode("utf-8", "replace")
        except NoteError:  # deleted: withdrawn
            continue
        finding = shared_finding(record, text)
        if finding is not None:
            found[f"{inbox}/{record.id}"] = finding
    return found
