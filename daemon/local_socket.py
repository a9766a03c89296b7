"""HTTP over Unix sockets in a state folder: of the running daemon, and of the web server.

Their files are for the owner alone (0600, in a folder of 0700), so every client is the user. One
request a connection; h11 parses and writes it on both sides.
"""

import os
import socket
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import h11

NAME = "daemon.sock"
REQUEST_HEADER = "Lacuna-Request"  # the id of the command that a stream is about
KEY_HEADER = "Idempotency-Key"  # of a command: sent again with the same key, it is the same one
_MAX_ADDRESS_LENGTH = 100  # bytes of an address: 103 on macOS, 107 on Linux
_FOLDERS = Path("/proc/self/fd")  # by which Linux reaches a folder whose path is too long
_BLOCK = 1 << 16
_MAX_REQUEST_BYTES = 1 << 20
# The socket option for the process at the other end, and its size; the number is in the first four
# bytes. On macOS: LOCAL_PEERPID of the level SOL_LOCAL.
_PEER_LEVEL = 0 if sys.platform == "darwin" else socket.SOL_SOCKET
_PEER = (2, 4) if sys.platform == "darwin" else (getattr(socket, "SO_PEERCRED", 0), 12)
_WORKING = 102  # the interim status for work in progress


class SocketError(Exception):
    """The other side is missing, or violates the protocol."""


def listen(state: Path, name: str = NAME) -> socket.socket:
    """Return a socket that listens in a state folder; one that was left there is replaced.

    Raises OSError, also when the folder's path is too long for an address.
    """
    (state / name).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(state, name) as address:
            listener.bind(address)
        (state / name).chmod(0o600)
        listener.listen()
    except BaseException:
        listener.close()
        raise
    return listener


@dataclass(frozen=True, slots=True)
class Answer:
    """How an answer begins: its status, and its headers by their names in lower case."""

    status: int
    headers: Mapping[str, str]


