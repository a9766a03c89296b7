"""ntfy and webhooks, against a real server: what is sent, how it is signed, and what fails how."""

import json
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial

import pytest

from daemon.adapters.notify import CHANNELS, ChannelSettings, build_notifiers
from daemon.adapters.notify.channel import PostFunction
from daemon.adapters.notify.ntfy import Ntfy
from daemon.adapters.notify.webhook import Webhook, signature
from daemon.adapters.secrets import KeyringSecrets
from daemon.model.errors import NotifyError
from daemon.model.notice import NoticeKind
from daemon.ports import Fetched
from tests.fakes.gates import a_gate
from tests.fakes.http_server import HttpServer, Reply, closed_port, serving
from tests.fakes.keyring import FakeKeyring
from tests.fakes.notices import a_notice

AT = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as found:
        found.fallback = Reply(b"{}", 200, "application/json")
        yield found


def keys(**values: str) -> KeyringSecrets:
    environ = {f"LACUNA_{name.upper()}_API_KEY": value for name, value in values.items()}
    return KeyringSecrets(environ=environ, keyring=FakeKeyring)


def posting(*origins: str) -> PostFunction:
    gate = a_gate(timeout=30, allow_origins=origins)

    async def post(url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        return await gate.post(url, body=body, headers=headers)

    return post


def test_ntfy_is_sent_json_at_the_root_of_the_server(server: HttpServer) -> None:
    ntfy = Ntfy(f"{server.origin}/my%20topic/", posting(server.origin), keys())
    ntfy.send(a_notice(text="ä" * 3000))
    ntfy.send(a_notice(kind=NoticeKind.ERROR))
    [asked, error] = server.asked
    assert (asked.method, asked.path) == ("POST", "/")
    assert asked.headers["content-type"] == "application/json"
    assert "authorization" not in asked.headers
    body = json.loads(asked.body)
    assert body["topic"] == "my topic"
    assert body["title"] == "Lacuna: 2 findings to review"
    assert body["message"] == "ä" * 1500
    assert (body["priority"], body["tags"]) == (2, ["mag"])
    assert json.loads(error.body)["priority"] == 4


def test_ntfy_gets_the_token_from_the_keyring(server: HttpServer) -> None:
    Ntfy(f"{server.origin}/t", posting(server.origin), keys(ntfy="tk_1")).send(a_notice())
    assert server.asked[0].headers["authorization"] == "Bearer tk_1"


def test_a_webhook_signature_can_be_verified_by_its_receiver(server: HttpServer) -> None:
    secret = "whsec_" + b64encode(b"0123456789abcdef01234567").decode()
    hook = Webhook(
        f"{server.origin}/in?x=1", posting(server.origin), keys(webhook=secret), lambda: AT
    )
    hook.send(a_notice())
    [asked] = server.asked
    assert (asked.path, asked.params) == ("/in", {"x": "1"})
    assert json.loads(asked.body) == {
        "format": 1,
        "type": "lacuna.digest",
        "timestamp": "2026-11-21T09:30:00+00:00",
        "data": {
            "title": "Lacuna: 2 findings to review",
            "text": "1 document skipped.",
            "counts": {"findings": 2},
        },
    }
    assert asked.headers["webhook-id"] == "msg_digest-1"
    assert asked.headers["webhook-timestamp"] == str(int(AT.timestamp()))
    expected = signature(secret, "msg_digest-1", str(int(AT.timestamp())), asked.body)
    assert asked.headers["webhook-signature"] == expected


def test_a_signature_matches_other_implementations() -> None:
    """The value was made by the library `standardwebhooks` 1.1.0."""
    made = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "1614265330",
        b'{"test": 2432232314}',
    )
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_plain_secret_signs_and_another_secret_signs_differently() -> None:
    one, other = (signature(secret, "msg_1", "1", b"{}") for secret in ("secret", "secret "))
    assert one.startswith("v1,")
    assert one != other


@pytest.mark.parametrize("secret", ["", "whsec_not base64!"])
def test_nothing_is_sent_unsigned(server: HttpServer, secret: str) -> None:
    hook = Webhook(f"{server.origin}/in", posting(server.origin), keys(webhook=secret))
    with pytest.raises(NotifyError, match=r"sign|base64"):
        hook.send(a_notice())
    assert server.asked == []


@pytest.mark.parametrize("status", [301, 401, 404, 429, 500])
def test_a_status_other_than_2xx_is_an_error(server: HttpServer, status: int) -> None:
    server.fallback = Reply(b"", status, headers={"Location": "http://127.0.0.1:1/elsewhere"})
    hook = Webhook(f"{server.origin}/hidden-in-the-path", posting(server.origin), keys(webhook="s"))
    with pytest.raises(NotifyError) as caught:
        hook.send(a_notice())
    assert str(caught.value) == f"HTTP {status}"
    assert len(server.asked) == 1


def test_an_unreachable_server_is_reported_without_its_address() -> None:
    origin = f"http://127.0.0.1:{closed_port()}"
    ntfy = Ntfy(f"{origin}/hidden-topic", posting(origin), keys())
    with pytest.raises(NotifyError) as caught:
        ntfy.send(a_notice())
    assert "hidden-topic" not in str(caught.value)


def test_a_private_address_is_reached_only_if_it_was_allowed(server: HttpServer) -> None:
    for allowed in ([], ["http://127.0.0.1:1"]):
        with pytest.raises(NotifyError, match="refused"):
            Ntfy(f"{server.origin}/t", posting(*allowed), keys()).send(a_notice())
    assert server.asked == []


def test_disabled_channels_are_not_created(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    channels = partial(ChannelSettings, secrets=keys(), post=lambda _name: posting())
    assert build_notifiers(channels(desktop=False, ntfy="", webhook="")) == {}
    everything = channels(desktop=True, ntfy="https://ntfy.sh/t", webhook="https://example.org/in")
    built = build_notifiers(everything)
    assert list(built) == [channel.name for channel in CHANNELS]
    assert [notifier.name for notifier in built.values()] == list(built)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a desktop")
def test_a_machine_without_a_desktop_has_no_desktop_channel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    channels = ChannelSettings(True, "", "", keys(), lambda _name: posting())
    assert build_notifiers(channels) == {}
