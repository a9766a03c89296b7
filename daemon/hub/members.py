"""People, groups, their tokens, and what they may read."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import IntegrityError

from daemon.hub.log import record
from daemon.hub.tables import document_readers, grants, groups, members, people, tokens, vaults
from daemon.model.errors import HubError

_BYTES = 32


class Role(StrEnum):
    """What somebody may do in a vault; each may do what the one before may."""

    READER = "reader"
    REVIEWER = "reviewer"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Grantee:
    """Who gets a right: a person or a group, by name."""

    name: str
    is_group: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """What somebody may do in a vault, or in one folder of it."""

    vault: str
    folder: str
    role: Role


class People:
    """The accounts, on a connection of the hub itself. Names that are unknown raise HubError."""

    def __init__(self, connection: Connection, by: str) -> None:
        """`by` is written into the audit log with each change."""
        self._connection, self._by = connection, by

    def find(self, name: str) -> Person:
        """Return an account by its name."""
        return Person(self._id(people, name, "person"), name)

    def id_of(self, grantee: Grantee) -> int:
        """Return the number of a person or a group."""
        if grantee.is_group:
            return self._id(groups, grantee.name, "group")
        return self._id(people, grantee.name, "person")

    def add(self, name: str, email: str | None = None) -> Person:
        """Create an account without rights; with an address, its owner can sign in."""
        address = email.strip().lower() if email else None
        return Person(self._insert(people, name, "person", email=address), name)

    def disable(self, name: str) -> None:
        """Refuse somebody from now on; what was published stays."""
        self._change(people, people.c.name == name, {"disabled_at": func.now()}, f"person {name}")
        self._log("person disabled", name)

    def delete(self, name: str) -> None:
        """Delete an account, its tokens and rights, and the vaults it owns."""
        self._delete(people, name, "person")

    def add_group(self, name: str) -> None:
        """Create a group without members."""
        self._insert(groups, name, "group")

    def join(self, person: str, group: str) -> None:
        """Make somebody a member of a group; twice is once."""
        values = {
            "group_id": self._id(groups, group, "group"),
            "person_id": self._id(people, person, "person"),
        }
        self._connection.execute(upsert(members).values(values).on_conflict_do_nothing())
        self._log("member added", group, person=person)

    def leave(self, person: str, group: str) -> None:
        """End a membership."""
        self._connection.execute(
            delete(members).where(
                members.c.group_id == self._id(groups, group, "group"),
                members.c.person_id == self._id(people, person, "person"),
            )
        )
        self._log("member removed", group, person=person)

    def add_vault(self, name: str, owner: str) -> int:
        """Create a vault that nobody but its owner can read; return its id."""
        owner_id = self._id(people, owner, "person")
        return self._insert(vaults, name, "vault", owner_id=owner_id)

    def delete_vault(self, name: str) -> None:
        """Delete a vault with all that it published and asked for; with its owner's last one also
        the documents that they asked for without a vault.
        """
        owner = self._connection.scalar(select(vaults.c.owner_id).where(vaults.c.name == name))
        self._delete(vaults, name, "vault")
        has_others = select(vaults.c.id).where(vaults.c.owner_id == owner).exists()
        theirs = document_readers.c.person_id == owner
        self._connection.execute(delete(document_readers).where(theirs, ~has_others))

    def grant(self, vault: str, to: Grantee, role: Role, folder: str = "") -> None:
        """Let a person or a group use a vault, or one folder of it; replaces an earlier role."""
        values = {
            "vault_id": self._id(vaults, vault, "vault"),
            "person_id": None if to.is_group else self._id(people, to.name, "person"),
            "group_id": self._id(groups, to.name, "group") if to.is_group else None,
            "role": role,
            "folder": folder.strip("/"),
        }
        granted = upsert(grants).values(values)
        self._connection.execute(
            granted.on_conflict_do_update(constraint="grants_once", set_={"role": role})
        )
        self._log("right granted", vault, to=to.name, role=role, folder=folder)

    def revoke(self, vault: str, to: Grantee) -> None:
        """Revoke all access of a person or a group to a vault."""
        whose = (
            grants.c.group_id == self._id(groups, to.name, "group")
            if to.is_group
            else grants.c.person_id == self._id(people, to.name, "person")
        )
        of_vault = grants.c.vault_id == self._id(vaults, vault, "vault")
        self._connection.execute(delete(grants).where(of_vault, whose))
        self._log("rights revoked", vault, to=to.name)

    def new_token(
        self, person: str, device: str, now: datetime, valid: timedelta, *, signed_in: bool = False
    ) -> str:
        """Return a new token of a device. Only its hash is stored: it cannot be shown again."""
        secret = token_urlsafe(_BYTES)
        self._connection.execute(
            insert(tokens).values(
                person_id=self._id(people, person, "person"),
                device=device,
                hash=_hash(secret),
                expires_at=now + valid,
                signed_in=signed_in,
            )
        )
        self._log("token created", person, device=device)
        return secret

    def revoke_tokens(self, person: str, device: str) -> int:
        """Refuse the tokens of a device from now on; return how many there were."""
        done = self._connection.execute(
            update(tokens)
            .where(
                tokens.c.person_id == self._id(people, person, "person"),
                tokens.c.device == device,
                tokens.c.revoked_at.is_(None),
            )
            .values(revoked_at=func.now())
        )
        self._log("tokens revoked", person, device=device)
        return done.rowcount

    def who(self, token: str, now: datetime) -> Person | None:
        """Return whose token it is; None if it is unknown, expired or revoked."""
        row = self._connection.execute(
            select(people.c.id, people.c.name)
            .join(tokens, tokens.c.person_id == people.c.id)
            .where(
                tokens.c.hash == _hash(token),  # of 256 random bits: no salt is needed
                tokens.c.revoked_at.is_(None),
                tokens.c.expires_at > now,
                people.c.disabled_at.is_(None),
            )
        ).first()
        return None if row is None else Person(row.id, row.name)

    def rights(self, person: Person) -> list[Right]:
        """Return what somebody may do where: owned vaults, own grants and those of groups."""
        mine = select(members.c.group_id).where(members.c.person_id == person.id)
        granted = (
            select(vaults.c.name, grants.c.folder, grants.c.role)
            .join(vaults, vaults.c.id == grants.c.vault_id)
            .where(or_(grants.c.person_id == person.id, grants.c.group_id.in_(mine)))
        )
        owned = select(vaults.c.name, literal(""), literal(Role.OWNER.value)).where(
            vaults.c.owner_id == person.id
        )
        rows = self._connection.execute(union(owned, granted))
        return sorted(Right(vault, folder, Role(role)) for vault, folder, role in rows)

    def _insert(self, table: Table, name: str, what: str, **values: object) -> int:
        if not name.strip() or len(name) > 200:
            raise HubError(f"the name of a {what} has 1 to 200 characters")
        try:
            with self._connection.begin_nested():
                made = self._connection.execute(
                    insert(table).values(name=name, **values).returning(table.c.id)
                )
        except IntegrityError:
            raise HubError(f"there is a {what} called {name} already") from None
        self._log(f"{what} created", name)
        return int(made.scalar_one())

    def _delete(self, table: Table, name: str, what: str) -> None:
        id_ = self._id(table, name, what)
        self._connection.execute(delete(table).where(table.c.id == id_))
        self._log(f"{what} deleted", name)

    def _change(
        self, table: Table, which: ColumnElement[bool], values: dict[str, object], what: str
    ) -> None:
        if not self._connection.execute(update(table).where(which).values(**values)).rowcount:
            raise HubError(f"there is no {what}")

    def _id(self, table: Table, name: str, what: str) -> int:
        found = self._connection.execute(select(table.c.id).where(table.c.name == name)).scalar()
        if found is None:
            raise HubError(f"there is no {what} called {name}")
        return int(found)

    def _log(self, action: str, object_: str, **details: str) -> None:
        record(self._connection, self._by, action, object_, **details)


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
