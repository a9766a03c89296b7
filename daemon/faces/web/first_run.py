"""The guide that is served while no vault is configured."""

from collections.abc import Callable, Collection

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from daemon.faces.web.access import Access
from daemon.faces.web.rendering import page
from daemon.faces.web.request_guard import Guard
from daemon.faces.web.sign_in import SignIn
from daemon.faces.web.static_files import ADDRESS, static
from daemon.model.errors import LacunaError


def guide(
    access: Access,
    hosts: Collection[str],
    vaults: Collection[str],
    has_vault: Callable[[], bool],
    end: Callable[[], None],
) -> ASGIApp:
    """Return the application: it names `vaults` to choose from, and calls `end` once there is one.

    `hosts` are the allowed values of the header `Host`.
    """

    async def first(request: Request) -> Response:
        try:
            is_done = has_vault()
        except LacunaError as error:  # the settings are being written
            return page(request, "error.html", 409, error=str(error))
        if is_done:
            end()
        return page(request, "first_run.html", vaults=vaults, is_done=is_done)

    routes = [
        Route("/", first, methods=["GET"]),
        *SignIn(access, page).routes(),
        Route(f"{ADDRESS}/{{name:path}}", static, methods=["GET"]),
    ]
    return Guard(Starlette(routes=routes), hosts, access)
