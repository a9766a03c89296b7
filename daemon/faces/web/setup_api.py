"""The REST interface of settings, checks and backups: use cases that need no open vault."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from daemon.faces.web.api import ROOT, json_response, refusal, route, tagged
from daemon.faces.web.problems import BadRequestError, problem
from daemon.faces.web.request_values import from_body, from_query
from daemon.model.errors import LacunaError
from daemon.usecases.backups import back_up_to_send
from daemon.usecases.check_results import checks_apart
from daemon.usecases.document import NoRequest
from daemon.usecases.place import Place
from daemon.usecases.setting_descriptions import described_settings, is_protected
from daemon.usecases.settings import SetRequest, change

SETTINGS, DOCTOR, BACKUP = f"{ROOT}/settings", f"{ROOT}/doctor", f"{ROOT}/backup"
BACKUP_TYPE = "application/gzip"
_BLOCK = 1 << 16
_REFUSALS = (LacunaError, ValidationError, BadRequestError)


class SetupApi:
    """The handlers; settings change only if they `may_change`."""

    def __init__(self, place: Place, *, may_change: bool) -> None:
        self._place, self._may_change = place, may_change
        self._reading, self._writing = CapacityLimiter(1), CapacityLimiter(1)
        self._checking, self._saving = CapacityLimiter(1), CapacityLimiter(1)

    def routes(self) -> list[Route]:
        settings = partial(self._read, described_settings, self._reading)
        checks = partial(self._read, checks_apart, self._checking)
        return [
            route(SETTINGS, {"GET": settings, "POST": self._change}),
            Route(DOCTOR, checks, methods=["GET"]),
            Route(BACKUP, self._back_up, methods=["POST"]),
        ]

    async def _read(
        self, use: Callable[[Place], Any], limiter: CapacityLimiter, request: Request
    ) -> Response:
        """Return the document of a use case that takes the place of the vault alone."""
        try:
            from_query(NoRequest, request.query_params)
            found = await to_thread.run_sync(use, self._place, limiter=limiter)
        except _REFUSALS as error:
            return refusal(error)
        return tagged(request, found.as_json())

    async def _change(self, request: Request) -> Response:
        """Change a setting, as `lacuna config set` does."""
        try:
            asked = await from_body(SetRequest, request)
            if not self._may_change or is_protected(asked.key):
                return problem(403, f"change {asked.key} with `lacuna config set`")
            work = partial(change, self._place, asked)
            found = await to_thread.run_sync(work, limiter=self._writing)
        except _REFUSALS as error:
            return refusal(error)
        return json_response(found.as_json())

    async def _back_up(self, request: Request) -> Response:
        """Return a backup to save; nothing of it stays here."""
        try:
            await from_body(NoRequest, request)
            work = partial(back_up_to_send, self._place)
            file, saved = await to_thread.run_sync(work, limiter=self._saving)
        except _REFUSALS as error:
            return refusal(error)
        named = f"attachment; filename*=UTF-8''{quote(Path(saved.file).name)}"
        headers = {"content-disposition": named, "content-length": str(saved.bytes)}
        return StreamingResponse(_parts(file), media_type=BACKUP_TYPE, headers=headers)


def _parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        yield from iter(partial(file.read, _BLOCK), b"")
