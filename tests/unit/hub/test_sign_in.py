"""Single sign-on: who gets a token of the hub, and who does not, at a real provider."""

import asyncio
import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select, text

from daemon.adapters.identity_provider import IdentityProvider, verified_email
from daemon.hub.database import Database
from daemon.hub.logins import Logins
from daemon.hub.members import People
from daemon.hub.tables import identities, logins, people, tokens
from daemon.hub.web_documents import EXTRACT
from daemon.hub.worker_jobs import Tools, work
from daemon.model.errors import HubError, HubRefusedError
from daemon.model.sign_in import Admission
from daemon.usecases.hub_login import HubLoginCode, HubLoginRequest, HubSignedIn
from daemon.usecases.hub_logins import Confirmation, Returned, SignIn
from tests.fakes.gates import a_gate
from tests.fakes.identity_site import CLIENT, KEY, SECRET, Provider, providing

NOW = datetime.now(UTC)
BACK = "https://hub.example.org/hub/v1/login/callback"
ADA = {"sub": "248289761001", "email": "Ada@Example.org", "email_verified": True}
VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@dataclass
class Site:
    """A hub with an account for ada, its provider, and a device that signs in."""

    database: Database
    provider: Provider
    now: datetime = NOW
    sign_in: SignIn = field(init=False)

    def __post_init__(self) -> None:
        gate = a_gate(allow_origins=[self.provider.issuer])
        client = IdentityProvider(
            gate, self.provider.issuer, CLIENT, lambda: SECRET, BACK, "groups", lambda: self.now
        )
        self.sign_in = SignIn(self.database, client, Admission(days=30), lambda: self.now)

    def admit(self, **rules: Any) -> None:
        self.sign_in = replace(self.sign_in, admission=Admission(**{"days": 30, **rules}))

    def begin(self, device: str = "laptop") -> str:
        asked = HubLoginRequest(device=device, challenge=CHALLENGE, port=4321)
        return self.sign_in.begin(asked, "192.0.2.7").url

    def at_provider(self, page: str) -> Returned:
        """Sign in there, and return what the browser brings back to the hub."""
        answer = httpx.get(page)
        assert answer.headers["location"].startswith(f"{BACK}?")
        given = parse_qs(urlsplit(answer.headers["location"]).query)
        return Returned(given["state"][0], given["code"][0], given.get("iss", [""])[0])

    def come_back(self, returned: Returned) -> dict[str, str]:
        """Return what the device gets, if somebody confirms it."""
        found = self.sign_in.come_back(returned)
        at = urlsplit(found if isinstance(found, str) else self.sign_in.confirm(found.secret))
        assert at.netloc == "127.0.0.1:4321"
        answer = {name: value for name, [value] in parse_qs(at.query).items()}
        assert answer.pop("state") == CHALLENGE
        return answer

    def redeem(self, code: str, verifier: str = VERIFIER) -> HubSignedIn:
        return self.sign_in.redeem(HubLoginCode(code=code, verifier=verifier))

    def signs_in(self, device: str = "laptop") -> HubSignedIn:
        return self.redeem(self.come_back(self.at_provider(self.begin(device)))["code"])

    def refusal(self) -> str:
        """Sign in, and return why there is no token."""
        found = self.come_back(self.at_provider(self.begin()))
        assert found.keys() == {"error"}
        assert self.count("tokens") == 0
        return found["error"]

    def count(self, table: str) -> int:
        with self.database.begin() as connection:
            return int(connection.scalar(text(f"SELECT count(*) FROM {table}")) or 0)

    def whose(self, token: str) -> str | None:
        with self.database.begin() as connection:
            found = People(connection, "test").who(token, self.now)
        return found.name if found else None


@pytest.fixture
def site(module_database: Database) -> Iterator[Site]:
    with module_database.begin() as connection:
        for table in (logins, tokens, identities, people):
            connection.execute(table.delete())
        People(connection, "test").add("ada", "ada@example.org")
    with providing(lambda: NOW) as provider:
        provider.who = dict(ADA)
        yield Site(module_database, provider)


