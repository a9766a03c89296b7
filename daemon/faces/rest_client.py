"""A client of the REST interface: use cases with the types that they have here."""

import json
import re
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import httpx

from daemon.model.errors import LacunaError
from daemon.model.event import EVENT, BaseEvent
from daemon.usecases.command import Command
from daemon.usecases.document import Document, ListDocument, Request
from daemon.usecases.query import Query

R = TypeVar("R", bound=Request)
D = TypeVar("D", bound=Document)
A = TypeVar("A", bound=Document | ListDocument[Any])
_ROOT = "/api/v1"
_EVENTS = f"{_ROOT}/events"
_NEXT = re.compile(r'<([^>]+)>; rel="next"')


class RefusedRequestError(LacunaError):
    """The server refused a request, with a status and a type of problem."""

    def __init__(self, status: int, detail: str, type_: str = "about:blank") -> None:
        super().__init__(detail)
        self.status, self.type = status, type_


class RestClient:
    """Sends requests to a server at an address such as `http://127.0.0.1:7431`, with its token."""

    def __init__(self, address: str, token: str, *, patience: float = 60.0) -> None:
        headers = {"authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=address, headers=headers, timeout=patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def query(self, query: Query[R, A], request: R) -> A:
        """Return the document of a query. Raises RefusedRequestError."""
        given = request.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        answer = self._sent("GET", f"{_ROOT}/{query.name}", params=_texts(given))
        return cast(A, query.document.model_validate_json(answer.content))

    def pages(self, query: Query[R, A], request: R, size: int) -> Iterator[A]:
        """Yield a list page by page. Raises RefusedRequestError."""
        given = request.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        answer = self._sent(
            "GET", f"{_ROOT}/{query.name}", params=_texts({**given, "page_size": size})
        )
        yield cast(A, query.document.model_validate_json(answer.content))
        while following := _NEXT.search(answer.headers.get("link", "")):
            answer = self._sent("GET", following[1])
            yield cast(A, query.document.model_validate_json(answer.content))

    def command(self, command: Command[R, D], request: R, *, key: str = "") -> D:
        """Return the document of a command, carried out once for each key.

        Raises RefusedRequestError.
        """
        headers, body = _with_key(key), request.model_dump(mode="json")
        answer = self._sent("POST", f"{_ROOT}/{command.name}", json=body, headers=headers)
        return command.document.model_validate_json(answer.content)

    def ask(self, request: Request, *, key: str = "") -> str:
        """Begin to answer a question, once for each key; return the path of its events.

        Raises RefusedRequestError.
        """
        headers, body = _with_key(key), request.model_dump(mode="json")
        answer = self._sent("POST", f"{_ROOT}/asked", json=body, headers=headers)
        return str(answer.json()["events"])

    def events(self, path: str = _EVENTS, after: int | None = None) -> Iterator[BaseEvent]:
        """Yield the events of a path after a number, to their end. Raises RefusedRequestError."""
        headers = {} if after is None else {"last-event-id": str(after)}
        with self._http.stream("GET", path, headers=headers, timeout=None) as answer:
            if answer.status_code != httpx.codes.OK:
                answer.read()
                raise _refused(answer)
            kind = ""
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                kind = value if name == "event" else kind
                if name == "data" and kind != "ended":
                    yield EVENT.validate_json(value)

    def _sent(self, method: str, path: str, **given: Any) -> httpx.Response:
        answer = self._http.request(method, path, **given)
        if answer.is_error:
            raise _refused(answer)
        return answer


def _refused(answer: httpx.Response) -> RefusedRequestError:
    status = answer.status_code
    try:
        body = answer.json()
        return RefusedRequestError(status, str(body["detail"]), str(body["type"]))
    except (ValueError, KeyError, TypeError):
        return RefusedRequestError(status, f"the server answered with status {status}")


def _with_key(key: str) -> dict[str, str]:
    return {"idempotency-key": key} if key else {}


def _texts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values for a query string: texts as they are, others as JSON."""
    return {
        name: [_text(each) for each in value] if isinstance(value, list) else _text(value)
        for name, value in values.items()
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
