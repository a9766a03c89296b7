"""Entries from OpenAPI documents: which operation is asked, and where its results are."""

import copy
import json
from typing import Any

import pytest
import yaml

from daemon.adapters.sources.entry import Entry
from daemon.adapters.sources.openapi import proposals, read_openapi
from daemon.model.errors import SourceError
from tests.fakes.api import ask_checked
from tests.fakes.fetcher import FakeFetcher, answered

DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Papers\n<b>of</b> Harbours", "version": "1"},
    "servers": [
        {"url": "https://{host}/v1", "variables": {"host": {"default": "api.example.org"}}}
    ],
    "security": [{"token": []}],
    "paths": {
        "/papers/{id}": {
            "get": {"parameters": [{"name": "id", "in": "path", "required": True}]},
        },
        "/authors": {"get": {"parameters": [{"name": "q", "in": "query"}]}},
        "/papers/search": {
            "parameters": [{"$ref": "#/components/parameters/Limit"}],
            "get": {
                "operationId": "searchPapers",
                "summary": "Search papers",
                "parameters": [
                    {"name": "query", "in": "query", "required": True},
                    {"name": "lang", "in": "query", "required": True, "schema": {"enum": ["en"]}},
                    {"name": "cursor", "in": "query"},
                ],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Page"}}
                        }
                    }
                },
            },
            "post": {"parameters": [{"name": "q", "in": "query"}]},
        },
    },
    "components": {
        "parameters": {
            "Limit": {"name": "page_size", "in": "query", "schema": {"maximum": 50}},
        },
        "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "X-Token"}},
        "schemas": {
            "Page": {
                "type": "object",
                "properties": {
                    "total": {"type": "integer"},
                    "next_cursor": {"type": "string"},
                    "data": {
                        "properties": {
                            "items": {"type": "array", "items": {"$ref": "#/components/schemas/P"}}
                        }
                    },
                },
            },
            "P": {
                "allOf": [
                    {"$ref": "#/components/schemas/Base"},
                    {"properties": {"abstract": {"type": "string"}, "DOI": {"type": "string"}}},
                ]
            },
            "Base": {
                "properties": {
                    "attributes": {
                        "properties": {"title": {"type": "string"}, "year": {"type": "integer"}}
                    },
                    "links": {"properties": {"html_url": {"type": "string"}}},
                    "related": {"$ref": "#/components/schemas/P"},
                }
            },
        },
    },
}


def changed(**parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(DOCUMENT), **parts}


def test_the_search_is_proposed_first_with_its_arguments_key_and_paths() -> None:
    first, second = proposals(DOCUMENT, "papers")
    assert first.missing == ()
    assert first.entry == {
        "type": "json",
        "description": "Papers <b>of</b> Harbours",
        "base_url": "https://api.example.org/v1/papers/search",
        "api_key": "papers",
        "headers": {"X-Token": "{api_key}"},
        "arguments": {
            "query": "{query}",
            "page_size": "{limit}",
            "lang": "en",
            "cursor": "{cursor}",
        },
        "paging": {"size": 50, "next": "next_cursor", "pages": 2},
        "results": {
            "records": "data.items",
            "title": "attributes.title",
            "url": "links.html_url",
            "text": "abstract",
            "date": "attributes.year",
            "doi": "DOI",
        },
        "rate": {"least_interval_seconds": 1},
        "good_for": [],
    }
    assert second.operation == "GET https://api.example.org/v1/authors"
    assert any("results.url" in lack for lack in second.missing)


def test_a_proposed_entry_is_valid_and_works() -> None:
    (first, *_) = proposals(DOCUMENT, "papers")
    entry = Entry.model_validate({**first.entry, "adapter": "json"})
    record = {"attributes": {"title": "Tides", "year": 2024}, "DOI": "10.1000/t", "abstract": "x"}
    body = json.dumps({"data": {"items": [{**record, "links": {"html_url": "https://e.org/t"}}]}})
    fetcher = FakeFetcher({entry.base_url: answered(entry.base_url, body.encode())})
    (hit,) = ask_checked("papers", entry, fetcher).hits
    assert (hit.title, hit.url, hit.published) == ("Tides", "https://e.org/t", "2024")
    assert fetcher.asked[0][2]["X-Token"] == "key-1"


def test_json_and_yaml_are_read() -> None:
    assert read_openapi(json.dumps(DOCUMENT).encode()) == DOCUMENT
    assert read_openapi(yaml.safe_dump(DOCUMENT).encode()) == DOCUMENT