def test_somebody_who_signs_in_gets_a_token_that_ends(site: Site) -> None:
    site.admit(days=7)
    found = site.signs_in()
    assert (found.name, found.until) == ("ada", NOW + timedelta(days=7))
    assert site.whose(found.token) == "ada"
    site.now += timedelta(days=7)
    assert site.whose(found.token) is None
    with site.database.begin() as connection:
        rows = connection.scalars(text("SELECT t::text FROM tokens t")).all()
        assert connection.execute(select(identities.c.subject)).scalar_one() == ADA["sub"]
    assert not [row for row in rows if found.token in row]
    assert site.count("logins") == 0


def test_a_login_on_the_same_device_replaces_the_one_before(site: Site) -> None:
    first, phone = site.signs_in(), site.signs_in("phone")
    second = site.signs_in()
    assert [site.whose(each.token) for each in (first, phone, second)] == [None, "ada", "ada"]


def encoded(part: bytes) -> str:
    return urlsafe_b64encode(part).rstrip(b"=").decode()


def unsigned(algorithm: str, claims: dict[str, Any]) -> str:
    header = {"alg": algorithm, "kid": KEY.kid}
    return ".".join(encoded(json.dumps(each).encode()) for each in (header, claims))


def without_signature(claims: dict[str, Any]) -> str:
    return f"{unsigned('none', claims)}."


def with_the_public_key_as_secret(claims: dict[str, Any]) -> str:
    said, secret = unsigned("HS256", claims), KEY.as_pem(private=False)
    return f"{said}.{encoded(hmac.digest(secret, said.encode(), 'sha256'))}"


def with_another_key(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": KEY.kid}, claims, RSAKey.generate_key(2048))


LATE, EARLY = (int((NOW + timedelta(minutes=each)).timestamp()) for each in (-2, 2))


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        ({"nonce": "of another login"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"iss": "https://other.example"}, "iss"),
        ({"iss": None}, "iss"),
        ({"aud": "another client"}, "aud"),
        ({"aud": None}, "aud"),
        ({"aud": [CLIENT, "another"], "azp": "another"}, "azp"),
        ({"exp": LATE}, "expired"),
        ({"exp": None}, "exp"),
        ({"nbf": EARLY}, "nbf|not valid"),
        ({"iat": EARLY}, "iat|not valid"),
        ({"at_hash": "AAAA"}, "at_hash"),
        ({"sub": ""}, "sub|who signed in"),
        ({"sub": None}, "sub|who signed in"),
        ({"sub": 17}, "sub|who signed in"),
        ({"email_verified": False}, "no account"),
        ({"email_verified": None}, "no account"),
        ({"email_verified": "true"}, "no account"),
        ({"email": ["ada@example.org"]}, "no account"),
        ({"email": "eve@example.org"}, "no account"),
        ({"email": "a\u212ada@example.org"}, "no account"),
        ({"email": "ADA@example.or\u01e7"}, "no account"),
    ],
)
def test_a_token_that_is_not_for_this_login_opens_nothing(
    site: Site, spoil: dict[str, Any], why: str
) -> None:
    site.provider.spoil = spoil
    assert any(each in site.refusal().lower() for each in why.split("|"))


@pytest.mark.parametrize(
    "sign",
    [
        without_signature,
        with_the_public_key_as_secret,
        with_another_key,
        lambda _claims: "no token",
        lambda _claims: "a.b.c",
    ],
)
def test_a_token_that_the_provider_did_not_sign_opens_nothing(
    site: Site, sign: Callable[[dict[str, Any]], str]
) -> None:
    site.provider.sign = sign
    assert "token is not valid" in site.refusal()


def test_another_provider_cannot_answer(site: Site) -> None:
    site.provider.answers_as = "https://other.example"
    assert "another provider answered" in site.refusal()
    site.provider.answers_as = site.provider.issuer
    assert site.signs_in().name == "ada"


def test_a_provider_that_says_it_is_another_one_is_not_asked(site: Site) -> None:
    site.provider.issuer = "https://other.example"
    with pytest.raises(HubError, match="has another address"):
        site.begin()


