"""The OpenAPI 3.1 description of the REST interface, from the models of the use cases."""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from daemon.faces.web.api import KEPT_IN, ROOT
from daemon.faces.web.problems import MEDIA_TYPE
from daemon.usecases.command import Command
from daemon.usecases.commands import COMMANDS
from daemon.usecases.queries import QUERIES
from daemon.usecases.query import Query

_SCHEMAS = "#/components/schemas/{model}"


def description() -> dict[str, Any]:
    """Return the document: a path for each use case."""
    kept = [query for query in QUERIES.values() if query.kept is not None]
    posted: list[Query[Any, Any] | Command[Any, Any]] = [*COMMANDS.values(), *kept]
    models: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        *((query.document, "serialization") for query in QUERIES.values()),
        *((command.document, "serialization") for command in COMMANDS.values()),
        *((use.request, "validation") for use in posted),
    ]
    refs, schemas = models_json_schema(models, ref_template=_SCHEMAS)
    paths = {
        f"{ROOT}/{query.name}": {"get": _get(query, refs[query.document, "serialization"])}
        for query in QUERIES.values()
    }
    for use in posted:
        body, found = refs[use.request, "validation"], refs[use.document, "serialization"]
        paths.setdefault(f"{ROOT}/{use.name}", {})["post"] = _post(use, body, found)
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


def _get(query: Query[Any, Any], found: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": query.name,
        "summary": _first_line(query.document),
        "parameters": list(_parameters(query)),
        "responses": _responses(found),
    }


def _post(
    use: Query[Any, Any] | Command[Any, Any], body: dict[str, Any], found: dict[str, Any]
) -> dict[str, Any]:
    return {
        "operationId": f"post-{use.name}",
        "summary": _first_line(use.request),
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": _responses(found),
    }


def _parameters(query: Query[Any, Any]) -> Iterator[dict[str, Any]]:
    schema = query.request.model_json_schema(ref_template=_SCHEMAS)
    defined = schema.get("$defs", {})
    for name, field in schema.get("properties", {}).items():
        if query.kept is not None and name == KEPT_IN:
            continue
        yield {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": field.get("description", ""),
            "schema": _resolved(field, defined),
        }


def _resolved(schema: dict[str, Any], defined: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter with what it refers to."""
    if "$ref" in schema:
        return dict(defined[schema["$ref"].rpartition("/")[2]])
    return {
        key: [_resolved(each, defined) for each in value] if key == "anyOf" else value
        for key, value in schema.items()
    }


def _responses(found: dict[str, Any]) -> dict[str, Any]:
    refused = {
        str(status): {"description": why, "content": {MEDIA_TYPE: {"schema": {"type": "object"}}}}
        for status, why in (
            (400, "The body is not JSON"),
            (401, "The token is missing or wrong"),
            (409, "The use case refused the request"),
            (422, "A value is missing or wrong"),
        )
    }
    done = {"description": "The document", "content": {"application/json": {"schema": found}}}
    return {"200": done, **refused}


def _first_line(model: type) -> str:
    return (model.__doc__ or "").strip().partition("\n")[0]
