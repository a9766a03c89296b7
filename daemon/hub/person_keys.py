"""API keys of people and groups, with which workers ask sources and models for their vaults.

A key is used for the vaults of its own person, or for those that members of its group share with
the group, and for nobody else.
It is sealed (AES-256-GCM) together with whose it is: a row that somebody copies to another person
does not open. The secret is in the keyring of the hub's machines, not in the database.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, Row, Select, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.database import Database
from daemon.hub.log import record
from daemon.hub.members import Grantee, People
from daemon.hub.night_budget import payer
from daemon.hub.tables import grants, groups, members, people, person_keys, vaults
from daemon.model.errors import HubError

_NONCE = 12  # bytes
_SHORTEST = 32  # characters of a secret, which is random and no password


@dataclass(frozen=True, slots=True, order=True)
class KeyOf:
    """A key that is stored: its name, and whose it is."""

    name: str
    whose: str
    is_group: bool


class PersonKeys:
    """The keys, on a connection of the hub itself. Raises HubError without a proper secret."""

    def __init__(self, connection: Connection, secret: str | None, by: str) -> None:
        """`by` is written into the audit log with each change."""
        if len(secret or "") < _SHORTEST:
            raise HubError(
                f"keys are sealed with a secret of {_SHORTEST} characters or more:"
                " `lacuna secrets set hub_keys`"
            )
        self._seal = AESGCM(sha256((secret or "").encode()).digest())
        self._connection, self._by = connection, by

    def put(self, name: str, whose: Grantee, value: str) -> None:
        """Store a key; replaces an earlier one."""
        owner = self._owner(whose)
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._seal.encrypt(nonce, value.encode(), _label(name, **owner))
        made = upsert(person_keys).values(name=name, sealed=sealed, **owner)
        once = made.on_conflict_do_update(constraint="person_keys_once", set_={"sealed": sealed})
        self._connection.execute(once)
        record(self._connection, self._by, "key stored", name, whose=whose.name)

    def forget(self, name: str, whose: Grantee) -> bool:
        """Delete a key; return whether there was one."""
        owner = self._owner(whose)
        same = [person_keys.c[column].is_not_distinct_from(id_) for column, id_ in owner.items()]
        gone = delete(person_keys).where(person_keys.c.name == name, *same)
        record(self._connection, self._by, "key deleted", name, whose=whose.name)
        return self._connection.execute(gone).rowcount > 0

    def each(self) -> list[KeyOf]:
        """Return what is stored, without the keys."""
        rows = self._connection.execute(
            select(
                person_keys.c.name,
                func.coalesce(people.c.name, groups.c.name),
                person_keys.c.group_id.is_not(None),
            )
            .outerjoin(people, people.c.id == person_keys.c.person_id)
            .outerjoin(groups, groups.c.id == person_keys.c.group_id)
        )
        return sorted(KeyOf(*row) for row in rows)

    def for_vault(self, vault: int, name: str) -> str | None:
        """Return the key with which something is asked for a vault: its owner's, or else the one
        of a group of theirs, the first by name.
        """
        row = self._connection.execute(_of_vault(vault, name)).first()
        return None if row is None else self._opened(row)

    def _opened(self, row: Row[tuple[object, ...]]) -> str:
        nonce, sealed = row.sealed[:_NONCE], row.sealed[_NONCE:]
        label = _label(row.name, row.person_id, row.group_id)
        try:
            return self._seal.decrypt(nonce, sealed, label).decode()
        except InvalidTag:
            raise HubError(
                f"the key {row.name} does not open: it was sealed with another secret, or moved"
            ) from None

    def _owner(self, whose: Grantee) -> dict[str, int | None]:
        id_ = People(self._connection, self._by).id_of(whose)
        return {
            "person_id": None if whose.is_group else id_,
            "group_id": id_ if whose.is_group else None,
        }


def has_key(connection: Connection, vault: int, name: str) -> bool:
    """Return whether there is a key for a vault, of its owner or of a group of theirs."""
    return connection.scalar(_of_vault(vault, name).with_only_columns(person_keys.c.id)) is not None


class PayersKeys:
    """The keys of those for whom a worker asks, within `paid_by`."""

    def __init__(self, database: Database, secret: Callable[[], str | None]) -> None:
        """`secret` looks the secret up with which the keys are sealed."""
        self._database, self._secret = database, secret

    def get(self, name: str) -> str | None:
        """Return the key of who pays now; None if they have none. Raises HubError."""
        asker = payer()
        if asker is None or asker.vault is None:
            return None
        with self._database.begin() as connection:
            if not has_key(connection, asker.vault, name):
                return None
            return PersonKeys(connection, self._secret(), "worker").for_vault(asker.vault, name)


def _of_vault(vault: int, name: str) -> Select[Any]:
    """Select the keys of a vault's owner, and of those of their groups that may read all of it:
    what somebody keeps to themselves is not asked with a key of others.
    """
    owner = (
        select(vaults.c.owner_id)
        .join(people, people.c.id == vaults.c.owner_id)
        .where(vaults.c.id == vault, people.c.disabled_at.is_(None))
        .scalar_subquery()
    )
    mine = (
        select(members.c.group_id)
        .join(grants, grants.c.group_id == members.c.group_id)
        .where(members.c.person_id == owner, grants.c.vault_id == vault, grants.c.folder == "")
    )
    return (
        select(person_keys)
        .outerjoin(groups, groups.c.id == person_keys.c.group_id)
        .where(person_keys.c.name == name)
        .where(or_(person_keys.c.person_id == owner, person_keys.c.group_id.in_(mine)))
        .order_by(person_keys.c.person_id.is_(None), groups.c.name)
        .limit(1)
    )


def _label(name: str, person_id: int | None, group_id: int | None) -> bytes:
    """Return what a sealed key belongs to."""
    return f"{person_id or ''}/{group_id or ''}/{name}".encode()
