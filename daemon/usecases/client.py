"""Query the running daemon, without loading the application."""

import json
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.local_socket import REQUEST_HEADER, Answer, SentRequest, SocketError, ask, stream
from daemon.model.errors import LacunaError, error_of

_PATIENCE = 5.0  # seconds until the daemon confirms that it works on the request: it may be busy
_WORKING_PATIENCE = 120.0  # seconds for the answer: a model may have to be loaded first
_TICK = 0.2  # seconds without an event, after which the caller gets its turn
_ANSWERED, _REFUSED, _TOO_MANY, _UNKNOWN, _BUSY = 200, 422, 429, 404, 503


class UnansweredError(LacunaError):
    """No daemon answers, or it does not know the request."""


class BusyDaemonError(LacunaError):
    """The daemon has too many streams open, or its database is in use."""


@dataclass(frozen=True, slots=True)
class AcceptedCommand:
    """The daemon has taken a command; its id is that of the request."""

    request: int


def query(state: Path, name: str, body: dict[str, Any]) -> Any:
    """Return the JSON of a query's document, or None if no daemon answers in this state folder.

    Raises LacunaError if the daemon refuses the query.
    """
    try:
        status, answer = ask(
            state,
            f"/query/{name}",
            json.dumps(body).encode(),
            patience=_PATIENCE,
            working_patience=_WORKING_PATIENCE,
        )
        found = json.loads(answer)
    except (SocketError, ValueError):
        return None
    if status in (_REFUSED, _TOO_MANY):
        raise error_of(found.get("kind", ""), str(found["error"]))
    return found if status == _ANSWERED else None


def command(
    state: Path, name: str, body: Any, key: str = ""
) -> Generator[AcceptedCommand | dict[str, Any] | None]:
    """Send the daemon a command; yield that it was accepted, then its events.

    Sent again with the same `key`, it is not carried out again.

    Yields None if there is no event for a moment. Raises UnansweredError, and LacunaError if the
    daemon refuses the command; SocketError if the stream is interrupted: see `resume`.
    """
    return _events(state, SentRequest("POST", f"/command/{name}", json.dumps(body).encode(), key))


def follow(state: Path, name: str, body: Any) -> Generator[AcceptedCommand | dict[str, Any] | None]:
    """Send the daemon a query and yield its events; the last one has its document.

    Raises and yields None like `command`.
    """
    sent = json.dumps(body).encode()
    return _events(state, SentRequest("POST", f"/follow/{name}", sent))


def document_of(
    events: Iterable[AcceptedCommand | dict[str, Any] | None],
    show: Callable[[dict[str, Any]], None],
) -> Any:
    """Show the events of a query, and return its document; None if no daemon has time for it.

    Raises LacunaError if the query fails or is refused.
    """
    try:
        for event in events:
            if not isinstance(event, dict):
                continue
            if event["type"] == "done":
                return event["document"]
            if event["type"] == "error":
                raise error_of(event.get("kind", ""), event["message"])
            show(event)
    except (UnansweredError, BusyDaemonError):
        return None
    return None


def resume(
    state: Path, request: int, after: int
) -> Generator[AcceptedCommand | dict[str, Any] | None]:
    """Yield the events of an earlier command, from a number on; like `command`."""
    return _events(state, SentRequest("GET", f"/requests/{request}/events?after={after}"))


def run_events(
    state: Path, run: str, after: int
) -> Generator[AcceptedCommand | dict[str, Any] | None]:
    """Yield the events of a run, from a number on, until it ends; like `command`."""
    return _events(state, SentRequest("GET", f"/runs/{run}/events?after={after}"))


def events(state: Path, after: int) -> Generator[AcceptedCommand | dict[str, Any] | None]:
    """Yield the events of the vault, from a number on; like `command`."""
    return _events(state, SentRequest("GET", f"/events?after={after}"))


def _events(
    state: Path, request: SentRequest
) -> Generator[AcceptedCommand | dict[str, Any] | None]:
    is_begun, status, failure = False, 0, b""
    try:
        for part in stream(state, request, patience=_PATIENCE, tick=_TICK):
            if isinstance(part, Answer):
                status = part.status
                if status == _ANSWERED and REQUEST_HEADER.lower() in part.headers:
                    is_begun = True
                    yield AcceptedCommand(int(part.headers[REQUEST_HEADER.lower()]))
            elif part is None:
                yield None
            elif status == _ANSWERED:
                yield json.loads(part)
            else:
                failure += part
    except (SocketError, ValueError) as error:
        if is_begun:
            raise SocketError(str(error)) from error
        raise UnansweredError(str(error)) from error
    if status not in (0, _ANSWERED):
        raise _error(status, failure)


def _error(status: int, body: bytes) -> LacunaError:
    """Return the error that a daemon's answer describes."""
    kind = ""
    try:
        answer = json.loads(body)
        why, kind = str(answer["error"]), str(answer.get("kind", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        why = f"it answered with status {status}"
    if status == _UNKNOWN:
        return UnansweredError(why)
    return BusyDaemonError(why) if status == _BUSY else error_of(kind, why)
