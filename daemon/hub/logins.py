"""Logins by single sign-on: begun by a device, confirmed in a browser, redeemed by that device.

Each step can be done once. The device alone knows the verifier of its challenge, so a code that
somebody else sees, or that comes from somebody else's login, gives no token.
"""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from sqlalchemy import Connection, delete, func, insert, select, update

from daemon.hub.log import record
from daemon.hub.members import People, Person
from daemon.hub.tables import identities, logins, people, tokens
from daemon.model.errors import HubError, HubRefusedError
from daemon.model.sign_in import Admission, Begun, Identity

_OPEN = timedelta(minutes=10)  # from the start to the token
_MOST_OPEN = 1_000  # nobody needs an account to begin
_BYTES = 32
_ENDED = "this login has ended: begin again with `lacuna hub login`"


@dataclass(frozen=True, slots=True)
class Redeemed:
    """A login that is complete: for whom, and on which device."""

    person: Person
    device: str
    challenge: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A login whose browser came back from the provider; the device waits at `port`. It was begun
    from `address`.
    """

    id: int
    nonce: str
    verifier: str
    port: int
    challenge: str
    device: str
    address: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A login that its browser confirmed: the code for the device that waits at `port`."""

    code: str
    port: int
    challenge: str


class Logins:
    """Logins on a connection of the hub itself."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, device: str, challenge: str, port: int, address: str) -> Begun:
        """Begin a login. Raises HubRefusedError if there are too many."""
        forget_ended(self._connection)
        number = self._connection.scalar(select(func.count()).select_from(logins)) or 0
        if number >= _MOST_OPEN:
            raise HubRefusedError("too many people sign in at this moment: try again later")
        begun = Begun(*(token_urlsafe(_BYTES) for _ in range(3)))
        values = {"device": device, "challenge": challenge, "port": port, "address": address}
        secret = {"nonce": begun.nonce, "verifier": begun.verifier, "state": _hash(begun.state)}
        self._connection.execute(insert(logins).values(**values, **secret))
        return begun

    def come_back(self, state: str) -> Waiting:
        """Return the login that a browser continues, once. Raises HubRefusedError."""
        row = self._connection.execute(
            update(logins)
            .where(
                *(logins.c.state == _hash(state), logins.c.begun_at > func.now() - _OPEN),
                logins.c.person_id.is_(None),
            )
            .values(state=None)
            .returning(*(logins.c[each.name] for each in fields(Waiting)))
        ).first()
        if row is None:
            raise HubRefusedError(_ENDED)
        return Waiting(*row)

    def recognise(self, waiting: Waiting, person: Person) -> str:
        """Note who signed in; return the secret with which their browser confirms the login."""
        secret = token_urlsafe(_BYTES)
        this = update(logins).where(logins.c.id == waiting.id)
        self._connection.execute(this.values(state=_hash(secret), person_id=person.id))
        return secret

    def confirm(self, secret: str) -> Confirmed:
        """Return the code for which the device gets a token, once. Raises HubRefusedError."""
        code = token_urlsafe(_BYTES)
        row = self._connection.execute(
            update(logins)
            .where(
                *(logins.c.state == _hash(secret), logins.c.begun_at > func.now() - _OPEN),
                logins.c.person_id.is_not(None),
            )
            .values(state=None, code=_hash(code))
            .returning(logins.c.port, logins.c.challenge)
        ).first()
        if row is None:
            raise HubRefusedError(_ENDED)
        return Confirmed(code, row.port, row.challenge)

    def redeem(self, code: str) -> Redeemed:
        """Return what a code is for, once. Raises HubRefusedError."""
        row = self._connection.execute(
            delete(logins)
            .where(logins.c.code == _hash(code), logins.c.begun_at > func.now() - _OPEN)
            .returning(logins.c.person_id, logins.c.device, logins.c.challenge)
        ).first()
        name = None
        if row is not None:
            whose = select(people.c.name).where(people.c.id == row.person_id)
            name = self._connection.scalar(whose.where(people.c.disabled_at.is_(None)))
        if row is None or name is None:
            raise HubRefusedError(_ENDED)
        return Redeemed(Person(row.person_id, name), row.device, row.challenge)

    def new_token(self, redeemed: Redeemed, now: datetime, days: int) -> str:
        """Return a token; those of earlier logins on this device end."""
        name, device = redeemed.person.name, redeemed.device
        self._end_tokens(redeemed.person.id, device)
        accounts = People(self._connection, name)
        token = accounts.new_token(name, device, now, timedelta(days=days), signed_in=True)
        record(self._connection, name, "signed in", name, device=device)
        return token

    def person(self, identity: Identity, admission: Admission) -> Person | None:
        """Return who somebody is here; None if they may not sign in: then their tokens of earlier
        logins end, too.

        An account is found by its email address only until somebody has signed in to it: an
        address may be given to somebody else later.
        """
        known = self._known(identity)
        if not admission.admits(identity):
            if known is not None:
                self._end_tokens(known.id)
                record(self._connection, "hub", "sign-in refused", known.name)
            return None
        found = known or self._by_email(identity) or self._created(identity, admission)
        if found is None:
            return None
        enabled = select(people.c.id).where(people.c.id == found.id, people.c.disabled_at.is_(None))
        return found if self._connection.scalar(enabled) is not None else None

    def _known(self, identity: Identity) -> Person | None:
        row = self._connection.execute(
            select(people.c.id, people.c.name)
            .join(identities, identities.c.person_id == people.c.id)
            .where(identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
        ).first()
        return None if row is None else Person(row.id, row.name)

    def _by_email(self, identity: Identity) -> Person | None:
        if not identity.email:
            return None
        taken = select(identities.c.person_id).where(identities.c.issuer == identity.issuer)
        row = self._connection.execute(
            select(people.c.id, people.c.name).where(
                people.c.email == identity.email.lower(), people.c.id.not_in(taken)
            )
        ).first()
        return None if row is None else self._bound(Person(row.id, row.name), identity)

    def _created(self, identity: Identity, admission: Admission) -> Person | None:
        if not (admission.create and identity.email):
            return None
        try:
            accounts = People(self._connection, "hub")
            made = accounts.add(identity.email.lower(), identity.email)
        except HubError:  # somebody has the name or the address, and signed in as another one
            return None
        return self._bound(made, identity)

    def _bound(self, person: Person, identity: Identity) -> Person:
        values = {"issuer": identity.issuer, "subject": identity.subject, "person_id": person.id}
        self._connection.execute(insert(identities).values(values))
        record(self._connection, "hub", "identity bound", person.name, issuer=identity.issuer)
        return person

    def _end_tokens(self, person: int, device: str | None = None) -> None:
        own = [tokens.c.person_id == person, tokens.c.signed_in, tokens.c.revoked_at.is_(None)]
        own += [tokens.c.device == device] if device is not None else []
        self._connection.execute(update(tokens).where(*own).values(revoked_at=func.now()))


def forget_ended(connection: Connection) -> None:
    """Delete logins that nobody can continue."""
    connection.execute(delete(logins).where(logins.c.begun_at < func.now() - _OPEN))


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
