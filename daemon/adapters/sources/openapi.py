"""From an OpenAPI 3 document to the entry of a source: its search operations and their results."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import yaml

from daemon.adapters.sources.mapping import DEFAULT_NAMES
from daemon.adapters.sources.paths import bare
from daemon.model.errors import SourceError

MAX_DOCUMENT_BYTES = 10_000_000  # bytes of a document
_MAX_YAML_BYTES = 3_000_000  # which takes a hundred times as long as JSON
_DEPTH = 5  # of nested objects in which records and their fields are looked for
_MAX_PROPERTIES = 2_000
_REFERENCES = 20  # that lead to one another
_MAX_OPERATIONS = 5_000
# What parameters are usually called, the surest first; compared without case and signs.
_QUESTION = (
    *("q", "query", "search", "searchquery", "searchterm", "term", "terms", "text"),
    *("keyword", "keywords", "querystring", "fulltext", "s"),
)
_LIMIT = ("limit", "size", "pagesize", "perpage", "rows", "maxresults", "count", "num", "pagelimit")
_PAGE, _OFFSET = ("page", "pageno", "pagenumber", "p"), ("offset", "start", "skip", "from")
_CURSOR = ("cursor", "pagetoken", "nextpagetoken", "continuationtoken")
_NEXT = ("next", "nextcursor", "nextpagetoken", "cursor", "continuationtoken")
_SEARCHES = re.compile(r"search|find|query|lookup|list", re.IGNORECASE)
_FIELDS = ("title", "url", "text", "date", "authors", "doi", "citations")


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entry for one operation. `missing` says what the user has to fill in, or is empty."""

    name: str
    operation: str
    summary: str
    entry: Mapping[str, Any]
    missing: tuple[str, ...] = ()


class _NoAliases(yaml.SafeLoader):
    """YAML without aliases: a few lines of them can expand to gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise SourceError(
                "the document has YAML aliases, which are not read; use its JSON form"
            )
        return super().compose_node(parent, index)


def read_openapi(body: bytes) -> dict[str, Any]:
    """Parse a document. Raises SourceError when it is no OpenAPI 3."""
    if len(body) > MAX_DOCUMENT_BYTES:
        raise SourceError(f"the document is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB")
    try:
        found = json.loads(body)
    except RecursionError:
        raise SourceError("the document is nested too deeply") from None
    except ValueError:
        found = _read_yaml(body)
    version = found.get("openapi") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not str(version).startswith("3."):
        old = isinstance(found, dict) and "swagger" in found
        raise SourceError("Swagger 2 is not supported" if old else "no OpenAPI 3 document")
    return found


def proposals(document: Mapping[str, Any], name: str, place: str = "") -> list[Proposal]:
    """Propose an entry for each GET operation that takes a question, the likeliest first.

    `name` is what the source is to be called, by default after the title; `place` is where the
    document is. Raises SourceError.
    """
    base, name = _server(document, place), name or _name(document)
    ranked: list[tuple[int, Proposal]] = []
    for path, item in _operations(document):
        parameters = _parameters(document, item)
        question = _named(parameters, _QUESTION)
        if question is None:
            continue
        proposal = _proposal(document, name, base + path, item, parameters, question)
        searches = bool(_SEARCHES.search(f"{path} {item.get('operationId', '')}"))
        rank = 2 * searches + bool(proposal.entry["results"]) - 3 * len(proposal.missing)
        ranked.append((rank, proposal))
    if not ranked:
        raise SourceError("no GET operation of the document takes a question, such as `q`")
    ranked.sort(key=lambda each: -each[0])
    return [proposal for _, proposal in ranked]


def _read_yaml(body: bytes) -> Any:
    if len(body) > _MAX_YAML_BYTES:
        raise SourceError("the document is no JSON, and too large for YAML: use its JSON form")
    try:
        return yaml.load(body, _NoAliases)  # noqa: S506  a SafeLoader
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError):
        raise SourceError("neither JSON nor YAML") from None


def _server(document: Mapping[str, Any], place: str) -> str:
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = str(first.get("url") or "") if isinstance(first, dict) else ""
    variables = first.get("variables") if isinstance(first, dict) else None
    for name, schema in (variables or {}).items() if isinstance(variables, dict) else ():
        default = schema.get("default", "") if isinstance(schema, dict) else ""
        url = url.replace(f"{{{name}}}", str(default))
    if place.startswith(("http://", "https://")):
        url = urljoin(place, url or "/")
    if not url.startswith(("http://", "https://")) or "{" in url:
        raise SourceError("the document names no server: say where the service is with --url")
    return url.rstrip("/")


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the GET operations by path, each with the parameters of its path."""
    paths = document.get("paths")
    for path, item in list(paths.items())[:_MAX_OPERATIONS] if isinstance(paths, dict) else ():
        get = item.get("get") if isinstance(item, dict) else None
        if isinstance(get, dict) and isinstance(path, str) and path.startswith("/"):
            shared = item.get("parameters")
            own = get.get("parameters")
            every = [each for part in (shared, own) if isinstance(part, list) for each in part]
            yield path, {**get, "parameters": every}


