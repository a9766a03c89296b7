"""Templates, and what every page has: the menu and the token of its forms."""

from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any
from urllib.parse import unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from daemon.faces.web.access import Session
from daemon.faces.web.static_files import asset

_ENVIRONMENT = Environment(
    loader=PackageLoader("daemon.faces.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals["asset"] = asset


def _host_of(address: str) -> str:
    """Return the host of an address; of a file, its name."""
    if address.startswith("file:"):
        return unquote(address.rsplit("/", 1)[-1])
    return address.split("://", 1)[-1].split("/", 1)[0]


_ENVIRONMENT.filters["host_of"] = _host_of
_ENVIRONMENT.globals["part"] = _ENVIRONMENT.get_template("parts.html").module
_NAV = (
    ("", (("/", "Today"), ("/inbox", "Inbox"))),
    ("Find", (("/ask", "Ask"), ("/search", "Search"), ("/research", "Research"))),
    (
        "Vault",
        (("/health", "Health"), ("/map", "Map"), ("/reports", "Reports"), ("/library", "Library")),
    ),
    (
        "Work",
        (
            ("/runs", "Runs"),
            ("/schedules", "Schedules"),
            ("/topics", "Topics"),
            ("/sources", "Sources"),
        ),
    ),
    (
        "Lacuna",
        (("/privacy", "Costs and privacy"), ("/settings", "Settings"), ("/doctor", "Doctor")),
    ),
)
_NAV_WITH_HUB = (*_NAV[:-1], ("Hub", (("/hub", "Work of the hub"),)), _NAV[-1])


_BEGINS = '<main id="main" tabindex="-1">'
_END = "</main>"
_NAMES = {address: name for _, pages in _NAV_WITH_HUB for address, name in pages}


def page(request: Request, template: str, code: int = 200, /, **values: Any) -> Response:
    """Return a template with these values as an answer."""
    return HTMLResponse(rendered(request, template, values), code)


def rendered(request: Request, template: str, values: Mapping[str, Any]) -> str:
    """Return a template with these values, and with what every page has."""
    session: Session | None = request.state.session
    site = request.scope["app"].state
    own = {
        "form_token": session.form_token if session else "",
        "nav": _NAV_WITH_HUB if getattr(site, "has_hub", False) else _NAV,
        "opens_notes": getattr(site, "opens_notes", False),
        "path": request.url.path,
        "is_ready": True,
        "title": "",
        "scripts": "",
    }
    return _ENVIRONMENT.get_template(template).render({**own, **values})


async def page_in_parts(request: Request, template: str, rest: Awaitable[str]) -> Response:
    """Return a page that takes long: its head and menu at once, then `rest`, the whole page."""
    its = _ENVIRONMENT.get_template(template)
    scripts = its.blocks["more_scripts"](its.new_context()) if "more_scripts" in its.blocks else ()
    section = f"/{request.url.path.split('/')[1]}"
    head = {"title": _NAMES.get(section, ""), "scripts": "".join(scripts)}
    begun = rendered(request, "base.html", {**head, "is_ready": False})

    async def parts() -> AsyncIterator[str]:
        yield begun.partition(_END)[0]
        yield (await rest).partition(_BEGINS)[2]

    return StreamingResponse(parts(), media_type="text/html; charset=utf-8")
