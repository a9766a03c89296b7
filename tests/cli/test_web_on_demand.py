"""A server that is started for the first connection, and stops when nobody is left."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from daemon.cli.web import _of_systemd
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.config.web_section import WebSettings
from daemon.faces.web.web_server import inherited, listening
from daemon.host import web_on_demand
from daemon.host.web_on_demand import WebOnDemand
from daemon.model.errors import LacunaError
from daemon.usecases.web_access import CurrentToken, access_token
from tests.fakes.cli import Cli
from tests.fakes.process import PATIENCE, Lacuna
from tests.fakes.web_site import serving_vault

# Answers one connection with a letter, then ends, as the server does when it is idle.
ONCE = """
import socket, sys
listener = socket.socket(fileno=int(sys.argv[1]))
listener.settimeout(30)
other, _ = listener.accept()
other.sendall(sys.argv[2].encode())
other.close()
sys.exit(int(sys.argv[3]))
"""


def program(letter: str, code: int = 0) -> Callable[[int], list[str]]:
    return lambda number: [sys.executable, "-c", ONCE, str(number), letter, str(code)]


def free_port() -> int:
    with closing(listening(0)) as unused:
        return int(unused.getsockname()[1])


def received(port: int) -> bytes:
    """Connect as soon as something listens; return what it sends."""
    deadline = time.monotonic() + 30
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                return connection.recv(10)
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        except ConnectionResetError:
            return b""


@pytest.fixture
def on_demand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., WebOnDemand]]:
    monkeypatch.setattr(web_on_demand, "_PAUSE", 0.01)
    made: list[WebOnDemand] = []

    def make(*program_: object, port: int) -> WebOnDemand:
        made.append(WebOnDemand(program(*program_)))  # type: ignore[arg-type]
        made[-1].apply(WebSettings(enabled=True, port=port))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def test_each_first_connection_starts_the_server(on_demand: Callable[..., WebOnDemand]) -> None:
    port = free_port()
    web = on_demand("a", port=port)
    assert [received(port), received(port)] == [b"a", b"a"]
    web.apply(WebSettings(enabled=False, port=port))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=30)


def test_a_server_that_fails_is_started_again(on_demand: Callable[..., WebOnDemand]) -> None:
    port = free_port()
    on_demand("b", 3, port=port)
    assert received(port) == b"b"
    deadline = time.monotonic() + 30
    while received(port) != b"b":  # one that came during the pause is closed
        assert time.monotonic() < deadline


def test_a_port_that_another_program_has_is_taken_later(
    on_demand: Callable[..., WebOnDemand], monkeypatch: pytest.MonkeyPatch
) -> None:
    is_refused = threading.Event()
    monkeypatch.setattr(web_on_demand._log, "warning", lambda *_: is_refused.set())
    with closing(listening(0)) as other:
        port = other.getsockname()[1]
        on_demand("c", port=port)
        assert is_refused.wait(PATIENCE)
    assert received(port) == b"c"


def test_a_socket_that_other_machines_can_reach_is_refused() -> None:
    with socket.socket() as everywhere:
        everywhere.bind(("0.0.0.0", 0))
        everywhere.listen()
        with pytest.raises(LacunaError, match="other machines could connect"):
            inherited(everywhere.fileno())
    with pytest.raises(LacunaError, match="there is no socket 987"):
        inherited(987)


def test_a_socket_of_systemd_is_the_one_for_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for pid, count, expected in ((os.getpid(), 1, 3), (os.getpid(), 2, None), (1, 1, None)):
        monkeypatch.setenv("LISTEN_PID", str(pid))
        monkeypatch.setenv("LISTEN_FDS", str(count))
        assert _of_systemd() == expected


@pytest.mark.long(6)
def test_the_server_serves_an_inherited_socket_and_stops_when_idle(
    vault: Path, tmp_path: Path
) -> None:
    real = Lacuna(vault, tmp_path / "real", {"web.idle_minutes": 0.01})
    with closing(listening(0)) as listener:
        number, port = listener.fileno(), listener.getsockname()[1]
        with subprocess.Popen(
            real.arguments("web", "--listener", str(number)),
            env=real.environment,
            pass_fds=(number,),
            stdout=subprocess.PIPE,
        ) as server:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                connection.sendall(
                    f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
                )
                assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")
            assert server.wait(PATIENCE) == 0
            assert server.stdout is not None
            assert server.stdout.read() == b""  # no link of a server that nobody watches


def test_a_running_server_uses_a_replaced_token_and_signs_browsers_out(ready: Cli) -> None:
    with serving_vault(ready, with_token_file=True) as site:
        with closing(open_app(load_settings(ready.config), config=ready.config)) as app:
            old = CurrentToken(app)()
        known = {"authorization": f"Bearer {old}"}
        assert site("GET", "/api/v1/topics", **known).status == 200
        site.sign_in()
        assert site("GET", "/topics").status == 200
        shown = ready("web", "--rotate-token", "--port", str(site.port))
        assert "Browsers were signed out" in shown.out
        assert site("GET", "/topics").status == 401
        assert f"the server on port {site.port} uses the new one" in shown.out
        assert site("GET", "/api/v1/topics", **known).status == 401
        with closing(open_app(load_settings(ready.config), config=ready.config)) as app:
            new = {"authorization": f"Bearer {access_token(app)}"}
        assert json.loads(site("GET", "/api/v1/topics", **new).text) == []
        site.sign_in()
        assert site("GET", "/topics").status == 200
