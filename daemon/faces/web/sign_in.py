"""Signing browsers in and out."""

from collections.abc import Callable
from urllib.parse import parse_qs

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from daemon.faces.web.access import Access, Session
from daemon.faces.web.problems import problem

Show = Callable[..., Response]
"""Renders a template for a request, with a status."""


class SignIn:
    """The handlers of login links, and of signing out."""

    def __init__(self, access: Access, show: Show) -> None:
        self._access, self._show = access, show

    def routes(self) -> list[Route]:
        return [
            Route("/login", self._page, methods=["GET"]),
            Route("/login", self._login, methods=["POST"]),
            Route("/logout", self._logout, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return self._show(request, "login.html", has_password=self._access.has_password)

    async def _login(self, request: Request) -> Response:
        """Exchange the code of a login link, or the password, for a session."""
        body = (await request.body()).decode("ascii", "replace")
        try:
            given = parse_qs(body, max_num_fields=4)
        except ValueError:  # more fields
            return problem(400, "the body must be one field, `code`")
        if "password" in given and self._access.has_password:
            return await self._by_password(request, given["password"][0])
        session = self._access.sign_in(given.get("code", [""])[0])
        if session is None:
            if seconds := self._access.wait_after_failure():
                why = "there were too many wrong codes within a minute"
                return problem(429, why, {"retry-after": str(seconds)})
            why = "This link was used before or is too old. Run `lacuna open` for a new one."
            return self._show(request, "error.html", 401, error=why)
        return self._signed_in(session)

    async def _by_password(self, request: Request, password: str) -> Response:
        """Exchange the password for a session, with a limit for each machine."""
        if seconds := self._access.wait_to_try(request.client.host if request.client else ""):
            why = "there were too many passwords within a minute"
            return problem(429, why, {"retry-after": str(seconds)})
        session = await to_thread.run_sync(self._access.sign_in_by_password, password)
        if session is None:
            return problem(401, "the password is wrong")
        return self._signed_in(session)

    def _signed_in(self, session: Session) -> Response:
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self._access.cookie,
            session.id,
            httponly=True,
            samesite="strict",
            path="/",
            secure=self._access.has_password,
        )
        return answer

    async def _logout(self, request: Request) -> Response:
        """End the session of the browser."""
        if request.state.session is not None:
            self._access.sign_out(request.state.session.id)
        answer = Response(status_code=204)
        answer.delete_cookie(self._access.cookie, httponly=True, samesite="strict", path="/")
        return answer
