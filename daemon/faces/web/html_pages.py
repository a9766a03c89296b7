"""The pages, each a template over the documents of queries; and signing in."""

import asyncio
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from daemon.faces.web.access import Access
from daemon.faces.web.api import SAFE, Api, status_and_text
from daemon.faces.web.paging import Page, page_of
from daemon.faces.web.problems import BadRequestError
from daemon.faces.web.rendering import page, page_in_parts, rendered
from daemon.faces.web.safe_html import as_html
from daemon.faces.web.sign_in import SignIn
from daemon.faces.web.static_files import ADDRESS, static
from daemon.model.agenda import DEPTH_LIMITS
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.model.health_kinds import HealthList
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)
_Wanted = Mapping[str, tuple[str, Mapping[str, Any]]]
"""Name in the template: the query, and its request."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """A page that takes no parameters: its template, and the queries and requests that it shows."""

    template: str
    wanted: Mapping[str, Mapping[str, Any]]
    optional: tuple[str, ...] = ()  # queries that may be refused


_PENDING = {"status": "pending"}
_LISTED = 50  # notes of each list of the health, and clusters
_PLAIN = (
    ("/", _Plain("today.html", {"status": {}, "findings": _PENDING}, ("library",))),
    ("/health", _Plain("health.html", {"health": {"limit": _LISTED}, "trends": {}})),
    ("/sources", _Plain("sources.html", {"sources": {}, "costs": {}})),
    ("/schedules", _Plain("schedules.html", {"schedules": {}})),
    ("/topics", _Plain("topics.html", {"topics": {}})),
    ("/map", _Plain("map.html", {})),
    ("/reports", _Plain("reports.html", {"reports": {}})),
)
_REVIEW = re.compile(r"^## Review\n.*\Z", re.DOTALL | re.MULTILINE)  # the page has buttons
_AT_ONCE = 0.15  # seconds that a page may take before its head is sent
_PAGE = 200  # items of a list that is shown in pages
_HITS = 20  # of a search
_RUNS = 100  # that are listed
_LONGEST = 100_000  # characters of a note
_SENT_SINCE = timedelta(days=30)


class Pages:
    """The handlers of the pages."""

    def __init__(self, api: Api, access: Access) -> None:
        self._api, self._access = api, access

    def routes(self) -> list[Route]:
        return [
            *(Route(path, partial(self._plain, each), methods=["GET"]) for path, each in _PLAIN),
            Route("/library", self._library, methods=["GET"]),
            Route("/hub", self._hub, methods=["GET"]),
            Route("/health/{of}", self._health_list, methods=["GET"]),
            Route("/inbox", self._inbox, methods=["GET"]),
            Route("/inbox/{id}", self._finding, methods=["GET"]),
            Route("/notes/{path:path}", self._note, methods=["GET"]),
            Route("/written/{path:path}", self._written, methods=["GET"]),
            Route("/research", self._research, methods=["GET"]),
            Route("/privacy", self._privacy, methods=["GET"]),
            Route("/runs", self._runs, methods=["GET"]),
            Route("/runs/{run}", self._run, methods=["GET"]),
            Route("/ask", self._ask, methods=["GET"]),
            Route("/search", self._search, methods=["GET"]),
            *SignIn(self._access, page).routes(),
            Route(f"{ADDRESS}/{{name:path}}", static, methods=["GET"]),
        ]

    async def _plain(self, plain: "_Plain", request: Request) -> Response:
        wanted = {query: (query, body) for query, body in plain.wanted.items()}
        optional: _Wanted = {query: (query, {}) for query in plain.optional}
        return await self._shown(request, plain.template, wanted, optional)

    async def _hub(self, request: Request) -> Response:
        return await self._shown(request, "hub.html", {"work": ("hub-work", {})})

    async def _health_list(self, request: Request) -> Response:
        of, cluster = request.path_params["of"], _given(request, "cluster")
        if of not in set(HealthList):
            raise HTTPException(404)
        body = {"kind": of, "cluster": cluster if of == HealthList.CLUSTERS and cluster else None}
        wanted = {"listed": ("health-list", body)}
        return await self._shown(request, "health_list.html", wanted, of=of, cluster=cluster)

    async def _inbox(self, request: Request) -> Response:
        shown = _given(request, "status") or _PENDING["status"]
        wanted = {"findings": ("findings", {"status": shown}), "topics": ("topics", {})}
        return await self._shown(request, "inbox.html", wanted, shown=shown)

    async def _finding(self, request: Request) -> Response:
        wanted = {
            "finding": ("finding", {"id": request.path_params["id"]}),
            "findings": ("findings", _PENDING),
            "places": ("quoted-places", {"id": request.path_params["id"]}),
        }
        return await self._shown(request, "finding.html", wanted)

    async def _library(self, request: Request) -> Response:
        query = _given(request, "query")
        optional: dict[str, tuple[str, Mapping[str, Any]]] = {"library": ("library", {})}
        if query:
            optional["found"] = ("library-search", {"query": query, "limit": _HITS})
        return await self._shown(request, "library.html", {}, optional, found=None, query=query)

    async def _ask(self, request: Request) -> Response:
        question, thread = _given(request, "question"), _given(request, "thread")
        wanted: dict[str, tuple[str, Mapping[str, Any]]] = {"threads": ("threads", {})}
        if thread:
            wanted["conversation"] = ("thread", {"name": thread})
        elif question:
            wanted["answered"] = ("ask", {"question": question, **SAFE})
        return await self._shown(
            request, "ask.html", wanted, question=question, answered=None, conversation=None
        )

    async def _search(self, request: Request) -> Response:
        query = _given(request, "query")
        wanted = {"hits": ("search", {"query": query, "limit": _HITS})} if query else {}
        return await self._shown(request, "search.html", wanted, hits=None, query=query)

    async def _note(self, request: Request) -> Response:
        body = {"note": request.path_params["path"], "length": _LONGEST}
        return await self._shown(request, "note.html", {"note": ("note", body)})

    async def _written(self, request: Request) -> Response:
        wanted = {"note": ("written-note", {"path": request.path_params["path"]})}
        return await self._shown(request, "written.html", wanted)

    async def _research(self, request: Request) -> Response:
        depths = [(depth.value, limits) for depth, limits in DEPTH_LIMITS.items()]
        wanted: _Wanted = {name: (name, {}) for name in ("status", "costs", "sources")}
        topic = _given(request, "topic")
        return await self._shown(request, "research.html", wanted, depths=depths, topic=topic)

    async def _privacy(self, request: Request) -> Response:
        since = (now() - _SENT_SINCE).date().isoformat()
        wanted = {"privacy": ("privacy", {"since": since}), "costs": ("costs", {})}
        return await self._shown(request, "privacy.html", wanted)

    async def _runs(self, request: Request) -> Response:
        words = _given(request, "words")
        wanted = {"runs": ("runs", {"words": words, "limit": _RUNS})}
        return await self._shown(request, "runs.html", wanted, words=words)

    async def _run(self, request: Request) -> Response:
        body = {"run": request.path_params["run"]}
        wanted = {"run": ("run", body)}
        optional = {"cited": ("citations", body), "claims": ("claims", body)}
        return await self._shown(request, "run.html", wanted, optional)

    async def _shown(
        self,
        request: Request,
        template: str,
        wanted: _Wanted,
        optional: _Wanted = MappingProxyType({}),
        **values: Any,
    ) -> Response:
        """Render a template with the documents of queries, each by the name it has there.

        What is `optional` is None if it is unavailable. A page that takes long comes in parts; one
        of something that its path names, once it is known to exist.
        """
        found = asyncio.ensure_future(self._found(wanted))
        work = asyncio.ensure_future(self._rendered(request, template, found, optional, values))
        if request.path_params:
            await asyncio.wait({found})
        await asyncio.wait({work}, timeout=_AT_ONCE)
        if not work.done():
            return await page_in_parts(request, template, _text_of(request, work))
        text, status = work.result()
        return HTMLResponse(text, status)

    async def _found(self, wanted: _Wanted) -> dict[str, Any]:
        return {name: await self._api.found(query, body) for name, (query, body) in wanted.items()}

    async def _rendered(
        self,
        request: Request,
        template: str,
        found: "asyncio.Future[dict[str, Any]]",
        optional: _Wanted,
        values: dict[str, Any],
    ) -> tuple[str, int]:
        """Return a page and its status; an error of a query is a page, too."""
        try:
            values |= await found
            if "listed" in values:
                values |= _page_of_list(request, values["listed"])
        except (LacunaError, VaultError, ValidationError, BadRequestError) as error:
            status, text = status_and_text(error)
            heading = {"heading": "Not found"} if status == 404 else {}
            return rendered(request, "error.html", {"error": text, **heading}), status
        for name, (query, body) in optional.items():
            values[name] = None
            with suppress(LacunaError, VaultError, ValidationError):
                values[name] = await self._api.found(query, body)
        if "finding" in values:
            values["html"] = as_html(_REVIEW.sub("", values["finding"]["text"]))
        if "note" in values:
            values["html"] = as_html(values["note"]["text"], values["note"]["path"])
        return rendered(request, template, values), 200


async def _text_of(request: Request, work: "asyncio.Future[tuple[str, int]]") -> str:
    """Return the text of a page; its head was sent, so an error must be part of it."""
    try:
        return (await work)[0]
    except Exception as error:  # noqa: BLE001 the head was sent: no handler can answer now
        _log.exception("a page failed")
        why = f"an error of Lacuna: {type(error).__name__}; see its log"
        return rendered(request, "error.html", {"error": why})


def _page_of_list(request: Request, every: list[Any]) -> dict[str, Any]:
    """Return the wanted page of a long list. Raises CursorError, ValidationError."""
    wanted = Page(page_size=_PAGE, cursor=request.query_params.get("cursor"))
    listed, after = page_of(every, wanted)
    is_later = wanted.cursor is not None
    return {
        "listed": listed, "total": len(every), "after": after, "is_later": is_later, "size": _PAGE
    }  # fmt: skip


def _given(request: Request, name: str) -> str:
    """Return a parameter of the address without the spaces around it, or ""."""
    return request.query_params.get(name, "").strip()
