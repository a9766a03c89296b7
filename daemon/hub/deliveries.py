"""Findings delivered to the vaults whose gaps they fill, and decided once.

A finding fills a gap if its topic, title or question contains the name of a note that the vault
links to and lacks. It is delivered if the owner of that vault may read it, and shown to those who
may review the linking note and read the finding.
"""

from typing import Any

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, text, update

from daemon.hub.database import Database
from daemon.hub.log import record
from daemon.hub.members import Person
from daemon.hub.readable import REVIEWERS, readable
from daemon.hub.tables import deliveries, findings, vaults, wanted
from daemon.model.errors import HubConflictError, HubUnknownError
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import AT_ONCE, Deliveries, Delivery

# A name of one or two letters must be the whole topic: it occurs in too many questions.
_NEW = text("""
SELECT DISTINCT ON (f.id) f.id, w.path, w.name
FROM wanted w JOIN findings f
  ON f.vault_id <> w.vault_id AND f.words @@ phraseto_tsquery('simple', w.name)
  AND (length(regexp_replace(w.name, '\\W', '', 'g')) > 2 OR lower(f.topic) = lower(w.name))
WHERE w.vault_id = :vault
  AND NOT EXISTS (
    SELECT FROM deliveries d WHERE d.finding_id = f.id AND d.vault_id = w.vault_id)
ORDER BY f.id, w.name, w.path
LIMIT 1000
""")


def deliver(database: Database, vault: int, owner: Person) -> int:
    """Deliver to a vault what fills its gaps and its owner may read; return how many findings."""
    with database.as_person(owner.id) as connection:
        new = connection.execute(_NEW, {"vault": vault}).all()
        may_read = readable(findings).where(findings.c.id.in_([row.id for row in new]))
        allowed = set(connection.scalars(may_read))
    new = [row for row in new if row.id in allowed]
    if not new:
        return 0
    with database.begin() as connection:
        there = select(findings.c.id).where(findings.c.id.in_([row.id for row in new]))
        kept = set(connection.scalars(there.with_for_update(key_share=True)))
        last = _count(connection, vault, len(kept))
        known = select(deliveries.c.finding_id).where(deliveries.c.vault_id == vault)
        kept -= set(connection.scalars(known))  # delivered in the meantime
        rows = [row for row in new if row.id in kept]
        for number, row in enumerate(rows):
            values = {"finding_id": row.id, "vault_id": vault, "path": row.path, "gap": row.name}
            connection.execute(insert(deliveries).values(**values, revision=last - number))
    return len(rows)


def delivered(connection: Connection, vault: int, after: int) -> Deliveries:
    """Return changes of a vault's deliveries, on a connection of `Database.as_person`."""
    last = connection.scalar(select(vaults.c.delivered).where(vaults.c.id == vault)) or 0
    chosen = _deliveries().where(deliveries.c.vault_id == vault, deliveries.c.revision > after)
    rows = connection.execute(chosen.order_by(deliveries.c.revision).limit(AT_ONCE)).mappings()
    return Deliveries(revision=last, deliveries=tuple(map(_delivery, rows)))


def to_review(connection: Connection, limit: int, *, is_decided: bool = False) -> list[Delivery]:
    """Return the newest deliveries of all vaults that somebody may review: pending ones, or
    decided ones. On a connection of `Database.as_person`.
    """
    is_pending = deliveries.c.status == FindingStatus.PENDING
    chosen = _deliveries().where(~is_pending if is_decided else is_pending)
    rows = connection.execute(
        chosen.order_by(deliveries.c.at.desc(), deliveries.c.id.desc()).limit(limit)
    ).mappings()
    return list(map(_delivery, rows))


def decide(database: Database, delivery: int, status: FindingStatus, person: Person) -> Delivery:
    """Decide a pending delivery; the same decision twice is one. Return it.

    Raises HubConflictError if somebody else was first, HubUnknownError if there is none to
    review.
    """
    with database.begin() as connection:
        with database.acting(connection, person.id):
            _reviewable(connection, delivery)
        vault = select(deliveries.c.vault_id).where(deliveries.c.id == delivery)
        # The vault's row is locked first: of two decisions, the second one waits here.
        number = _count(connection, connection.scalar(vault) or 0, 1)
        with database.acting(connection, person.id):  # the right may have ended while it waited
            _reviewable(connection, delivery)
        is_open = (deliveries.c.id == delivery, deliveries.c.status == FindingStatus.PENDING)
        changed = update(deliveries).where(*is_open).values(
            status=status, decided_by=person.id, decided_at=func.now(), revision=number
        )  # fmt: skip
        is_done = connection.execute(changed).rowcount > 0
        if is_done:
            name = connection.scalar(
                select(vaults.c.name).where(vaults.c.id == vault.scalar_subquery())
            )
            record(connection, person.name, f"finding {status}", name or "", id=str(delivery))
        with database.acting(connection, person.id):
            found = _reviewable(connection, delivery)
    if not is_done and (found.decided_by, found.status) != (person.name, status):
        when = f"{found.decided_at:%Y-%m-%d %H:%M} UTC" if found.decided_at else "before"
        who = found.decided_by or "somebody who has left"
        raise HubConflictError(
            f"finding {delivery} is decided already: {who} {found.status} it ({when})"
        )
    return found


def forget_closed(connection: Connection, vault: int) -> None:
    """Drop pending deliveries to gaps that a vault no longer has, and the names of decided ones."""
    same = (wanted.c.vault_id == vault, wanted.c.name == deliveries.c.gap)
    is_closed = (deliveries.c.vault_id == vault, ~select(wanted.c.id).where(*same).exists())
    is_pending = deliveries.c.status == FindingStatus.PENDING
    connection.execute(delete(deliveries).where(*is_closed, is_pending))
    blank = update(deliveries).where(*is_closed, deliveries.c.gap != "")
    connection.execute(blank.values(gap="", path=""))


def _reviewable(connection: Connection, delivery: int) -> Delivery:
    chosen = _deliveries().where(deliveries.c.id == delivery)
    row = connection.execute(chosen).mappings().first()
    if row is None:  # the same for one that others may review
        raise HubUnknownError(f"you may review no finding {delivery}")
    return _delivery(row)


def _count(connection: Connection, vault: int, number: int) -> int:
    """Lock a vault, and return the last of so many new revisions of its deliveries."""
    more = update(vaults).where(vaults.c.id == vault)
    more = more.values(delivered=vaults.c.delivered + number)
    return int(connection.execute(more.returning(vaults.c.delivered)).scalar() or 0)


def _deliveries() -> Select[Any]:
    to, origin = vaults.alias("to"), vaults.alias("origin")
    return (
        select(
            *(deliveries.c.id, deliveries.c.revision, deliveries.c.gap, deliveries.c.status),
            *(deliveries.c.decided_at, to.c.name.label("vault"), origin.c.name.label("origin")),
            func.owner_name(origin.c.id).label("owner"),
            func.reviewer_name(deliveries.c.id).label("decided_by"),
            findings.c.body.label("finding"),
        )
        .join(findings, findings.c.id == deliveries.c.finding_id)
        .join(to, to.c.id == deliveries.c.vault_id)
        .join(origin, origin.c.id == findings.c.vault_id)
        .where(deliveries.c.id.in_(readable(deliveries, REVIEWERS)))
        .where(findings.c.id.in_(readable(findings)))
    )


def _delivery(row: RowMapping) -> Delivery:
    return Delivery.model_validate(dict(row))