def test_a_state_is_used_once_and_for_ten_minutes(site: Site) -> None:
    returned = site.at_provider(site.begin())
    assert "code" in site.come_back(returned)
    for state in (returned.state, "made up", ""):
        with pytest.raises(HubRefusedError, match="has ended"):
            site.come_back(replace(returned, state=state))
    late = site.at_provider(site.begin())
    make_older(site)
    with pytest.raises(HubRefusedError, match="has ended"):
        site.come_back(late)


def test_a_login_needs_the_confirmation_of_who_signed_in_once_and_within_ten_minutes(
    site: Site,
) -> None:
    asked = site.sign_in.come_back(site.at_provider(site.begin("<b>'s laptop")))
    assert isinstance(asked, Confirmation)
    assert (asked.name, asked.device, asked.address) == ("ada", "<b>'s laptop", "192.0.2.7")
    with pytest.raises(HubRefusedError, match="has ended"):
        site.come_back(Returned(asked.secret, "code"))
    assert "code=" in site.sign_in.confirm(asked.secret)
    late = site.sign_in.come_back(site.at_provider(site.begin()))
    assert isinstance(late, Confirmation)
    make_older(site)
    for secret in (asked.secret, late.secret, "made up", ""):
        with pytest.raises(HubRefusedError, match="has ended"):
            site.sign_in.confirm(secret)
    assert site.count("tokens") == 0


def test_what_a_provider_says_only_elsewhere_counts_if_it_is_of_the_same_person(site: Site) -> None:
    site.provider.elsewhere = {**ADA, "groups": ["staff"]}
    site.provider.who = {"sub": "another"}
    assert "no account" in site.refusal()
    site.provider.who = {"sub": ADA["sub"]}
    site.admit(groups=("staff",))
    assert site.signs_in().name == "ada"
    site.provider.who["groups"] = []  # what is signed counts
    assert "no account" in site.come_back(site.at_provider(site.begin()))["error"]


@pytest.mark.parametrize(
    ("issuer", "email", "hd", "is_sure"),
    [
        ("https://accounts.google.com", "ada@corp.example", "corp.example", True),
        ("https://accounts.google.com", "ada@corp.example", "other.example", False),
        ("https://accounts.google.com", "ada@corp.example", None, False),
        ("https://accounts.google.com", "ada@gmail.com", None, True),
        ("https://login.example.org", "ada@corp.example", None, True),
    ],
)
def test_of_addresses_that_google_verified_only_those_are_sure_that_it_hosts(
    issuer: str, email: str, hd: str | None, is_sure: bool
) -> None:
    claims = {"email": email, "email_verified": True, **({"hd": hd} if hd else {})}
    assert verified_email(claims, issuer) == (email if is_sure else "")


def test_the_code_of_a_provider_is_used_for_its_own_login_only(site: Site) -> None:
    one, other = site.at_provider(site.begin()), site.at_provider(site.begin())
    found = site.come_back(replace(one, code=other.code))  # PKCE: another verifier
    assert "refused the login" in found["error"]
    assert site.come_back(replace(other, code=""))["error"] == "the provider refused the login"
    assert site.count("tokens") == 0


def test_a_code_is_redeemed_once_and_only_by_the_device_that_began(site: Site) -> None:
    code = site.come_back(site.at_provider(site.begin()))["code"]
    with pytest.raises(HubRefusedError, match="another device"):
        site.redeem(code, verifier="w" * 43)
    for wrong in (code, "made up"):
        with pytest.raises(HubRefusedError, match="has ended"):
            site.redeem(wrong)
    late = site.come_back(site.at_provider(site.begin()))["code"]
    make_older(site)
    with pytest.raises(HubRefusedError, match="has ended"):
        site.redeem(late)
    assert site.count("tokens") == 0


def make_older(site: Site) -> None:
    with site.database.begin() as connection:
        connection.execute(text("UPDATE logins SET begun_at = begun_at - interval '11 minutes'"))


