"""A provider of OpenID Connect on the loopback: real HTTP, real signatures, real PKCE."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qs, urlencode

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from tests.fakes.http_server import Asked, Reply, serving

CLIENT, SECRET = "lacuna-hub", "correct horse"
KEY = RSAKey.generate_key(2048, {"use": "sig"}, auto_kid=True)  # a second: once for all tests


def signed(claims: dict[str, Any]) -> str:
    """Return a token as the provider signs it."""
    return jwt.encode({"alg": "RS256", "kid": KEY.kid}, claims, KEY)


@dataclass
class Provider:
    """Signs everybody in at once as `who`. `spoil` changes claims, `sign` signs them."""

    now: Callable[[], datetime]
    issuer: str = ""
    who: dict[str, Any] = field(default_factory=dict)
    spoil: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] = signed
    answers_as: str | None = None  # the issuer that is in the address of the hub
    elsewhere: dict[str, Any] = field(default_factory=dict)  # what only `userinfo` says
    _asked: dict[str, dict[str, str]] = field(default_factory=dict)  # by code

    def about(self, _asked: Asked) -> Reply:
        """Describe the provider."""
        names = ("authorization", "token", "jwks")
        urls = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in names}
        if self.elsewhere:
            urls["userinfo_endpoint"] = f"{self.issuer}/userinfo"
        return _json({"issuer": self.issuer, "jwks_uri": urls.pop("jwks_endpoint"), **urls})

    def keys(self, _asked: Asked) -> Reply:
        """Return the public keys."""
        return _json(KeySet([KEY]).as_dict(private=False))

    def authorise(self, asked: Asked) -> Reply:
        """Send the browser back with a code."""
        given = dict(asked.params)
        assert given["response_type"] == "code"
        assert given["client_id"] == CLIENT
        assert given["code_challenge_method"] == "S256"
        assert "openid" in given["scope"].split()
        code = token_urlsafe()
        self._asked[code] = given
        back = {"code": code, "state": given["state"]}
        back |= {"iss": self.answers_as} if self.answers_as else {}
        to = f"{given['redirect_uri']}?{urlencode(back)}"
        return Reply(status=302, headers={"Location": to})

    def userinfo(self, asked: Asked) -> Reply:
        """Say more of who has the access token."""
        assert asked.headers.get("authorization") == "Bearer a"
        return _json(self.elsewhere)

    def token(self, asked: Asked) -> Reply:
        """Exchange a code, once, for the client that knows the secret and the verifier."""
        given = {name: value for name, [value] in parse_qs(asked.body.decode()).items()}
        begun = self._asked.pop(given["code"], None)
        digest = sha256(given["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        is_known = asked.headers.get("authorization") == f"Basic {basic}"
        if (
            begun is None
            or not is_known
            or begun["code_challenge"] != challenge
            or begun["redirect_uri"] != given["redirect_uri"]
        ):
            return _json({"error": "invalid_grant"}, 400)
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": int(self.now().timestamp()),
            "exp": int((self.now() + timedelta(minutes=5)).timestamp()),
            "nonce": begun["nonce"],
            **self.who,
            **self.spoil,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        return _json({"access_token": "a", "token_type": "Bearer", "id_token": self.sign(claims)})


@contextmanager
def providing(now: Callable[[], datetime]) -> Iterator[Provider]:
    """Serve a provider."""
    with serving() as site:
        made = Provider(now, site.origin)
        site.routes["/.well-known/openid-configuration"] = made.about
        site.routes["/jwks"] = made.keys
        site.routes["/authorization"] = made.authorise
        site.routes["/token"] = made.token
        site.routes["/userinfo"] = made.userinfo
        yield made


def _json(body: object, status: int = 200) -> Reply:
    return Reply(json.dumps(body).encode(), status, "application/json")
