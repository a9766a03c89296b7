"""The pages of settings and checks, which need no open vault."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any

from anyio import CapacityLimiter, to_thread
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from daemon.faces.web.api import json_response, refusal
from daemon.faces.web.problems import BadRequestError, problem
from daemon.faces.web.rendering import page
from daemon.faces.web.request_values import from_body
from daemon.model.errors import LacunaError
from daemon.usecases.checks import checks_apart
from daemon.usecases.place import Place
from daemon.usecases.setting_descriptions import described_settings, is_protected
from daemon.usecases.settings import SetRequest, change


class SetupPages:
    """The handlers of `/settings` and `/doctor`; settings change only if they `may_change`."""

    def __init__(self, place: Place, *, may_change: bool) -> None:
        self.place, self._may_change = place, may_change
        self._at_once = CapacityLimiter(1)

    def routes(self) -> list[Route]:
        return [
            Route("/settings", self._settings, methods=["GET"]),
            Route("/settings", self._change, methods=["POST"]),
            Route("/doctor", self._doctor, methods=["GET"]),
            Route("/doctor/checks", self._checks, methods=["GET"]),
        ]

    async def _settings(self, request: Request) -> Response:
        try:
            found = described_settings(self.place).as_json()
        except LacunaError as error:
            return page(request, "error.html", 409, error=str(error))
        sections = list(_grouped(found))
        return page(request, "settings.html", sections=sections, may_change=self._may_change)

    async def _doctor(self, request: Request) -> Response:
        return page(request, "doctor.html")

    async def _checks(self, _request: Request) -> Response:
        """Return the results of all checks, which take seconds."""
        try:
            found = await to_thread.run_sync(checks_apart, self.place, limiter=self._at_once)
        except LacunaError as error:
            return refusal(error)
        return json_response(found.as_json())

    async def _change(self, request: Request) -> Response:
        """Change a setting, as `lacuna config set` does."""
        try:
            asked = await from_body(SetRequest, request)
            if not self._may_change or is_protected(asked.key):
                return problem(403, f"change {asked.key} with `lacuna config set`")
            work = partial(change, self.place, asked)
            found = await to_thread.run_sync(work, limiter=self._at_once)
        except (LacunaError, ValidationError, BadRequestError) as error:
            return refusal(error)
        return json_response(found.as_json())


def _grouped(found: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield settings by section; those above all sections are the first."""
    for name, settings in groupby(found, lambda each: _section(str(each["name"]))):
        yield name, list(settings)


def _section(name: str) -> str:
    section, dot, _ = name.partition(".")
    return section if dot else ""
