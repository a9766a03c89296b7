"""The services that are entries of type json: each fixture says which documentation it follows."""

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.registry import Rate
from daemon.model.evidence import SourceStatus
from tests.fakes.api import ask_entry
from tests.fakes.fetcher import FakeFetcher, answered

ANSWERS = {path.stem: path for path in (Path(__file__).parent / "answers").glob("*.json")}
SERVICES = sorted(
    name for name, entry in load_registry().items() if entry.type == "json" and name != "json"
)


def reported(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ANSWERS[name].read_text("utf-8"))
    return found


def test_every_service_has_an_answer_that_follows_its_documentation() -> None:
    assert sorted(ANSWERS) == SERVICES
    assert all(reported(name)["follows"] for name in ANSWERS)


@pytest.mark.parametrize("name", SERVICES)
def test_an_answer_as_documented_becomes_a_hit(name: str) -> None:
    case = reported(name)
    url = case["sent"]["url"]
    fetcher = FakeFetcher({url: answered(url, json.dumps(case["answer"]).encode())})
    answer = ask_entry(name, fetcher, limit=5)
    assert (answer.status, answer.why) == (SourceStatus.OK, "")
    (hit,) = answer.hits
    for field, value in case["hit"].items():
        found = getattr(hit, field)
        assert json.loads(json.dumps(found)) == value, field


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_asked_as_documented(name: str) -> None:
    sent = reported(name)["sent"]
    fetcher = FakeFetcher({})
    ask_entry(name, fetcher, limit=5)
    url, arguments, headers = fetcher.asked[0]
    assert url == sent["url"]
    assert arguments == sent.get("arguments", arguments)
    assert sent.get("contains", "") in "".join(arguments.values())
    assert sent.get("headers", {}).items() <= headers.items()


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_says_what_it_is_good_for_and_how_often_it_may_be_asked(name: str) -> None:
    entry = load_registry()[name]
    assert entry.good_for
    assert entry.rate != Rate()
    assert entry.base_url.startswith("https://")
