"""The OpenAPI 3.1 description of the REST interface, from the models of the use cases."""

import json
import sys
from collections.abc import Collection, Iterator, Mapping
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from daemon.faces.web.api import KEPT_IN, KEY_HEADER, ROOT, SAFE
from daemon.faces.web.downloads import CITATION_TYPES, NOTE_TYPES
from daemon.faces.web.paging import Page
from daemon.faces.web.problems import MEDIA_TYPE, Problem
from daemon.faces.web.request_values import parameter_schema
from daemon.faces.web.research_api import ENDPOINTS, Endpoint
from daemon.faces.web.setup_api import BACKUP, BACKUP_TYPE, DOCTOR, SETTINGS
from daemon.usecases.check_results import CheckResults
from daemon.usecases.command import Command
from daemon.usecases.commands import COMMANDS
from daemon.usecases.document import ListDocument, Request
from daemon.usecases.queries import QUERIES
from daemon.usecases.query import Query
from daemon.usecases.setting_descriptions import DescribedSettings
from daemon.usecases.settings import ChangedSetting, SetRequest
from daemon.usecases.written_notes import AUDIO_TYPES

_SCHEMAS = "#/components/schemas/{model}"
_KEY = {
    "name": KEY_HEADER,
    "in": "header",
    "required": False,
    "description": "A word; the same command or question with the same word is carried out once.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,128}$", "examples": ["approve-1"]},
}
_ID = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "An id, or the beginning of one.",
    "schema": {"type": "string", "minLength": 1, "examples": ["b7d1c05e"]},
}
_AFTER = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "description": "The number of the last event that was read: those after it come.",
    "schema": {"type": "string", "pattern": "^[0-9]{1,15}$", "examples": ["4711"]},
}
_EVENTS = {
    "description": "Server-sent events: `id` is a number, `event` the type, `data` JSON; "
    "the first one may have only an `id`",
    "content": {
        "text/event-stream": {
            "schema": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
            }
        }
    },
}
_QUESTION = {
    "description": "The id of the question, and the address of its events",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "events": {"type": "string"}},
                "required": ["id", "events"],
            }
        }
    },
}
_REFUSED = (
    (400, "The request is not JSON, or a header is malformed"),
    (401, "The token is missing or wrong"),
    (403, "The request comes from another site, or the page may not change this setting"),
    (404, "There is nothing at this address, or what the request names does not exist"),
    (405, "The address has other methods"),
    (408, "The body did not come in time"),
    (409, "The use case refused the request, or a key was used for another command"),
    (413, "The body is too long"),
    (415, "The body is not JSON"),
    (421, "The request is for another host"),
    (422, "A value is missing or wrong"),
    (429, "There were too many requests"),
    (431, "The head of the request is too long"),
    (500, "An error of Lacuna"),
    (503, "The server has too much to do"),
)


def description() -> dict[str, Any]:
    """Return the document: a path for each use case."""
    kept = [query for query in QUERIES.values() if query.kept is not None]
    posted: list[Query[Any, Any] | Command[Any, Any]] = [*COMMANDS.values(), *kept]
    models: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        (SetRequest, "validation"),
        *((each, "serialization") for each in (DescribedSettings, ChangedSetting, CheckResults)),
        *((query.document, "serialization") for query in QUERIES.values()),
        *((command.document, "serialization") for command in COMMANDS.values()),
        *((use.request, "validation") for use in posted),
        *((each.body, "validation") for each in ENDPOINTS if each.method == "POST"),
        (Problem, "serialization"),
    ]
    refs, schemas = models_json_schema(models, ref_template=_SCHEMAS)
    paths: dict[str, dict[str, Any]] = {}
    for query in QUERIES.values():
        hidden = (KEPT_IN, *SAFE) if query.kept is not None else ()
        found = refs[query.document, "serialization"]
        paths[f"{ROOT}/{query.name}"] = {
            "get": _get(query.name, query.document, _parameters(query.request, hidden), found)
        }
    for use in posted:
        body, found = refs[use.request, "validation"], refs[use.document, "serialization"]
        described = _post(f"post-{use.name}", use.request, body, found, takes_key=True)
        paths.setdefault(f"{ROOT}/{use.name}", {})["post"] = described
    for each in ENDPOINTS:
        found = refs[(each.shown or each.use).document, "serialization"]
        paths[each.path] = {each.method.lower(): _endpoint(each, refs, found)}
    paths |= _of_events(refs[QUERIES["ask"].request, "validation"])
    paths |= _of_setup(refs)
    paths |= _of_files()
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lacuna", "version": version("lacuna-daemon")},
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _get(
    name: str, document: type[BaseModel], parameters: Iterator[dict[str, Any]], found: Any
) -> dict[str, Any]:
    pages = _parameters(Page) if issubclass(document, ListDocument) else ()
    return _read(name, document, [*parameters, *pages], found)


def _read(
    name: str, document: type[BaseModel], parameters: list[dict[str, Any]], found: Any
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": _first_line(document),
        "parameters": parameters,
        "responses": _responses(found),
    }


def _post(
    name: str, request: type[Request], body: Any, found: Any, *, takes_key: bool, status: int = 200
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": _first_line(request),
        "parameters": [_KEY] if takes_key else [],
        "requestBody": {
            "required": bool(request.model_json_schema().get("required")),
            "content": {"application/json": {"schema": body}},
        },
        "responses": _responses(found, status),
    }


