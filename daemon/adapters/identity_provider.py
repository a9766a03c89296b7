"""A provider of OpenID Connect, asked with the authorization code flow and PKCE.

Only a hub with single sign-on loads this: it needs the extra `hub`.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urlsplit

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from daemon.model.errors import FetchError, HubError, HubRefusedError
from daemon.model.sign_in import Begun, Identity
from daemon.ports import Fetched

# With a public key of the provider only: `none`, and a secret that others may know, sign nothing.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
               "Ed25519", "EdDSA"]  # fmt: skip
_LEEWAY = 60  # seconds between two clocks
_KEPT = timedelta(hours=1)  # of what the provider says of itself, and of its keys
_KEYS_AT_MOST_EVERY = timedelta(minutes=1)  # when a key is unknown
_SCOPE = "openid email profile"
_GOOGLE = "https://accounts.google.com"
_FORM = "application/x-www-form-urlencoded"


class _Gate(Protocol):
    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Fetched: ...

    async def post(
        self, url: str, *, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Fetched: ...


class IdentityProvider:
    """The provider at `issuer`, for a hub that is its client."""

    def __init__(
        self,
        gate: _Gate,
        issuer: str,
        client_id: str,
        secret: Callable[[], str | None],
        redirect_uri: str,
        groups_claim: str,
        now: Callable[[], datetime],
    ) -> None:
        """`secret` looks the client's secret up; None: the provider gave none."""
        self._gate, self._issuer, self._client_id = gate, issuer, client_id
        self._secret, self._redirect_uri = secret, redirect_uri
        self._groups_claim, self._now = groups_claim, now
        self._kept: dict[str, tuple[datetime, dict[str, Any]]] = {}

    def address(self, begun: Begun) -> str:
        """Return the page at which somebody signs in. Raises HubError."""
        uri: str = prepare_grant_uri(
            self._endpoint("authorization_endpoint"),
            self._client_id,
            "code",
            redirect_uri=self._redirect_uri,
            scope=_SCOPE,
            state=begun.state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
        )
        return uri

    def identity(self, code: str, nonce: str, verifier: str, issuer: str = "") -> Identity:
        """Return who signed in. Raises HubError, HubRefusedError for a token that is not valid.

        `issuer` is what came with the code (RFC 9207); "": nothing.
        """
        if issuer and issuer != self._issuer:
            raise HubRefusedError("another provider answered")
        tokens = self._tokens(code, verifier)
        token = tokens.get("id_token")
        if not isinstance(token, str):
            raise HubRefusedError("the provider did not say who signed in")
        access = tokens.get("access_token")
        claims = self._checked(token, nonce, access)
        if {"email", self._groups_claim} - claims.keys() and isinstance(access, str):
            claims = {**self._more(claims["sub"], access), **claims}
        groups = claims.get(self._groups_claim)
        return Identity(
            self._issuer,
            str(claims["sub"]),
            verified_email(claims, self._issuer),
            tuple(map(str, groups)) if isinstance(groups, list) else (),
        )

    def _more(self, subject: str, access_token: str) -> Mapping[str, Any]:
        """Return what the provider says of somebody only here; nothing if it says it of another.

        Raises HubError.
        """
        if "userinfo_endpoint" not in self._about():
            return {}
        url, headers = (
            self._endpoint("userinfo_endpoint"),
            {"Authorization": f"Bearer {access_token}"},
        )
        answer = self._asked(lambda: self._gate.get(url, headers=headers))
        found = _parsed(answer) if answer.status == 200 else None
        return found if isinstance(found, dict) and found.get("sub") == subject else {}

    def _checked(self, token: str, nonce: str, access_token: object) -> Mapping[str, Any]:
        try:
            signed = self._signed(token)
            options = {
                "iss": {"essential": True, "value": self._issuer},
                "aud": {"essential": True, "value": self._client_id},
            }
            known = {"nonce": nonce, "client_id": self._client_id, "access_token": access_token}
            claims = CodeIDToken(signed.claims, signed.header, options, known)
            claims.validate(int(self._now().timestamp()), _LEEWAY)
        except (JoseError, ValueError, TypeError) as error:
            raise HubRefusedError(f"the provider's token is not valid: {error}") from None
        if not claims["sub"] or not isinstance(claims["sub"], str):
            raise HubRefusedError("the provider did not say who signed in")
        found: Mapping[str, Any] = claims
        return found

    def _signed(self, token: str) -> jwt.Token:
        try:
            return jwt.decode(token, self._keys(_KEPT), algorithms=_ALGORITHMS)
        except (JoseError, ValueError):  # perhaps signed with a key that is new
            return jwt.decode(token, self._keys(_KEYS_AT_MOST_EVERY), algorithms=_ALGORITHMS)

    def _keys(self, kept: timedelta) -> KeySet:
        found: Any = self._json(self._endpoint("jwks_uri"), kept)
        return KeySet.import_key_set(found)

    def _tokens(self, code: str, verifier: str) -> Mapping[str, Any]:
        uri = self._endpoint("token_endpoint")
        body = prepare_token_request(
            "authorization_code",
            redirect_uri=self._redirect_uri,
            code=code,
            code_verifier=verifier,
        )
        secret = self._secret()
        offered = self._about().get("token_endpoint_auth_methods_supported")
        by_post = isinstance(offered, list) and "client_secret_basic" not in offered
        method = (
            "none" if not secret else "client_secret_post" if by_post else "client_secret_basic"
        )
        auth = ClientAuth(self._client_id, secret, method)
        uri, headers, body = auth.prepare("POST", uri, {"Content-Type": _FORM}, body)
        headers["Content-Type"] = _FORM
        answer = self._asked(lambda: self._gate.post(uri, body=body.encode(), headers=headers))
        found = _parsed(answer) if answer.status == 200 else None
        if not isinstance(found, dict):
            raise HubRefusedError(f"the provider refused the login: HTTP {answer.status}")
        return found

    def _endpoint(self, name: str) -> str:
        url = self._about().get(name)
        # By https; only a provider on this machine, whose own address is by http, may have another.
        if not isinstance(url, str) or not url.startswith(
            ("https://", f"{_origin(self._issuer)}/")
        ):
            raise HubError(f"the provider names no secure {name}")
        return url

    def _about(self) -> Mapping[str, Any]:
        url = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        found = self._json(url, _KEPT)
        if found.get("issuer") != self._issuer:
            raise HubError("the provider says that it has another address: check sign_in.issuer")
        return found

    def _json(self, url: str, kept: timedelta) -> dict[str, Any]:
        """Return the object at an address, which is at most so old. Raises HubError."""
        at, known = self._kept.get(url, (None, {}))
        if at is not None and self._now() - at < kept:
            return known
        answer = self._asked(lambda: self._gate.get(url))
        found = _parsed(answer) if answer.status == 200 else None
        if not isinstance(found, dict):
            host = urlsplit(url).hostname
            raise HubError(f"{host}: this is no provider of OpenID Connect")
        self._kept[url] = (self._now(), found)
        return found

    def _asked(self, ask: Callable[[], Any]) -> Fetched:
        async def asked() -> Fetched:
            answer: Fetched = await ask()
            return answer

        try:
            return asyncio.run(asked())
        except FetchError as error:
            raise HubError(f"the provider does not answer: {error}") from None


def verified_email(claims: Mapping[str, Any], issuer: str) -> str:
    """Return the address of which the provider has verified that it is somebody's, or ""."""
    email = claims.get("email")
    # In ASCII, two addresses are the same or not; elsewhere, letters only look alike.
    if not (claims.get("email_verified") is True and isinstance(email, str) and email.isascii()):
        return ""
    domain = email.rpartition("@")[2].lower()
    if issuer == _GOOGLE and domain not in {"gmail.com", str(claims.get("hd", "")).lower()}:
        return ""  # verified at some time; only its own addresses and those of `hd` are sure now
    return email


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _parsed(answer: Fetched) -> object:
    try:
        return json.loads(answer.body)
    except ValueError:
        return None
