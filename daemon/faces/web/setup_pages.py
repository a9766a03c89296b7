"""The pages of settings and checks, which need no open vault."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from daemon.faces.web.rendering import page
from daemon.faces.web.setup_api import SetupApi
from daemon.model.errors import LacunaError
from daemon.usecases.place import Place
from daemon.usecases.setting_descriptions import described_settings


class SetupPages:
    """The handlers of `/settings`, `/doctor` and the REST interface that they use."""

    def __init__(self, place: Place, *, may_change: bool) -> None:
        self.place, self._may_change = place, may_change
        self._api = SetupApi(place, may_change=may_change)

    def routes(self) -> list[Route]:
        return [
            *self._api.routes(),
            Route("/settings", self._settings, methods=["GET"]),
            Route("/doctor", self._doctor, methods=["GET"]),
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


def _grouped(found: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield settings by section; those above all sections are the first."""
    for name, settings in groupby(found, lambda each: _section(str(each["name"]))):
        yield name, list(settings)


def _section(name: str) -> str:
    section, dot, _ = name.partition(".")
    return section if dot else ""
