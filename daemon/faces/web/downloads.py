"""Files to save: notes as HTML or PDF, what a run cites, and audio files."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

from anyio import to_thread
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from daemon.faces.web.api import ROOT, Api, refusal
from daemon.faces.web.problems import NOT_FOUND, problem
from daemon.faces.web.report_page import as_page
from daemon.model.errors import LacunaError
from daemon.usecases.exports import CITATION_FORMATS
from daemon.usecases.place import Place
from daemon.usecases.queries import QUERIES
from daemon.usecases.report_pages import page_text
from daemon.usecases.written_notes import AUDIO_TYPES, audio_file
from vault_adapters.base import VaultError

AsPdf = Callable[[str], bytes]
_Forms = Mapping[str, Callable[[str], str | bytes]]
PDF = "application/pdf"
NOTE_TYPES = {"html": "text/html", "md": "text/markdown", "pdf": PDF}
CITATION_TYPES = {
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "graphml": "application/xml",
}


class Downloads:
    """The handlers of files to save."""

    def __init__(self, api: Api, place: Place | None, as_pdf: AsPdf | None) -> None:
        """`as_pdf` raises LacunaError where what it needs is not installed."""
        self._api, self._place = api, place
        self._notes: _Forms = {"html": as_page, "md": page_text}
        if as_pdf is not None:
            self._notes = {**self._notes, "pdf": as_pdf}

    def routes(self) -> list[Route]:
        return [
            Route(f"{ROOT}/save/note.{{form}}", self._note, methods=["GET"]),
            Route(f"{ROOT}/save/run.{{form}}", self._run, methods=["GET"]),
            Route(f"{ROOT}/save/audio/{{name}}", self._audio, methods=["GET"]),
        ]

    async def _note(self, request: Request) -> Response:
        """Return a note that Lacuna wrote for readers outside of the vault."""
        form = request.path_params["form"]
        convert = self._notes.get(form)
        if convert is None:
            return problem(404, "notes are saved as md, html or pdf")
        body = {"path": request.query_params.get("note", "")}
        try:
            note = await self._api.found("written-note", body)
            text = await to_thread.run_sync(convert, note["text"])
        except (LacunaError, VaultError, ValidationError) as error:
            return refusal(error)
        return _file(text, NOTE_TYPES[form], f"{note['name']}.{form}")

    async def _run(self, request: Request) -> Response:
        """Return what a run cites."""
        form = request.path_params["form"]
        if form not in CITATION_TYPES:
            return problem(404, "citations are saved as bib, ris or graphml")
        run = request.query_params.get("run", "")
        try:
            query = QUERIES["citations"]
            cited = await self._api.carry_out(query, {"run": run})
        except (LacunaError, VaultError, ValidationError) as error:
            return refusal(error)
        text = CITATION_FORMATS[form](query.document.model_validate(cited))
        return _file(text, CITATION_TYPES[form], f"{cited['run']}.{form}")

    async def _audio(self, request: Request) -> Response:
        if self._place is None:
            return problem(404, "there is no audio", kind=NOT_FOUND)
        try:
            file = audio_file(self._place, request.path_params["name"])
        except LacunaError as error:
            return refusal(error)
        return FileResponse(file, media_type=AUDIO_TYPES[file.suffix])


def _file(body: str | bytes, kind: str, name: str) -> Response:
    """Return a file to save: a browser does not show it as a page of this server."""
    named = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(body, media_type=kind, headers={"content-disposition": named})
