"""HTTP over the socket in a state folder: one request, one answer, for the owner alone."""

import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from daemon.local_socket import NAME, Exchange, SocketError, ask, listen

Serve = Callable[[socket.socket], None]


@contextmanager
def served(state: Path, serve: Serve) -> Iterator[None]:
    """Serve the first connection on a thread."""
    with ExitStack() as stack:
        listener = stack.enter_context(listen(state))

        def accept() -> None:
            other, _ = listener.accept()
            with other:
                other.settimeout(60)
                serve(other)

        thread = threading.Thread(target=accept)
        thread.start()
        stack.callback(thread.join)
        yield


def echo(other: socket.socket) -> None:
    exchange = Exchange(other)
    request = exchange.request()
    path, body = request.path, request.body
    exchange.begin()
    exchange.answer(200, path.encode() + b" " + body)


def post(state: Path, body: bytes = b"x", patience: float = 60.0) -> tuple[int, bytes]:
    return ask(state, "/query/a", body, patience=patience, working_patience=60.0)


def test_a_request_is_answered_and_the_socket_is_for_the_owner_alone(tmp_path: Path) -> None:
    body = bytes(300_000)
    with served(tmp_path, echo):
        assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
        assert post(tmp_path, body) == (200, b"/query/a " + body)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux reaches such a folder")
def test_a_folder_with_a_long_path_has_a_socket_too(tmp_path: Path) -> None:
    state = tmp_path / ("a long name " * 15)
    state.mkdir()
    with served(state, echo):
        assert post(state) == (200, b"/query/a x")


def test_a_socket_that_a_killed_daemon_left_is_nobody_and_is_replaced(tmp_path: Path) -> None:
    with pytest.raises(SocketError):
        post(tmp_path)
    listen(tmp_path).close()
    with pytest.raises(SocketError):
        post(tmp_path)
    with served(tmp_path, echo):
        assert post(tmp_path)[0] == 200


def test_a_daemon_that_is_silent_is_not_waited_for(tmp_path: Path) -> None:
    with listen(tmp_path), pytest.raises(SocketError):
        post(tmp_path, patience=0.01)


@pytest.mark.parametrize("sent", [b"", b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\nHost: a\r\n"])
def test_what_is_no_request_ends_the_connection(tmp_path: Path, sent: bytes) -> None:
    here, there = socket.socketpair()
    with here, there:
        here.sendall(sent)
        here.shutdown(socket.SHUT_WR)
        with pytest.raises(SocketError):
            Exchange(there).request()


def test_a_request_that_is_too_large_is_refused() -> None:
    here, there = socket.socketpair()
    with here, there:
        here.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n")
        sender = threading.Thread(target=_send_all, args=(here, bytes(2_000_000)))
        sender.start()
        with pytest.raises(SocketError, match="too large"):
            Exchange(there).request()
        there.close()
        sender.join()


def _send_all(here: socket.socket, data: bytes) -> None:
    try:
        here.sendall(data)
    except OSError:
        here.close()


class Dripping(socket.socket):
    """Sends a request byte by byte; a second of `clock` passes with each."""

    clock = 0.0

    def recv(self, *_: object) -> bytes:
        self.clock += 1.0
        return b"POST / HTTP/1.1\r\n"[int(self.clock) - 1 :][:1] or b"a"


def test_a_request_that_comes_byte_by_byte_ends_with_the_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Dripping() as other:
        monkeypatch.setattr("daemon.local_socket.monotonic", lambda: other.clock)
        other.settimeout(30)
        with pytest.raises(SocketError, match="took too long"):
            Exchange(other).request()
        assert other.clock == 30
