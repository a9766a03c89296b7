"""The files of the page: scripts, styles and an icon, and those of npm packages in `vendored/`."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from daemon.faces.web.problems import problem

ADDRESS = "/static"
VENDORED = "vendored"
_TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}
_FOR_GOOD = "private, max-age=31536000, immutable"  # the address contains the version
_VERSION = "v"


def asset(name: str) -> str:
    """Return the address of a file, which changes with the file."""
    return f"{ADDRESS}/{name}?{_VERSION}={_version(name)}"


async def static(request: Request) -> Response:
    """Return a file; a browser keeps it if it asked for this version."""
    name = request.path_params["name"]
    if name not in _files():
        return problem(404, "there is no such file")
    body = _files()[name].read_bytes()
    is_version = request.query_params.get(_VERSION) == _version(name)
    headers = {"cache-control": _FOR_GOOD} if is_version else None
    return Response(body, headers=headers, media_type=_TYPES[name.rpartition(".")[2]])


@cache
def _files() -> dict[str, Traversable]:
    folder = files("daemon.faces.web").joinpath("static")
    own = {each.name: each for each in folder.iterdir() if each.is_file()}
    vendored = folder.joinpath(VENDORED).iterdir()
    return own | {f"{VENDORED}/{each.name}": each for each in vendored}


@cache
def _version(name: str) -> str:
    return sha256(_files()[name].read_bytes()).hexdigest()[:12]