def _parameters(document: Mapping[str, Any], item: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = [_resolved(document, each) for each in item["parameters"]]
    return [each for each in found if isinstance(each.get("name"), str)]


def _resolved(document: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """Follow references within the document; {} for what leads nowhere, or elsewhere."""
    for _ in range(_REFERENCES):
        if not isinstance(value, dict):
            return {}
        target = value.get("$ref")
        if not isinstance(target, str):
            return value
        if not target.startswith("#/"):
            return {}
        value = document
        for step in target[2:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            value = value.get(name) if isinstance(value, dict) else None
    return {}


def _named(parameters: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    """Return the query parameter that has the first of these names."""
    known = {
        bare(each["name"]): str(each["name"]) for each in parameters if each.get("in") == "query"
    }
    return next((known[name] for name in names if name in known), None)


def _proposal(
    document: Mapping[str, Any],
    name: str,
    url: str,
    item: Mapping[str, Any],
    parameters: Sequence[Mapping[str, Any]],
    question: str,
) -> Proposal:
    missing: list[str] = []
    arguments: dict[str, Any] = {question: "{query}"}
    paging: dict[str, Any] = {}
    for names, stands in ((_LIMIT, "{limit}"), (_PAGE, "{page}"), (_OFFSET, "{offset}")):
        if (found := _named(parameters, names)) and found not in arguments:
            arguments[found] = stands
    if limit := _named(parameters, _LIMIT):
        most = _schema_of(document, parameters, limit).get("maximum")
        if isinstance(most, int) and 0 < most <= 1000:
            paging["size"] = most
    key = _key(document, name, item)
    arguments |= key.pop("arguments", {})
    for each in parameters:
        missing += _required(document, each, arguments, key)
    results, nested = _results(document, item)
    if nested and (cursor := _named(parameters, _CURSOR)):
        arguments[cursor], paging["next"], paging["pages"] = "{cursor}", nested, 2
    if "{" in url:
        # As it stands there it would name a key of the user's.
        url = url.replace("{", "FILL-IN-").replace("}", "")
        missing.append("base_url: the path has a parameter; replace FILL-IN by its value")
    entry: dict[str, Any] = {
        "type": "json",
        "description": _line(_info(document)) or name,
        "base_url": url,
        **key,
        "arguments": arguments,
        **({"paging": paging} if paging else {}),
        "results": results,
        "rate": {"least_interval_seconds": 1},
        "good_for": [],
    }
    if not results.get("url") and not results.get("doi"):
        missing.append("results.url: no field of the answer looks like an address")
    return Proposal(name, f"GET {url}", _line(item.get("summary") or ""), entry, tuple(missing))


def _required(
    document: Mapping[str, Any],
    parameter: Mapping[str, Any],
    arguments: dict[str, Any],
    key: Mapping[str, Any],
) -> Iterator[str]:
    """Fill a required parameter with its default or example; yield what nobody knows."""
    name, where = str(parameter["name"]), parameter.get("in")
    if not parameter.get("required") or name in arguments or name in key.get("headers", {}):
        return
    schema = _resolved(document, parameter.get("schema"))
    values = schema.get("enum")
    known = [schema.get("default"), parameter.get("example"), schema.get("example")]
    known += values[:1] if isinstance(values, list) else []
    # A value with braces would name a key of the user's.
    usable = [each for each in known if isinstance(each, str | int | bool) and "{" not in str(each)]
    value = next(iter(usable), None)
    if where == "query" and value is not None:
        arguments[name] = value
    elif where == "query":
        yield f"arguments.{name}: the service wants it, and the document gives no example"


def _schema_of(
    document: Mapping[str, Any], parameters: Sequence[Mapping[str, Any]], name: str
) -> dict[str, Any]:
    found = next(each for each in parameters if each["name"] == name)
    return _resolved(document, found.get("schema"))


def _key(document: Mapping[str, Any], name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the operation takes a key: as a bearer token, in a header or in an argument."""
    components = document.get("components")
    schemes = components.get("securitySchemes") if isinstance(components, dict) else None
    wanted = item.get("security", document.get("security"))
    needs = [each for each in wanted if isinstance(each, dict)] if isinstance(wanted, list) else []
    if not isinstance(schemes, dict):
        return {}
    optional = {"key_optional": True} if {} in needs else {}
    for each in [name for need in needs for name in need]:
        scheme = _resolved(document, schemes.get(each))
        at = str(scheme.get("name") or "")
        if scheme.get("type") == "apiKey" and scheme.get("in") == "header":
            return {"api_key": name, "headers": {at: "{api_key}"}, **optional}
        if scheme.get("type") == "apiKey" and scheme.get("in") == "query":
            return {"api_key": name, "arguments": {at: "{api_key}"}, **optional}
        if scheme.get("type") == "http" and scheme.get("scheme") == "bearer":
            return {"api_key": name, **optional}
    return {}


def _results(document: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[dict[str, str], str]:
    """Return the paths to the records and their fields, and to the next page's cursor or ""."""
    schema = _answer_schema(document, item)
    found = _records(document, schema)
    if found is None:
        return {}, ""
    path, record = found
    fields = {field: _field(document, record, field) for field in _FIELDS}
    results = {"records": path, **{name: where for name, where in fields.items() if where}}
    names = [(bare(name), where) for name, where, _ in _properties(document, schema)]
    cursor = next((where for name, where in names if name in _NEXT), "")
    return {name: where for name, where in results.items() if where}, cursor


def _answer_schema(document: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    responses = item.get("responses")
    answers = responses if isinstance(responses, dict) else {}
    answer = answers.get("200") or answers.get(200) or answers.get("default")
    content = _resolved(document, answer).get("content")
    kinds = content if isinstance(content, dict) else {}
    schema = next((kinds[kind] for kind in kinds if "json" in str(kind)), None)
    return _resolved(document, schema.get("schema")) if isinstance(schema, dict) else {}


def _records(
    document: Mapping[str, Any], schema: Mapping[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """Return the path to the first list of objects, nearest first, and the schema of these."""
    if record := _items(document, schema):
        return "", record
    for _, path, found in _properties(document, schema):
        if record := _items(document, found):
            return path, record
    return None


def _items(document: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a list's objects, or {}."""
    if schema.get("type") != "array":
        return {}
    items = _resolved(document, schema.get("items"))
    return items if isinstance(_merged(document, items).get("properties"), dict) else {}


def _field(document: Mapping[str, Any], record: Mapping[str, Any], field: str) -> str:
    """Return the path to what a record's field is usually called, nearest first."""
    known = [(bare(name), path) for name, path, _ in _properties(document, record)]
    usual = DEFAULT_NAMES[field]
    return next((path for name in usual for each, path in known if each == name), "")


def _properties(
    document: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield name, path and schema of the properties of an object, then of those within them.

    So many in all that no document, and none that refers to itself, keeps this busy.
    """
    waiting = deque([("", 0, schema)])
    seen = 0
    while waiting and seen < _MAX_PROPERTIES:
        before, depth, within = waiting.popleft()
        properties = _merged(document, within).get("properties")
        for name, property_ in properties.items() if isinstance(properties, dict) else ():
            found = _resolved(document, property_)
            path = f"{before}{_step(str(name))}"
            yield str(name), path, found
            seen += 1
            if depth + 1 < _DEPTH:
                waiting.append((f"{path}.", depth + 1, found))


def _step(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name) else json.dumps(name)


def _merged(document: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with the properties of all that it is made of (`allOf`)."""
    parts = schema.get("allOf")
    merged = dict(schema)
    properties: dict[str, Any] = {}
    for part in [*(parts if isinstance(parts, list) else []), schema]:
        its = _resolved(document, part).get("properties")
        properties |= its if isinstance(its, dict) else {}
    return {**merged, "properties": properties} if properties else merged


def _info(document: Mapping[str, Any]) -> str:
    info = document.get("info")
    return str(info.get("title") or "") if isinstance(info, dict) else ""


def _name(document: Mapping[str, Any]) -> str:
    """Return a name for the source: the words of the title that are letters and digits."""
    words = re.findall(r"[a-z0-9]+", _line(_info(document)).casefold())
    return "_".join(words)[:40].strip("_") or "new_source"


def _line(text: object) -> str:
    """One short printable line: the document comes from outside."""
    shown = "".join(each if each.isprintable() else " " for each in str(text))
    return " ".join(shown.split())[:120]
