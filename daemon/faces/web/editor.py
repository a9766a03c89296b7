"""Opening a note in the system's editor: browsers refuse links from a page to a file."""

from collections.abc import Callable
from functools import partial

from anyio import CapacityLimiter, to_thread
from pydantic import Field, ValidationError
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from daemon.faces.web.api import Api, json_response, refusal
from daemon.faces.web.problems import NOT_FOUND, BadRequestError, problem
from daemon.faces.web.request_values import from_body
from daemon.model.errors import LacunaError
from daemon.usecases.document import Request
from vault_adapters.base import VaultError

OpenNote = Callable[[str], None]
"""Opens a note by its vault-relative path on this machine. Raises LacunaError."""


class OpenRequest(Request):
    """Which note to open."""

    path: str = Field(description="Vault-relative path of a note of the index.")


class Editor:
    """The handler of `/open-note`; without `open_note` it does not exist."""

    def __init__(self, api: Api, open_note: OpenNote | None) -> None:
        self._api, self._open_note = api, open_note
        self._one = CapacityLimiter(1)

    def routes(self) -> list[Route]:
        if self._open_note is None:
            return []
        opens = partial(self._opened, self._open_note)
        return [Route("/open-note", opens, methods=["POST"])]

    async def _opened(self, open_note: OpenNote, request: HttpRequest) -> Response:
        try:
            asked = await from_body(OpenRequest, request)
            found = await self._api.found("note", {"note": asked.path, "length": 1})
            if found["path"] != asked.path:
                return problem(404, f"{asked.path} is no path of a note", kind=NOT_FOUND)
            await to_thread.run_sync(open_note, asked.path, limiter=self._one)
        except (LacunaError, VaultError, ValidationError, BadRequestError) as error:
            return refusal(error)
        return json_response({"path": asked.path})