def test_an_address_that_somebody_else_gets_later_opens_no_account(site: Site) -> None:
    site.signs_in()
    site.provider.who["sub"] = "a new colleague"
    found = site.come_back(site.at_provider(site.begin()))
    assert "no account" in found["error"]
    site.provider.who |= {"sub": ADA["sub"], "email": "ada.new@example.org"}  # who has moved
    assert site.signs_in().name == "ada"


def test_a_person_who_is_disabled_does_not_sign_in_nor_redeem(site: Site) -> None:
    code = site.come_back(site.at_provider(site.begin()))["code"]
    with site.database.begin() as connection:
        People(connection, "test").disable("ada")
    with pytest.raises(HubRefusedError, match="has ended"):
        site.redeem(code)
    assert "no account" in site.refusal()


def test_whom_the_provider_no_longer_counts_to_a_group_loses_the_tokens_of_logins(
    site: Site,
) -> None:
    site.admit(groups=("staff",))
    assert "no account" in site.refusal()
    site.provider.who["groups"] = ["staff", "bakers"]
    found = site.signs_in()
    with site.database.begin() as connection:
        given = People(connection, "test").new_token("ada", "server", NOW, timedelta(days=1))
    site.provider.who["groups"] = ["bakers"]
    assert "no account" in site.come_back(site.at_provider(site.begin()))["error"]
    assert [site.whose(each) for each in (found.token, given)] == [None, "ada"]


def test_an_account_is_created_only_for_who_is_admitted(site: Site) -> None:
    site.provider.who = {"sub": "9", "email": "Eve@Example.org", "email_verified": True}
    assert "no account" in site.refusal()
    site.admit(domains=("example.com",), create=True)
    assert "no account" in site.refusal()
    site.provider.who["email"] = "eve@example.org.example.com.evil.test"
    assert "no account" in site.refusal()
    site.provider.who["email"] = "eve@example.org"
    site.admit(domains=("example.org",), create=True)
    assert site.signs_in().name == "eve@example.org"
    site.provider.who |= {"sub": "10", "email": "ada@example.org"}  # ada signs in the first time
    assert site.signs_in().name == "ada"
    site.provider.who["sub"] = "11"
    assert "no account" in site.come_back(site.at_provider(site.begin()))["error"]


def test_a_new_key_of_the_provider_is_fetched(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.signs_in()
    monkeypatch.setattr(
        "tests.fakes.identity_site.KEY", RSAKey.generate_key(2048, {"use": "sig"}, auto_kid=True)
    )
    assert "not valid" in site.come_back(site.at_provider(site.begin()))["error"]
    site.now += timedelta(minutes=1)  # not asked more often
    assert site.signs_in().name == "ada"


def test_a_thousand_logins_at_a_time_are_enough(site: Site) -> None:
    columns = "device, address, challenge, port, nonce, verifier"
    many = f"INSERT INTO logins ({columns}) SELECT '', '', '', 1, '', ''"
    with site.database.begin() as connection:
        connection.execute(text(f"{many} FROM generate_series(1, 1000)"))
    with pytest.raises(HubRefusedError, match="too many"):
        site.begin()
    make_older(site)
    assert site.signs_in().name == "ada"


def test_a_login_that_nobody_continued_is_deleted_by_the_repairs_of_workers(site: Site) -> None:
    site.begin("phone of ada")
    with site.database.begin() as connection:
        connection.execute(text("UPDATE logins SET begun_at = now() - interval '11 minutes'"))
    asyncio.run(work(site.database, Tools(None, None), [EXTRACT], until_done=True))  # type: ignore[arg-type]  # nothing is embedded or fetched
    assert site.count("logins") == 0


def test_with_a_person_goes_what_the_provider_knows_of_them(site: Site) -> None:
    site.signs_in()
    site.come_back(site.at_provider(site.begin()))
    with site.database.begin() as connection:
        People(connection, "test").delete("ada")
        assert Logins(connection)
    assert site.count("identities") == site.count("logins") == site.count("tokens") == 0