def _endpoint(each: Endpoint, refs: Any, found: Any) -> dict[str, Any]:
    """Describe an endpoint for research; its name is that of its address."""
    name = each.path.removeprefix("/api/").replace("/{id}", "").replace("/", "-")
    if each.method == "GET":
        return _get(name, each.use.document, _or_empty(_parameters(each.body)), found)
    body = refs[each.body, "validation"]
    described = _post(name, each.body, body, found, takes_key=True, status=each.status)
    if each.has_id:
        described["parameters"] = [*described["parameters"], _ID]
    return described


def _of_events(question: Any) -> dict[str, dict[str, Any]]:
    """Describe the streams of events, and questions whose answer is not awaited."""
    streams = {
        f"{ROOT}/events": _stream("events", "The events of the vault", []),
        f"{ROOT}/runs/{{id}}/events": _stream("run-events", "The events of a run", [_ID]),
        f"{ROOT}/ask/{{id}}/events": _stream("ask-events", "The events of a question", [_ID]),
    }
    begun = {
        "operationId": "asked",
        "summary": "Begin to answer a question.",
        "parameters": [_KEY],
        "requestBody": {"required": True, "content": {"application/json": {"schema": question}}},
        "responses": {"202": _QUESTION, **_refusals()},
    }
    cancelled = {
        "operationId": "ask-cancel",
        "summary": "Stop answering a question.",
        "parameters": [_ID],
        "responses": {"204": {"description": "It is being stopped"}, **_refusals()},
    }
    return {
        **streams,
        f"{ROOT}/asked": {"post": begun},
        f"{ROOT}/ask/{{id}}": {"delete": cancelled},
    }


def _of_setup(refs: Any) -> dict[str, dict[str, Any]]:
    """Describe settings, checks and backups."""
    shown, changed, checked = (
        refs[each, "serialization"] for each in (DescribedSettings, ChangedSetting, CheckResults)
    )
    change = _post(
        "post-settings", SetRequest, refs[SetRequest, "validation"], changed, takes_key=False
    )
    saved = {
        "operationId": "post-backup",
        "summary": "Save state, runs and settings in one file, without keys.",
        "responses": {"200": _file({BACKUP_TYPE}), **_refusals()},
    }
    return {
        SETTINGS: {"get": _read("settings", DescribedSettings, [], shown), "post": change},
        DOCTOR: {"get": _read("doctor", CheckResults, [], checked)},
        BACKUP: {"post": saved},
    }


def _of_files() -> dict[str, dict[str, Any]]:
    """Describe files to save."""
    note = _saved("note", "A note that Lacuna wrote.", "Inbox/Research/A note.md", NOTE_TYPES)
    run = _saved("run", "What a run cites.", "20261121T093000Z-4f1c2a", CITATION_TYPES)
    audio = {
        "operationId": "save-audio",
        "summary": "An audio file of the inbox.",
        "parameters": [_text("name", "path", "Name of the file.", "Digest.opus")],
        "responses": {"200": _file(set(AUDIO_TYPES.values())), **_refusals()},
    }
    return {
        f"{ROOT}/save/note.{{form}}": {"get": note},
        f"{ROOT}/save/run.{{form}}": {"get": run},
        f"{ROOT}/save/audio/{{name}}": {"get": audio},
    }


def _saved(name: str, summary: str, example: str, types: Mapping[str, str]) -> dict[str, Any]:
    form = _text("form", "path", "Format of the file.", next(iter(types)))
    form["schema"]["enum"] = list(types)
    return {
        "operationId": f"save-{name}",
        "summary": summary,
        "parameters": [form, _text(name, "query", "Its path, or its id.", example)],
        "responses": {"200": _file(set(types.values())), **_refusals()},
    }


def _text(name: str, place: str, description: str, example: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1, "examples": [example]}
    return {
        "name": name, "in": place, "required": True, "description": description, "schema": schema
    }  # fmt: skip


def _file(types: Collection[str]) -> dict[str, Any]:
    return {"description": "The file", "content": {kind: {} for kind in sorted(types)}}


def _stream(name: str, summary: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    described = {
        "operationId": name,
        "summary": f"{summary}, as they happen.",
        "parameters": [*parameters, _AFTER],
        "responses": {"200": _EVENTS, **_refusals()},
    }
    return {"get": described}


def _parameters(request: type[Request], hidden: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    schema = request.model_json_schema(ref_template=_SCHEMAS)
    defined = schema.get("$defs", {})
    for name, field in schema.get("properties", {}).items():
        if name not in hidden:
            yield {
                "name": name,
                "in": "query",
                "required": name in schema.get("required", ()),
                "description": field.get("description", ""),
                "schema": parameter_schema(field, defined),
            }


def _or_empty(parameters: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield parameters that may also be empty, which is the same as absent."""
    for each in parameters:
        yield {**each, "schema": {"anyOf": [each["schema"], {"const": ""}]}}


def _refusals() -> dict[str, Any]:
    schema = {"$ref": _SCHEMAS.format(model=Problem.__name__)}
    return {
        str(code): {"description": why, "content": {MEDIA_TYPE: {"schema": schema}}}
        for code, why in _REFUSED
    }


def _responses(found: dict[str, Any], status: int = 200) -> dict[str, Any]:
    done = {"description": "The document", "content": {"application/json": {"schema": found}}}
    return {str(status): done, **_refusals()}


def _first_line(model: type) -> str:
    return (model.__doc__ or "").strip().partition("\n")[0]


if __name__ == "__main__":  # for the server, which would keep the memory of all use cases
    json.dump(description(), sys.stdout)
