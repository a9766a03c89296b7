"""The values of requests: of a query string, and of a JSON body. Nothing is converted silently."""

import json
import re
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request as HttpRequest

from daemon.faces.web.problems import BadRequestError
from daemon.usecases.document import Request

R = TypeVar("R", bound=Request)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,999})")
_JSON = "application/json"


class MediaTypeError(BadRequestError):
    """A body that is not JSON."""

    status = 415


async def from_body(model: type[R], request: HttpRequest) -> R:
    """Return the request in a JSON body; an empty body is an empty object.

    Raises MediaTypeError, ValidationError.
    """
    text = await request.body()
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if text.strip() and given != _JSON:
        raise MediaTypeError(f"the body must be {_JSON}")
    return model.model_validate_json(text.strip() or b"{}", strict=True)


def from_query(model: type[R], params: QueryParams) -> R:
    """Return the request in a query string; a parameter with many values is repeated.

    Raises ValidationError, also for parameters that the request does not have.
    """
    schema = model.model_json_schema()
    defined, known = schema.get("$defs", {}), schema.get("properties", {})
    given = {name: _value(known.get(name, {}), params.getlist(name), defined) for name in params}
    return model.model_validate_json(json.dumps(given), strict=True)


def parameter_schema(schema: dict[str, Any], defined: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter with what it refers to; it may be absent, but not null."""
    if "$ref" in schema:
        return {**defined[schema["$ref"].rpartition("/")[2]], **_described(schema)}
    given = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if len(given) == 1:
        return {**parameter_schema(given[0], defined), **_described(schema)}
    found = {key: value for key, value in schema.items() if key not in {"anyOf", "default"}}
    if given:
        found["anyOf"] = [parameter_schema(each, defined) for each in given]
    if "items" in found:
        found["items"] = parameter_schema(found["items"], defined)
    return found


def status_of(error: ValidationError) -> int:
    """Return the status for invalid values: 400 for what is not JSON, 409 for what is not allowed
    together, else 422.
    """
    kinds = {(each["type"], bool(each["loc"])) for each in error.errors(include_url=False)}
    if ("json_invalid", False) in kinds:
        return 400
    return 409 if kinds == {("value_error", False)} else 422


def why_refused(error: ValidationError) -> str:
    """Return in words what is wrong with each value."""
    wrong = error.errors(include_url=False, include_input=False, include_context=False)
    whys = (each["msg"].removeprefix("Value error, ") for each in wrong)
    lines = (
        f"{'.'.join(map(str, each['loc']))}: {why}" for each, why in zip(wrong, whys, strict=True)
    )
    return "; ".join(line.removeprefix(": ") for line in lines)


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in ("description", "examples") if key in schema}


def _value(schema: dict[str, Any], texts: list[str], defined: dict[str, Any]) -> Any:
    """Return JSON for the texts of a parameter; what is not of its type stays a text."""
    plain = parameter_schema(schema, defined)
    if plain.get("type") == "array":
        return [_scalar(plain.get("items", {}), text) for text in texts]
    return _scalar(plain, texts[0]) if len(texts) == 1 else texts


def _scalar(schema: dict[str, Any], text: str) -> Any:
    kinds = {schema.get("type"), *(each.get("type") for each in schema.get("anyOf", ()))}
    if "integer" in kinds and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in kinds and _NUMBER.fullmatch(text):
        return float(text)
    if "boolean" in kinds and text in {"true", "false"}:
        return text == "true"
    return text
