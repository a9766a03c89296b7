"""Findings of other vaults that a hub delivers: written into the inbox, reviewed, decided once."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from daemon.cycle.reviews import Reviews
from daemon.findings.received_note import (
    received_id,
    received_record,
    received_text,
    with_quotes,
)
from daemon.inbox.inbox import Inbox
from daemon.model.errors import HubConflictError, HubUnknownError, LacunaError
from daemon.model.evidence import Flag
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.shared_findings import AT_ONCE, Deliveries, Delivery, SharedQuote
from daemon.research.instructions import is_instruction, is_suspect
from daemon.research.letters import clean
from daemon.store.findings import FindingStore
from daemon.store.received_findings import OwnDecision, ReceivedFindingStore

_log = logging.getLogger(__name__)
FOLDER = "From others"


class Hub(Protocol):
    """A hub that delivers findings. Methods raise HubError."""

    @property
    def url(self) -> str: ...

    def delivered(self, vault: str, after: int) -> Deliveries:
        """Return the changes of deliveries to a vault after a revision."""
        ...

    def decide(self, delivery: int, status: FindingStatus) -> None:
        """Decide one. Raises HubConflictError if it is decided, HubUnknownError if it is gone."""
        ...


@dataclass(slots=True)
class Receiving:
    """Receives for one vault. `exchange` may run in any thread, `take` only in the writer's."""

    store: ReceivedFindingStore
    findings: FindingStore
    inbox: Inbox
    reviews: Reviews
    hub: Hub
    vault: str  # its name on the hub
    taken: Callable[[], Collection[str]]  # the paths of the whole vault

    def exchange(self, *, compare: bool) -> list[Delivery]:
        """Send the decisions that were made here, and return what is new on the hub.

        With `compare`, everything that is delivered. Raises HubError, StoreError.
        """
        for own in self.store.to_send():
            self._send(own)
        known = 0 if compare else self.store.revision(self._where)
        page = self.hub.delivered(self.vault, known)
        if page.revision < known:  # the hub was restored from an older copy
            page = self.hub.delivered(self.vault, 0)
        found = [*page.deliveries]
        while len(page.deliveries) == AT_ONCE:
            page = self.hub.delivered(self.vault, found[-1].revision)
            found += page.deliveries
        return found

    def take(self, received: Sequence[Delivery], now: datetime) -> int:
        """Write new findings, and carry out what others decided; return the number of new notes.

        A process that is killed in between does the rest the next time. Raises StoreError,
        VaultError.
        """
        written = 0
        for delivery in received:
            written += self._take(delivery, now)
            self.store.reached(self._where, delivery.revision)
        return written

    @property
    def _where(self) -> str:
        return f"{self.hub.url} {self.vault}"

    def _send(self, own: OwnDecision) -> None:
        try:
            self.hub.decide(own.delivery, own.status)
        except HubConflictError as error:
            # The decision of the hub follows with what it delivers.
            _log.warning("%s: you %s it too late: %s", own.path, own.status, error)
        except HubUnknownError:  # withdrawn, or no gap any more: the note stays as it is
            self.store.settle(own.delivery, own.status)
        else:
            self.store.settle(own.delivery, own.status)

    def _take(self, delivery: Delivery, now: datetime) -> bool:
        """Bring one delivery's note up to date; return whether it was written."""
        record = self._own(delivery)
        id_ = record.id if record is not None else received_id(delivery)
        is_new = record is None and delivery.status is not FindingStatus.DISMISSED
        if is_new:
            record = self._write(delivery, now)
        before = self.store.status(id_)
        self.store.put(id_, delivery.id, delivery.status)
        is_decided = delivery.status not in (FindingStatus.PENDING, before)
        if record is not None and is_decided and record.status is not delivery.status:
            self._follow(record, delivery, now)
        return is_new

    def _own(self, delivery: Delivery) -> FindingRecord | None:
        """Return the note of a delivery: written before, or found by this vault itself."""
        for id_ in (received_id(delivery), delivery.finding.key):
            record = self.findings.get(id_)
            if record is not None and record.id == id_:
                return record
        return None

    def _write(self, delivery: Delivery, now: datetime) -> FindingRecord:
        shown, flags = _screened(delivery)
        return self.inbox.add_reviewed(
            received_record(shown, now),
            received_text(shown, flags, now=now, tz=self.inbox.tz),
            taken=self.taken(),
            folder=FOLDER,
        )

    def _follow(self, record: FindingRecord, delivery: Delivery, now: datetime) -> None:
        """Decide as it was decided on the hub: a finding is decided once."""
        who = delivery.decided_by or "somebody who has left"
        try:
            self.reviews.command(record.id, delivery.status, now)
        except LacunaError as error:  # its note is gone, or just being changed
            _log.warning("%s %s %s on the hub: %s", who, delivery.status, record.path, error)
        else:
            _log.info("%s: %s by %s on the hub", record.path, delivery.status, who)


def _screened(delivery: Delivery) -> tuple[Delivery, tuple[Flag, ...]]:
    """Return a delivery without sentences that may command their reader, and what was seen."""
    finding = delivery.finding
    removed = [quote.text for quote in finding.quotes if is_suspect(clean(quote.text)[0])]
    kept = tuple(_cleaned(quote) for quote in finding.quotes if quote.text not in removed)
    sure = sum(map(is_instruction, removed))
    flags = (Flag("instructions", sure, 1.0),) if sure else ()
    title = clean(finding.title)[0]
    return with_quotes(delivery, delivery.gap if is_suspect(title) else title, kept), flags


def _cleaned(quote: SharedQuote) -> SharedQuote:
    credit = clean(quote.credit)[0]
    shown = {"text": clean(quote.text)[0], "credit": "" if is_suspect(credit) else credit}
    return quote.model_copy(update=shown)
