"""Sign in to a hub in a browser: this vault gets a token of its own."""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe

from pydantic import Field

from daemon.hub_access import waiting_for_browser
from daemon.hub_pages import hub_client
from daemon.usecases.document import Document, Moment, Request
from daemon.usecases.hub import read_answer
from daemon.usecases.place import Place, settings_of

_BYTES = 32
_LOGIN = "/hub/v1/login"


class HubLoginRequest(Request):
    """A device that wants a token."""

    device: str = Field(min_length=1, max_length=200, description="Its name.", examples=["laptop"])
    challenge: str = Field(
        min_length=43,
        max_length=43,
        description="Base64 of the SHA-256 of a secret that the device keeps.",
        examples=["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"],
    )
    port: int = Field(
        ge=1_024, le=65_535, description="Where it waits for the browser.", examples=[40_123]
    )


class HubLoginPage(Document):
    """Where somebody signs in."""

    url: str = Field(description="Its address.", examples=["https://login.example.org/authorize"])


class HubLoginCode(Request):
    """What the browser brought to the device."""

    code: str = Field(min_length=1, max_length=200, description="The code.", examples=["b0x" * 14])
    verifier: str = Field(
        min_length=1, max_length=200, description="The secret of the device.", examples=["k7f" * 14]
    )


class HubSignedIn(Document):
    """A login that succeeded."""

    name: str = Field(description="Name of the account.", examples=["ada"])
    token: str = Field(description="The token of the device.", examples=["b0x" * 14])
    until: Moment = Field(description="When it ends.")


class HubLoggedIn(Document):
    """Who this device belongs to now."""

    name: str = Field(description="Name of the account.", examples=["ada"])
    until: Moment = Field(description="When the token ends.")


def login(
    place: Place, url: str, name: str, device: str, show: Callable[[str], None]
) -> HubSignedIn:
    """Let somebody sign in to the hub at `url` in a browser, and return a token for this device.

    `show` is called with the address of the page. Raises HubError, SettingsError.
    """
    settings = settings_of(place, **{"hub.url": url, "hub.vault": name} if url else {})
    client = hub_client(settings, lambda: None)
    verifier = token_urlsafe(_BYTES)
    digest = sha256(verifier.encode()).digest()
    challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
    with waiting_for_browser(challenge) as browser:
        asked = HubLoginRequest(device=device, challenge=challenge, port=browser.port)
        body = asked.model_dump(mode="json")
        show(read_answer(HubLoginPage, client.post(_LOGIN, body, with_token=False)).url)
        code = HubLoginCode(code=browser.code(), verifier=verifier).model_dump(mode="json")
    return read_answer(HubSignedIn, client.post(f"{_LOGIN}/token", code, with_token=False))
