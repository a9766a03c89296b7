"""`lacuna sources add --openapi`: shown, confirmed, written; and what `sources test` remarks."""

import json
from pathlib import Path

import pytest

from daemon.adapters.sources import load_registry
from tests.fakes.cli import Cli
from tests.fakes.http_server import Reply, serving

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Papers"},
    "servers": [{"url": "https://api.example.org"}],
    "paths": {
        "/search": {
            "get": {
                "parameters": [{"name": "q", "in": "query"}],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"properties": {"title": {}, "url": {}}},
                                }
                            }
                        }
                    }
                },
            }
        }
    },
}


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def allow(cli: Cli, origin: str) -> None:
    cli.config.write_text(f"{cli.config.read_text()}\nnetwork.allow_origins = ['{origin}']\n")


def test_an_entry_is_shown_and_written_after_a_yes(ready: Cli, document: Path) -> None:
    before = ready.sources.read_text()
    refused = ready("sources", "add", "papers", "--openapi", document, text="n\n")
    assert "base_url: https://api.example.org/search" in refused.out
    assert ready.sources.read_text() == before
    done = ready("sources", "add", "papers", "--openapi", document, text="y\n")
    assert f"Added to {ready.sources}" in done.out
    assert ready.sources.read_text().startswith(before)
    assert load_registry(ready.sources)["papers"].arguments == {"q": "{query}"}


def test_a_taken_name_and_a_sources_file_that_cannot_be_extended_are_refused(
    ready: Cli, document: Path
) -> None:
    taken = ready("sources", "add", "arxiv", "--openapi", document, "--yes")
    assert "arxiv: there is such a source already" in taken.err
    ready.sources.write_text('{"arxiv": {"enabled": false}}')
    closed = ready("sources", "add", "papers", "--openapi", document, "--yes")
    assert closed.code == 1
    assert ready.sources.read_text() == '{"arxiv": {"enabled": false}}'


def test_a_document_on_the_web_comes_through_the_network_guard(ready: Cli) -> None:
    with serving() as server:
        server.routes["/o.json"] = Reply(json.dumps(DOCUMENT).encode())
        url = f"{server.origin}/o.json"
        refused = ready("sources", "add", "papers", "--openapi", url)
        assert "the document cannot be fetched: refused" in refused.complaint
        ready.config.write_text(
            f"{ready.config.read_text()}\nnetwork.allow_origins = ['{server.origin}']\n"
        )
        found = ready("sources", "add", "papers", "--openapi", url, "--json").json
    assert found["operation"] == "GET https://api.example.org/search"
    assert found["written"] == ""


def test_a_test_names_the_paths_that_match_nothing(ready: Cli) -> None:
    with serving() as server:
        page = {"title": "Tides", "url": "https://example.org/"}
        records = [{**page, "url": f"https://example.org/{n}"} for n in range(3)]
        body = json.dumps({"items": records}).encode()
        server.routes["/s"] = Reply(body, content_type="application/json")
        entry = {"type": "json", "url": f"{server.origin}/s?q={{query}}"}
        mine = {"mine": {**entry, "results": {"date": "meta.day", "title": "title"}}}
        ready.sources.write_text(json.dumps(mine))
        ready.config.write_text(
            f"{ready.config.read_text()}\nnetwork.allow_origins = ['{server.origin}']\n"
        )
        done = ready("sources", "test", "mine")
    assert "mine ok, 3 results" in done.out
    assert "no result has anything at `results.date` (meta.day)" in done.out
    assert "results.title" not in done.out
