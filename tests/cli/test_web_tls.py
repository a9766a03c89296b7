"""`lacuna web --host`: other machines connect over TLS, and browsers sign in with a password."""

import json
import re
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.fakes.cli import Cli
from tests.fakes.process import WITHOUT_MODEL, Lacuna

x509 = pytest.importorskip("cryptography.x509", reason="cryptography is not installed")
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402 it may be missing
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402 as above

PASSWORD = "four slices of rye bread"
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of localhost that it signed itself, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return chain, secret


@dataclass(frozen=True)
class Remote:
    """A client of another machine: it trusts the certificate, and connects by the name."""

    port: int
    chain: Path
    token: str
    machine: str = "127.0.0.1"

    def __call__(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, Mapping[str, str], str]:
        trusting = ssl.create_default_context(cafile=str(self.chain))
        connection = HTTPSConnection(
            *("localhost", self.port),
            timeout=30,
            source_address=(self.machine, 0),
            context=trusting,
        )
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, named, answer.read().decode()

    def sign_in(self, password: str) -> tuple[int, Mapping[str, str], str]:
        origin = f"https://localhost:{self.port}"
        return self("POST", "/login", urlencode({"password": password}), origin=origin, **FORM)


@pytest.fixture(scope="module")
def remote(
    certificate: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Remote]:
    """The real process, which other machines may reach as localhost."""
    home = tmp_path_factory.mktemp("home")
    (home / "vault" / ".obsidian").mkdir(parents=True)
    (home / "vault" / "Bread.md").write_text("# Bread\n")
    lacuna = Lacuna(home / "vault", home / "lacuna", program=WITHOUT_MODEL)
    files = [str(each) for each in certificate]
    command = ("web", "--host", "localhost", "--port", "0", "--certificate", *files)
    refused = lacuna.call(*command)
    assert "--set-password" in refused.stderr
    assert lacuna.call("web", "--set-password", text=f"{PASSWORD}\n").returncode == 0
    with subprocess.Popen(
        lacuna.arguments(*command), env=lacuna.environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            shown = re.search(r"https://localhost:(\d+)/", process.stdout.readline())
            assert shown is not None
            token = (lacuna.state / "web-token").read_text()
            yield Remote(int(shown[1]), certificate[0], token)
        finally:
            process.terminate()


def test_a_browser_signs_in_with_the_password_and_gets_a_cookie_for_tls_only(
    remote: Remote,
) -> None:
    status, headers, _ = remote("GET", "/", accept="text/html")
    assert (status, headers["location"]) == (303, "/login")
    assert "Password" in remote("GET", "/login", accept="text/html")[2]
    assert remote.sign_in("four slices of white bread")[0] == 401
    status, headers, _ = remote.sign_in(PASSWORD)
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert {"httponly", "secure", "samesite=strict"} <= set(cookie.lower().split("; "))
    status, _, page = remote("GET", "/", accept="text/html", cookie=cookie.partition(";")[0])
    assert (status, "<h1>Today</h1>" in page) == (200, True)


def test_programs_need_the_token_and_pages_of_other_sites_and_names_are_refused(
    remote: Remote,
) -> None:
    bearer = f"Bearer {remote.token}"
    assert remote("GET", "/api/v1/topics")[0] == 401
    assert remote("GET", "/api/v1/topics", authorization=bearer)[0] == 200
    for refused in ("http://localhost", "https://evil.example", "null"):
        assert remote("GET", "/api/v1/topics", authorization=bearer, origin=refused)[0] == 403
    for name in ("127.0.0.1", "evil.example"):
        assert remote("GET", "/healthz", host=f"{name}:{remote.port}")[0] == 421


def test_nothing_is_answered_without_tls(remote: Remote) -> None:
    with closing(HTTPConnection("localhost", remote.port, timeout=30)) as connection:
        connection.request("GET", "/healthz")
        with pytest.raises((ConnectionError, OSError)):
            connection.getresponse()


def test_passwords_cannot_be_tried_quickly(remote: Remote) -> None:
    other = replace(remote, machine="127.0.0.2")
    statuses = [other.sign_in(f"guess {number}")[0] for number in range(12)]
    assert statuses[-1] == 429
    assert other.sign_in(PASSWORD)[0] == 429
    assert remote.sign_in(PASSWORD)[0] == 303


def test_only_a_hash_of_a_long_password_is_stored(ready: Cli, vault: Path) -> None:
    assert "12 to 1000 characters" in ready("web", "--set-password", text="bread\n").complaint
    assert ready("web", "--set-password", text=f"{PASSWORD}\n").code == 0
    [file] = vault.parents[1].rglob("web-password")
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text()).keys() == {"salt", "hash"}


def test_other_machines_are_refused_without_tls_or_with_a_file_that_is_no_certificate(
    ready: Cli, certificate: tuple[Path, Path]
) -> None:
    chain, key = map(str, certificate)
    everybody = ("web", "--host", "0.0.0.0")
    assert "only over TLS" in ready(*everybody).err
    assert "--host" in ready("web", "--certificate", chain, key).err
    assert "no certificate" in ready(*everybody, "--certificate", key, chain).complaint
