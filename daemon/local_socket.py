"""HTTP over the Unix socket in a state folder: what the running daemon and its faces speak.

The file is for the owner alone (0600, in a folder of 0700), so whoever can connect is the user.
One request a connection; h11 parses and writes it on both sides.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h11

NAME = "daemon.sock"
_LONGEST = 100  # bytes of an address: 103 on macOS, 107 on Linux
_FOLDERS = Path("/proc/self/fd")  # by which Linux reaches a folder whose path is too long
_BLOCK = 1 << 16
_LARGEST_REQUEST = 1 << 20
_WORKING = 102  # the interim status that says that somebody is at work on the answer


class SocketError(Exception):
    """The other side is not there, or does not speak as it should."""


def listen(state: Path) -> socket.socket:
    """Return a socket that listens in a state folder; one that was left there is replaced.

    Raises OSError, also when the folder's path is too long for an address.
    """
    (state / NAME).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(state) as address:
            listener.bind(address)
        (state / NAME).chmod(0o600)
        listener.listen()
    except BaseException:
        listener.close()
        raise
    return listener


def ask(
    state: Path, path: str, body: bytes, *, patience: float, working_patience: float
) -> tuple[int, bytes]:
    """Post a request and return status and body of the answer.

    `patience` is how many seconds to wait for a sign of work, `working_patience` for all the rest.
    Raises SocketError.
    """
    connection = h11.Connection(h11.CLIENT)
    head = h11.Request(
        method="POST",
        target=path,
        headers=[("Host", "localhost"), ("Content-Length", str(len(body)))],
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.settimeout(patience)
        try:
            with _address(state) as address:
                other.connect(address)
            for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                _send(connection, other, event)
            return _answer(connection, other, working_patience)
        except (OSError, h11.ProtocolError) as error:
            raise SocketError(str(error)) from error


def _answer(
    connection: h11.Connection, other: socket.socket, working_patience: float
) -> tuple[int, bytes]:
    status, found = 0, bytearray()
    for event in _events(connection, other):
        if isinstance(event, h11.InformationalResponse):
            other.settimeout(working_patience)
        if isinstance(event, h11.Response):
            status = event.status_code
        if isinstance(event, h11.Data):
            found += event.data
    if not status:
        raise SocketError("the connection was closed without an answer")
    return status, bytes(found)


class Exchange:
    """The serving side of one connection: a request in, an answer out. Raises SocketError."""

    def __init__(self, other: socket.socket) -> None:
        self._other = other
        self._connection = h11.Connection(h11.SERVER)

    def request(self) -> tuple[str, bytes]:
        """Return path and body of the request."""
        path, body = "", bytearray()
        try:
            for event in _events(self._connection, self._other):
                if isinstance(event, h11.Request):
                    path = event.target.decode("ascii", "replace")
                if isinstance(event, h11.Data):
                    body += event.data
                if len(body) > _LARGEST_REQUEST:
                    raise SocketError("the request is too large")
        except (OSError, h11.ProtocolError) as error:
            raise SocketError(str(error)) from error
        if not path:
            raise SocketError("the connection was closed without a request")
        return path, bytes(body)

    def begin(self) -> None:
        """Say that somebody is at work on the answer."""
        self._send(h11.InformationalResponse(status_code=_WORKING, headers=[]))

    def answer(self, status: int, body: bytes) -> None:
        """Send the answer, which is JSON."""
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        self._send(h11.Response(status_code=status, headers=headers))
        self._send(h11.Data(data=body))
        self._send(h11.EndOfMessage())

    def _send(self, event: h11.Event) -> None:
        try:
            _send(self._connection, self._other, event)
        except (OSError, h11.ProtocolError) as error:
            raise SocketError(str(error)) from error


def _send(connection: h11.Connection, other: socket.socket, event: h11.Event) -> None:
    if data := connection.send(event):  # the end of a body of a known length has no bytes
        other.sendall(data)


def _events(connection: h11.Connection, other: socket.socket) -> Iterator[h11.Event]:
    """Yield what the other side sends, until its message or the connection ends."""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(other.recv(_BLOCK))
        elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed) or event is h11.PAUSED:
            return
        elif isinstance(event, h11.Event):
            yield event


@contextmanager
def _address(state: Path) -> Iterator[str]:
    """Give the address of the socket in a folder. Raises OSError when there can be none."""
    plain = str(state / NAME)
    if len(os.fsencode(plain)) <= _LONGEST:
        yield plain
        return
    if not _FOLDERS.is_dir():
        raise OSError(f"{plain} is too long for the address of a socket")
    folder = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield str(_FOLDERS / str(folder) / NAME)
    finally:
        os.close(folder)
