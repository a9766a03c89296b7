"""Templates, and what every page has: the menu and the token of its forms."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from daemon.faces.web.access import Session
from daemon.faces.web.static_files import asset

_ENVIRONMENT = Environment(
    loader=PackageLoader("daemon.faces.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals["part"] = _ENVIRONMENT.get_template("parts.html").module
_ENVIRONMENT.globals["asset"] = asset
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


def page(request: Request, template: str, code: int = 200, /, **values: Any) -> Response:
    """Return a template with these values as an answer."""
    session: Session | None = request.state.session
    form_token = session.form_token if session else ""
    values |= {"form_token": form_token, "nav": _NAV, "path": request.url.path}
    return HTMLResponse(_ENVIRONMENT.get_template(template).render(values), code)
