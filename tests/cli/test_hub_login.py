"""`lacuna hub login`: from a vault through a browser and a provider to a token, over real HTTP."""

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from daemon.adapters.identity_provider import IdentityProvider
from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.model.clock import now
from tests.fakes.cli import Cli
from tests.fakes.gates import a_gate
from tests.fakes.hub_site import serving
from tests.fakes.identity_site import CLIENT, SECRET, Provider, providing
from tests.fakes.keyring import FakeKeyring
from tests.fakes.postgres import database, server

__all__ = ["database", "server"]  # fixtures

CALLBACK = "/hub/v1/login/callback"


@pytest.fixture
def site(database: Database) -> Iterator[tuple[str, Provider]]:
    """The address of a hub with ada's account, and its provider."""
    with database.begin() as connection:
        People(connection, "test").add("ada", "ada@example.org")

    def client(address: str) -> IdentityProvider:
        gate = a_gate(allow_origins=[provider.issuer])
        back = f"{address}{CALLBACK}"
        return IdentityProvider(gate, provider.issuer, CLIENT, lambda: SECRET, back, "groups", now)

    with ExitStack() as running:
        provider = running.enter_context(providing(now))
        provider.who = {"sub": "1", "email": "ada@example.org", "email_verified": True}
        yield running.enter_context(serving(database.url, sign_in=client)), provider


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[list["Future[str]"]]:
    """A browser in which somebody signs in; what each page says in the end."""
    pages: list[Future[str]] = []

    def visit(page: str) -> str:
        with httpx.Client(follow_redirects=True, timeout=30) as client:
            shown = client.get(page)
            form = re.search(r'action="(\w+)">.*name="secret" value="([^"]+)"', shown.text)
            if form is None:
                return shown.text
            said = "The device “.+” at the network address 127.0.0.1 wants to be ada."
            assert re.search(said, shown.text)
            to = shown.url.join(form[1])
            return client.post(to, data={"secret": form[2]}).text

    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr("webbrowser.open", lambda page: pages.append(pool.submit(visit, page)))
        yield pages


def test_somebody_signs_in_and_the_vault_has_a_token(
    ready: Cli, site: tuple[str, Provider], browser: "list[Future[str]]", keyring: FakeKeyring
) -> None:
    address, provider = site
    done = ready("hub", "login", address, "ada's notes", "--device", "laptop")
    assert done.code == 0, done.err
    assert f"Sign in here: {provider.issuer}/authorization?" in done.err
    assert done.out.startswith("Signed in as ada until 20")
    assert keyring.get_password("lacuna", "hub") not in (None, done.out)
    assert ready("hub", "account").out.strip() == "ada"
    first = keyring.get_password("lacuna", "hub")
    again = ready("hub", "login", "--json")  # the settings have the address
    assert again.json["name"] == "ada"
    assert str(keyring.get_password("lacuna", "hub")) not in again.out
    assert keyring.get_password("lacuna", "hub") != first
    assert browser[0].result().startswith("You are signed in.")


def test_who_may_not_sign_in_is_told_and_the_settings_stay(
    ready: Cli, site: tuple[str, Provider], browser: "list[Future[str]]"
) -> None:
    address, provider = site
    provider.who["email_verified"] = False
    before = ready.config.read_text()
    refused = ready("hub", "login", address, "ada's notes")
    assert "lacuna: this hub has no account for you: ask its operator" in refused.err
    assert ready.config.read_text() == before
    assert "give the address" in ready("hub", "login", address).err
    assert [each.result() for each in browser] == ["The hub refused the login.\n"]