def test_the_server_may_be_relative_to_the_document_or_given() -> None:
    relative = changed(servers=[{"url": "/api"}])
    first = proposals(relative, "p", "https://docs.example.org/openapi.json")[0]
    assert first.entry["base_url"] == "https://docs.example.org/api/papers/search"
    with pytest.raises(SourceError, match="names no server: say where the service is with --url"):
        proposals(relative, "p")


@pytest.mark.parametrize(
    ("scheme", "reported"),
    [
        ({"type": "http", "scheme": "bearer"}, {"api_key": "p"}),
        ({"type": "apiKey", "in": "query", "name": "key"}, {"api_key": "p"}),
        ({"type": "oauth2"}, {}),
    ],
)
def test_the_key_goes_where_the_document_says(
    scheme: dict[str, str], reported: dict[str, str]
) -> None:
    components = {**DOCUMENT["components"], "securitySchemes": {"token": scheme}}
    entry = proposals(changed(components=components), "p")[0].entry
    assert {name: entry[name] for name in ("api_key", "headers") if name in entry} == reported
    assert entry["arguments"].get("key") == ("{api_key}" if scheme.get("in") == "query" else None)


def test_what_is_unknown_is_reported() -> None:
    document = changed()
    search = document["paths"]["/papers/search"]["get"]
    search["parameters"][1]["schema"] = {}
    (first, *_) = [each for each in proposals(document, "p") if "search" in each.operation]
    assert (
        "arguments.lang: the service wants it, and the document gives no example" in first.missing
    )


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        (b'{"swagger": "2.0"}', "Swagger 2 is not supported"),
        (b"[]", "no OpenAPI 3 document"),
        (b"a: [", "neither JSON nor YAML"),
        (b"\x00\x01", "neither JSON nor YAML"),
        (b"[" * 100_000, "nested too deeply"),
        (b"openapi: 3.0.0\na: &a [x]\nb: [*a, *a]", "YAML aliases"),
        (b"a: 1\n" + b"# " * 2_000_000, "too large for YAML"),
        (b" " * 10_000_001, "larger than 10 MB"),
    ],
)
def test_what_is_no_document_is_refused(body: bytes, reported: str) -> None:
    with pytest.raises(SourceError, match=reported):
        read_openapi(body)


def test_a_document_without_a_search_is_refused() -> None:
    with pytest.raises(SourceError, match="no GET operation of the document takes a question"):
        proposals(changed(paths={"/x": {"get": {}}}), "p")


def test_schemas_that_refer_to_themselves_or_nowhere_end() -> None:
    wide = {f"p{n}": {"$ref": "#/components/schemas/P"} for n in range(300)}
    schemas = {
        "Page": {"properties": wide},
        "P": {"properties": wide},
        "Loop": {"$ref": "#/components/schemas/Loop"},
    }
    document = changed(components={**DOCUMENT["components"], "schemas": schemas})
    assert proposals(document, "p")[0].entry["results"] == {}
    schemas["Page"] = {"$ref": "#/components/schemas/Loop"}
    assert proposals(document, "p")[0].entry["results"] == {}


@pytest.mark.parametrize(
    "junk",
    [
        {"paths": []},
        {"paths": {"/s": {"get": {"parameters": [1, {"name": 5}, {"name": "q", "in": "query"}]}}}},
        {"security": "x"},
        {"security": [1]},
        {"components": 7},
        {"servers": [3]},
        {"info": []},
    ],
)
def test_junk_in_a_document_raises_nothing_but_a_source_error(junk: dict[str, Any]) -> None:
    try:
        found = proposals(changed(**junk), "p", "https://x.example/o.json")
    except SourceError:
        return
    assert found[0].entry["arguments"]


def test_a_document_cannot_have_a_key_of_the_users_sent_to_its_service() -> None:
    document = changed()
    search = document["paths"].pop("/papers/search")
    search["get"]["parameters"][1]["schema"] = {"default": "{brave}", "enum": ["{brave}"]}
    document["paths"]["/{brave}/search"] = search
    (first, *_) = [each for each in proposals(document, "p") if "search" in each.operation]
    entry = Entry.model_validate({**first.entry, "adapter": "json"})
    assert entry.keys == ("p",)
    with pytest.raises(SourceError, match="names no server"):
        proposals(changed(servers=[{"url": "https://evil.example/{brave}"}]), "p")


@pytest.mark.parametrize(
    ("title", "name"), [("The Papers API (v2)", "the_papers_api_v2"), ("潮", "new_source")]
)
def test_without_a_name_the_title_gives_one(title: str, name: str) -> None:
    first = proposals(changed(info={"title": title}), "")[0]
    assert (first.name, first.entry["api_key"]) == (name, name)
