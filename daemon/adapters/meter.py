"""Count what is sent, request by request, before it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, quote_plus

from daemon.model.errors import OfflineError, RefusedError, SpentError
from daemon.model.spending import MICROS, Amounts, Cap, Sending

if TYPE_CHECKING:  # a tenth of a second of CPU, spent only by a process that fetches
    import httpx

READ = 65_536  # bytes that are read at once, and counted before they come
FIRST = 2 * READ  # counted for an answer before it begins
MAX_COUNTED_BYTES = 1_000_000  # counted at once while it arrives
_MIN_KEY_LENGTH = 4  # shortest key that is searched for in what is sent


class SpendingLedger(Protocol):
    """Counts requests before they are sent: for a vault, or for all vaults of a hub."""

    def check(self, amounts: Amounts, caps: Iterable[Cap] = ()) -> None: ...

    def reserve(self, sending: Sending, caps: Iterable[Cap] = ()) -> tuple[int, int]: ...

    def extend(self, id_: int, more: int, caps: Iterable[Cap] = ()) -> int: ...

    def settle(self, id_: int, received: int) -> None: ...

    def release(self, id_: int) -> None: ...


class Meter:
    """Counts for one spender: a source by its name, or an internal task.

    `price` is the cost of a request in US dollars; `caps` are the spender's own. The ledger
    contains no value of `keys` (by name): it contains their names instead.
    """

    def __init__(
        self,
        ledger: SpendingLedger,
        spender: str,
        *,
        kind: str = "question",
        price: float = 0.0,
        caps: Sequence[Cap] = (),
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self._ledger = ledger
        self._spender = spender
        self._kind = kind
        self._price = round(price * MICROS)
        self._caps = tuple(caps)
        self._keys = {name: value for name, value in (keys or {}).items() if value}

    def check(self) -> None:
        """Raise SpentError if not even one more request may be sent."""
        self._ledger.check(Amounts(requests=1, bytes=1, money=self._price), self._caps)

    @contextmanager
    def request(self, request: httpx.Request, *, is_first: bool = True) -> Iterator[Counted]:
        """Count a request that is sent in the body; following a redirect costs no money again.

        Raises SpentError; the request must then not be sent.
        """
        body = request.content if request.method == "POST" else b""
        what = f"{request.method} {request.url}"
        text = body.decode("utf-8", "replace")
        headers = " ".join(request.headers.values())
        is_paid = is_first and _is_paid(body)
        sent = f"{what} {text}".rstrip()
        with self._counted(request.url.host, sent, headers, is_paid=is_paid) as counted:
            yield counted

    @contextmanager
    def command(self, program: str, what: str) -> Iterator[Counted]:
        """Count data sent to a local program, which may pass it on to anybody."""
        with self._counted(f"program {program}", what, "", is_paid=True) as counted:
            yield counted

    @contextmanager
    def _counted(self, host: str, what: str, headers: str, *, is_paid: bool) -> Iterator[Counted]:
        shown, names = self._without_keys(what, headers)
        amounts = Amounts(requests=1, bytes=FIRST, money=self._price if is_paid else 0)
        sending = Sending(self._spender, self._kind, host, shown, names, amounts)
        id_, room = self._ledger.reserve(sending, self._caps)
        counted = Counted(self._ledger, id_, room, self._caps)
        try:
            yield counted
        except (RefusedError, OfflineError):
            counted.release()
            raise
        except BaseException:
            counted.settle()
            raise
        counted.settle()

    def _without_keys(self, what: str, headers: str) -> tuple[str, tuple[str, ...]]:
        """Return the data with names in place of keys, and the names of all keys in it."""
        names = [name for name, value in self._keys.items() if value in headers]
        for name, value in sorted(self._keys.items(), key=lambda each: -len(each[1])):
            if len(value) < _MIN_KEY_LENGTH:
                continue
            for spelt in {value, quote(value), quote(value, ""), quote_plus(value), _in(value)}:
                if spelt in what:
                    what = what.replace(spelt, f"{{{name}}}")
                    names.append(name)
        return what, tuple(sorted(set(names)))


class Counted:
    """One request while it is counted."""

    def __init__(self, ledger: SpendingLedger, id_: int, room: int, caps: Sequence[Cap]) -> None:
        self._ledger = ledger
        self._id = id_
        self._caps = caps
        self._reserved = room
        self._received = 0

    def take(self, number: int) -> None:
        """Count bytes that came, and the next ones before they are read. Raises SpentError at the
        limit.
        """
        self._received += number
        if self._received + READ <= self._reserved:
            return
        more = max(self._received + READ - self._reserved, min(self._reserved, MAX_COUNTED_BYTES))
        try:
            self._reserved += self._ledger.extend(self._id, more, self._caps)
        except SpentError:
            if self._received >= self._reserved:
                raise

    def settle(self) -> None:
        self._ledger.settle(self._id, self._received)

    def release(self) -> None:
        self._ledger.release(self._id)


def _is_paid(body: bytes) -> bool:
    """Return whether services charge for a request: of MCP's messages, only a tool call."""
    if b'"jsonrpc"' not in body:
        return True
    try:
        message = json.loads(body)
    except ValueError:
        return True
    return not isinstance(message, dict) or message.get("method") in (None, "tools/call")


def _in(value: str) -> str:
    """Return a text as JSON encodes it."""
    return json.dumps(value)[1:-1]
