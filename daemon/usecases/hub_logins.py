"""Single sign-on, as a hub's server carries it out. Needs the extra `hub`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Protocol
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from daemon.hub.database import Database
from daemon.hub.logins import Logins
from daemon.model.errors import HubError, HubRefusedError
from daemon.model.sign_in import Admission, Begun, Identity
from daemon.usecases.hub_login import HubLoginCode, HubLoginPage, HubLoginRequest, HubSignedIn

_NOBODY = "this hub has no account for you: ask its operator"


class Provider(Protocol):
    """Where people sign in."""

    def address(self, begun: Begun) -> str: ...
    def identity(self, code: str, nonce: str, verifier: str, issuer: str = "") -> Identity: ...


@dataclass(frozen=True, slots=True)
class Returned:
    """What a provider sends a browser back to the hub with."""

    state: str
    code: str
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What somebody confirms: that `device`, which began at `address`, becomes theirs."""

    secret: str
    name: str
    device: str
    address: str


@dataclass(frozen=True, slots=True)
class SignIn:
    """Logins of people who have no token yet."""

    database: Database
    provider: Provider | None
    admission: Admission
    now: Callable[[], datetime]

    def begin(self, asked: HubLoginRequest, address: str) -> HubLoginPage:
        """Return the page at which somebody signs in; the device has a network address.

        Raises HubError.
        """
        provider = self._provider()
        with self.database.begin() as connection:
            begun = Logins(connection).begin(asked.device, asked.challenge, asked.port, address)
        return HubLoginPage(url=provider.address(begun))

    def come_back(self, returned: Returned) -> Confirmation | str:
        """Return what somebody confirms, or for whom the hub has no account, the address on the
        device to which the browser goes.

        Raises HubRefusedError for a login that is unknown: no device waits for it.
        """
        provider = self._provider()
        with self.database.begin() as connection:
            waiting = Logins(connection).come_back(returned.state)
        try:
            if not returned.code:
                raise HubRefusedError("the provider refused the login")
            identity = provider.identity(
                returned.code, waiting.nonce, waiting.verifier, returned.issuer
            )
            with self.database.begin() as connection:
                person = Logins(connection).person(identity, self.admission)
            if person is None:
                raise HubRefusedError(_NOBODY)
            with self.database.begin() as connection:
                secret = Logins(connection).recognise(waiting, person)
        except HubError as error:
            return _on_device(waiting.port, waiting.challenge, error=str(error))
        return Confirmation(secret, person.name, waiting.device, waiting.address)

    def confirm(self, secret: str) -> str:
        """Return the address on the device to which the browser goes. Raises HubRefusedError."""
        self._provider()
        with self.database.begin() as connection:
            found = Logins(connection).confirm(secret)
        return _on_device(found.port, found.challenge, code=found.code)

    def redeem(self, asked: HubLoginCode) -> HubSignedIn:
        """Return a token for the device that began. Raises HubRefusedError."""
        self._provider()
        with self.database.begin() as connection:
            redeemed = Logins(connection).redeem(asked.code)
        # Also after a wrong verifier the code is used up.
        if not compare_digest(create_s256_code_challenge(asked.verifier), redeemed.challenge):
            raise HubRefusedError("this code belongs to another device")
        now = self.now()
        with self.database.begin() as connection:
            token = Logins(connection).new_token(redeemed, now, self.admission.days)
        until = now + timedelta(days=self.admission.days)
        return HubSignedIn(name=redeemed.person.name, token=token, until=until)

    def _provider(self) -> Provider:
        if self.provider is None:
            raise HubRefusedError("this hub has no single sign-on: ask its operator for a token")
        return self.provider


def _on_device(port: int, challenge: str, **answer: str) -> str:
    return f"http://127.0.0.1:{port}/?{urlencode({**answer, 'state': challenge})}"
