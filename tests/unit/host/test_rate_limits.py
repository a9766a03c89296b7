"""Each client of the daemon may ask so many questions a minute, and no client another's."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.host.rate_limits import RateLimits, TooManyError
from daemon.local_socket import NAME, Exchange, listen, peer_of


def test_a_client_that_asks_too_much_learns_when_to_try_again() -> None:
    limits = RateLimits(2)
    limits.hit("assistant")
    limits.hit("assistant")
    with pytest.raises(TooManyError, match=r"more than 2 questions .* try again in \d+ s"):
        limits.hit("assistant")
    limits.hit("lacuna")


def test_a_client_is_the_session_of_its_process_whatever_it_sends(tmp_path: Path) -> None:
    found = list[str]()

    def serve(other: socket.socket) -> None:
        found.append(peer_of(other))
        Exchange(other).request()
        other.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    code = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        "s.sendall(b'POST /query/ask HTTP/1.1\\r\\nHost: x\\r\\nLacuna-Client: another\\r\\n"
        "Content-Length: 0\\r\\n\\r\\n'); s.recv(100)"
    )
    for apart in (False, False, True):
        with listen(tmp_path) as listener:
            command = [sys.executable, "-c", code, str(tmp_path / NAME)]
            with subprocess.Popen(command, start_new_session=apart):
                other, _ = listener.accept()
                with other:
                    serve(other)
    assert found[0] == found[1] == f"session {os.getsid(0)}"
    assert found[2] != found[0]


def test_without_a_limit_everybody_may_ask() -> None:
    limits = RateLimits(0)
    for _ in range(200):
        limits.hit("assistant")