def ask(
    state: Path,
    path: str,
    body: bytes,
    *,
    patience: float,
    working_patience: float,
    name: str = NAME,
) -> tuple[int, bytes]:
    """Post a request and return status and body of the answer.

    `patience` is how many seconds to wait for a sign of work, `working_patience` for all the rest.
    Raises SocketError.
    """
    status, found = 0, bytearray()
    request = SentRequest("POST", path, body)
    with closing(_exchange(state, request, patience, working_patience, name)) as parts:
        for part in parts:
            if isinstance(part, Answer):
                status = part.status
            elif part is None:
                raise SocketError("no answer came in time")
            else:
                found += part
    return status, bytes(found)


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request; `key` is its idempotency key, or ""."""

    method: str
    path: str
    body: bytes = b""
    key: str = ""


def stream(
    state: Path, request: SentRequest, *, patience: float, tick: float
) -> Generator[Answer | bytes | None]:
    """Send a request; yield how the answer begins, then its lines as they come.

    None is yielded whenever nothing came for `tick` seconds. `patience` is how many seconds to wait
    for progress. Raises SocketError, also when the answer breaks off.
    """
    rest = b""
    with closing(_exchange(state, request, patience, tick)) as parts:
        for part in parts:
            if not isinstance(part, bytes):
                yield part
                continue
            *lines, rest = (rest + part).split(b"\n")
            yield from filter(None, lines)
    if rest:
        yield rest


def _exchange(
    state: Path, request: SentRequest, patience: float, tick: float, name: str = NAME
) -> Generator[Answer | bytes | None]:
    """Send a request and yield the parts of the answer; None when none came for a while.

    Raises SocketError.
    """
    connection = h11.Connection(h11.CLIENT)
    headers = [("Host", "localhost"), ("Content-Length", str(len(request.body)))]
    if request.key:
        headers.append((KEY_HEADER, request.key))
    head = h11.Request(method=request.method, target=request.path, headers=headers)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.settimeout(patience)
        try:
            with _address(state, name) as address:
                other.connect(address)
            for event in (head, h11.Data(data=request.body), h11.EndOfMessage()):
                _send(connection, other, event)
            yield from _parts(connection, other, tick)
        except (OSError, h11.ProtocolError) as error:
            raise SocketError(str(error)) from error


def _parts(
    connection: h11.Connection, other: socket.socket, tick: float
) -> Generator[Answer | bytes | None]:
    """Yield what comes; raises OSError without progress in time."""
    is_working = is_answered = False
    while True:
        try:
            for event in _events(connection, other):
                if isinstance(event, h11.Data):
                    yield bytes(event.data)
                    continue
                is_working = True
                other.settimeout(tick)
                if isinstance(event, h11.Response):
                    is_answered = True
                    named = {name.decode(): value.decode() for name, value in event.headers}
                    yield Answer(event.status_code, named)
        except TimeoutError:
            if not is_working:
                raise
            yield None
            continue
        if not is_answered:
            raise SocketError("the connection was closed without an answer")
        return


def peer_of(connection: socket.socket) -> str:
    """Return who is at the other end, as the system reports it: the session of its process.

    A session is a terminal, or a program that was started apart from one, with all commands in it.
    "" if the system does not report it.
    """
    try:
        found = connection.getsockopt(_PEER_LEVEL, *_PEER)
        pid = int.from_bytes(found[:4], sys.byteorder)
        return f"session {os.getsid(pid)}" if pid else ""
    except OSError:
        return ""  # also if it has ended meanwhile


class Exchange:
    """The serving side of one connection: a request in, an answer out. Raises SocketError."""

    def __init__(self, other: socket.socket) -> None:
        self._other = other
        self._connection = h11.Connection(h11.SERVER)

    def request(self) -> SentRequest:
        """Read the request. All of it must come within the socket's timeout."""
        method, path, body = "", "", bytearray()
        named: dict[str, str] = {}
        patience = self._other.gettimeout()
        deadline = None if patience is None else monotonic() + patience
        try:
            for event in _events(self._connection, self._other, deadline):
                if isinstance(event, h11.Request):
                    path = event.target.decode("ascii", "replace")
                    method = event.method.decode("ascii", "replace")
                    named = {
                        name.decode("ascii"): value.decode("ascii", "replace")
                        for name, value in event.headers
                    }
                if isinstance(event, h11.Data):
                    body += event.data
                if len(body) > _MAX_REQUEST_BYTES:
                    raise SocketError("the request is too large")
            self._other.settimeout(patience)
        except (OSError, h11.ProtocolError) as error:
            raise SocketError(str(error)) from error
        if not path:
            raise SocketError("the connection was closed without a request")
        return SentRequest(method, path, bytes(body), named.get(KEY_HEADER.lower(), ""))

    def begin(self) -> None:
        """Report that the request is in progress."""
        self._send(h11.InformationalResponse(status_code=_WORKING, headers=[]))

    def answer(self, status: int, body: bytes) -> None:
        """Send the JSON answer."""
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        self._send(h11.Response(status_code=status, headers=headers))
        self._send(h11.Data(data=body))
        self._send(h11.EndOfMessage())

    def begin_lines(self, headers: Mapping[str, str]) -> None:
        """Begin an answer of which each line is JSON, and that goes on until it is ended."""
        kind = ("Content-Type", "application/x-ndjson")
        every = [kind, ("Connection", "close"), *headers.items()]
        self._send(h11.Response(status_code=200, headers=every))

    def line(self, text: str = "") -> None:
        """Send a line. An empty line only checks that the peer is still connected."""
        self._send(h11.Data(data=f"{text}\n".encode("utf-8", "replace")))

    def end_lines(self) -> None:
        """End an answer of lines."""
        self._send(h11.EndOfMessage())

    def _send(self, event: h11.Event) -> None:
        try:
            _send(self._connection, self._other, event)
        except (OSError, h11.ProtocolError) as error:
            raise SocketError(str(error)) from error


def _send(connection: h11.Connection, other: socket.socket, event: h11.Event) -> None:
    if data := connection.send(event):  # the end of a body of a known length has no bytes
        other.sendall(data)


def _events(
    connection: h11.Connection, other: socket.socket, deadline: float | None = None
) -> Iterator[h11.Event]:
    """Yield what the other side sends, until its message or the connection ends.

    Raises TimeoutError after `deadline`, however slowly something comes.
    """
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if deadline is not None:
                left = deadline - monotonic()
                if left <= 0:
                    raise TimeoutError("the request took too long")
                other.settimeout(left)
            connection.receive_data(other.recv(_BLOCK))
        elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed) or event is h11.PAUSED:
            return
        elif isinstance(event, h11.Event):
            yield event


@contextmanager
def _address(state: Path, name: str) -> Iterator[str]:
    """Return the address of the socket in a folder. Raises OSError if that is impossible."""
    plain = str(state / name)
    if len(os.fsencode(plain)) <= _MAX_ADDRESS_LENGTH:
        yield plain
        return
    if not _FOLDERS.is_dir():
        raise OSError(f"{plain} is too long for the address of a socket")
    folder = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield str(_FOLDERS / str(folder) / name)
    finally:
        os.close(folder)
