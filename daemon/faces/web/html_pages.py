"""The pages: what is new today, and the inbox; and signing in."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from daemon.faces.web.access import Access, Session
from daemon.faces.web.api import Api
from daemon.faces.web.problems import problem
from daemon.faces.web.request_guard import COOKIE
from daemon.faces.web.safe_html import as_html
from daemon.model.errors import LacunaError
from daemon.usecases.queries import QUERIES
from vault_adapters.base import VaultError

_STATIC = {"app.js": "text/javascript", "login.js": "text/javascript", "style.css": "text/css"}
_ENVIRONMENT = Environment(
    loader=PackageLoader("daemon.faces.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class Pages:
    """The handlers of the pages."""

    def __init__(self, api: Api, access: Access) -> None:
        self._api, self._access = api, access

    def routes(self) -> list[Route]:
        return [
            Route("/", self._today, methods=["GET"]),
            Route("/inbox", self._inbox, methods=["GET"]),
            Route("/inbox/{id}", self._finding, methods=["GET"]),
            Route("/ask", self._ask, methods=["GET"]),
            Route("/login", self._login_page, methods=["GET"]),
            Route("/login", self._login, methods=["POST"]),
            Route("/static/{name}", _static, methods=["GET"]),
        ]

    async def _today(self, request: Request) -> Response:
        return await self._shown(
            request,
            "today.html",
            {"status": ("status", {}), "findings": ("findings", {"status": "pending"})},
        )

    async def _inbox(self, request: Request) -> Response:
        wanted = {"findings": ("findings", {"status": "pending"})}
        return await self._shown(request, "inbox.html", wanted)

    async def _finding(self, request: Request) -> Response:
        wanted = {
            "finding": ("finding", {"id": request.path_params["id"]}),
            "findings": ("findings", {"status": "pending"}),
        }
        return await self._shown(request, "finding.html", wanted)

    async def _ask(self, request: Request) -> Response:
        question = request.query_params.get("question", "").strip()
        wanted = {"answered": ("ask", {"question": question})} if question else {}
        return await self._shown(request, "ask.html", wanted, answered=None, question=question)

    async def _shown(
        self,
        request: Request,
        template: str,
        wanted: Mapping[str, tuple[str, Mapping[str, Any]]],
        **values: Any,
    ) -> Response:
        """Render a template with the documents of queries, each by the name it has there."""
        try:
            for name, (query, body) in wanted.items():
                values[name] = await self._api.carry_out(QUERIES[query], body)
        except (LacunaError, VaultError, ValidationError) as error:
            return _page(request, "error.html", 409, error=str(error))
        if "finding" in values:
            values["html"] = as_html(values["finding"]["text"])
        return _page(request, template, **values)

    async def _login_page(self, request: Request) -> Response:
        return _page(request, "login.html")

    async def _login(self, request: Request) -> Response:
        """Exchange the code of a login link for a session."""
        body = (await request.body()).decode("ascii", "replace")
        [code] = parse_qs(body, max_num_fields=4).get("code", [""])[:1]
        session = self._access.sign_in(code)
        if session is None:
            why = "This link was used before or is too old. Run `lacuna open` for a new one."
            return _page(request, "error.html", 401, error=why)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, session.id, httponly=True, samesite="strict", path="/")
        return answer


def _page(request: Request, template: str, code: int = 200, /, **values: Any) -> Response:
    session: Session | None = request.state.session
    form_token = session.form_token if session else ""
    text = _ENVIRONMENT.get_template(template).render(form_token=form_token, **values)
    return HTMLResponse(text, code)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC:
        return problem(404, "there is no such file")
    body = files("daemon.faces.web").joinpath("static", name).read_bytes()
    return Response(body, media_type=_STATIC[name])
