"""The REST interface as programs meet it: research, pages of lists, keys, metrics and limits."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from daemon.faces.request_rate import RequestRate
from daemon.faces.web.paging import Page, page_of
from tests.fakes.cli import Cli
from tests.fakes.web_site import TOKEN, Site, serving_vault

STALE = "why does bread go stale in the fridge"


@pytest.fixture
def site(ready: Cli) -> Iterator[Site]:
    with serving_vault(ready) as site:
        yield site


def test_research_is_triggered_approved_without_some_tasks_and_its_findings_decided(
    ready: Cli, site: Site
) -> None:
    planned = site.program("POST", "/api/research/trigger", {})
    assert planned.status == 201
    agenda = planned.json["agenda"]
    first, *others = [task["id"] for task in agenda["tasks"]]
    assert others
    path = f"/api/research/agenda/{agenda['id']}/approve"
    assert site.program("POST", path, {"blockedTaskIds": ["00000000"]}).status == 404
    assert site.program("POST", path, {"blockedTaskIds": [first, *others]}).status == 409
    approved = site.program("POST", path, {"blockedTaskIds": [first]})
    assert approved.status == 202
    choices = {task["id"]: task["choice"] for task in approved.json["agenda"]["tasks"]}
    assert choices == {first: "vetoed", **dict.fromkeys(others, "wanted")}
    # The box in the note is unticked, too: the note is read again before the agenda runs.
    [again] = [each for each in ready("agenda", "--json").json if each["id"] == agenda["id"]]
    assert {task["id"]: task["choice"] for task in again["tasks"]} == choices


def test_a_finding_is_accepted_with_its_note_and_found_by_its_agenda(site: Site) -> None:
    run = site.program("POST", "/api/v1/research", {"topics": [STALE]}).json
    listed = "/api/research/findings?" + urlencode({"status": "pending", "agendaId": run["agenda"]})
    [finding] = site.program("GET", listed).json
    assert site.program("GET", "/api/research/findings?status=&agendaId=").json == [finding]
    other = site.program("POST", "/api/research/trigger", {}).json["agenda"]["id"]
    assert site.program("GET", f"/api/research/findings?agendaId={other}").json == []
    accepted = site.program("POST", f"/api/research/findings/{finding['id']}/accept")
    assert (accepted.status, accepted.json["status"]) == (201, "accepted")
    assert "starch" in accepted.json["text"]
    path = f"/api/research/findings/{finding['id']}/dismiss"
    dismissed = site.program("POST", path, {"suppressTopic": True})
    assert dismissed.json["findings"][0]["status"] == "dismissed"
    assert site.program("GET", "/api/v1/topics").json


def test_a_command_with_a_key_is_carried_out_once_also_after_a_restart(ready: Cli) -> None:
    given = {"topics": [STALE]}
    with serving_vault(ready) as site:
        first = site.program("POST", "/api/v1/research", given, idempotency_key="k-1")
        again = site.program("POST", "/api/v1/research", given, idempotency_key="k-1")
    with serving_vault(ready) as site:
        later = site.program("POST", "/api/v1/research", given, idempotency_key="k-1")
        assert first.status == 200
        assert {each.text for each in (first, again, later)} == {first.text}
        other = site.program("POST", "/api/v1/topic-never", {"topic": "x"}, idempotency_key="k-1")
        assert (other.status, "use a new key" in other.json["detail"]) == (409, True)
        assert other.json["type"] == "urn:lacuna:problem:key-reused"
        assert len(site.program("GET", "/api/v1/runs").json) == 1
        for wrong in ("two words", "é", "k" * 129):
            refused = site.program("POST", "/api/v1/research", given, idempotency_key=wrong)
            assert refused.status == 400


def test_the_web_is_searched_and_sources_are_tested(site: Site) -> None:
    found = site.program("POST", "/api/v1/web-search", {"query": "sourdough", "limit": 3.0})
    assert found.status == 200, found.text
    assert "Sourdough.md" in [each["path"] for each in found.json["notes"]]
    assert found.json["remarks"] == []
    tested = site.program("POST", "/api/v1/sources-test", {"query": "bread"})
    assert [each["name"] for each in tested.json["answers"]] == ["library"]
    wrong = site.program("POST", "/api/v1/sources-test", {"names": ["nope"]})
    assert (wrong.status, wrong.json["type"]) == (404, "urn:lacuna:problem:not-found")
    assert site.program("POST", "/api/v1/models-test", {}).json == {"answers": []}
    for long in ("web-search", "sources-test"):
        assert site.program("POST", f"/api/v1/{long}", {"query": "x" * 1001}).status == 422


def test_values_are_never_converted(site: Site) -> None:
    for query in ("limit=1.0", "limit=+1", "limit=%201", "limit=1&limit=2", "limit=true", "limit="):
        assert site.program("GET", f"/api/v1/search?query=bread&{query}").status == 422, query
    body = {"ids": ["x"], "status": "pending", "never": "yes"}
    assert site.program("POST", "/api/v1/review", body).status == 422
    assert site("POST", "/api/v1/review", "{", **sent("application/json")).status == 400
    assert site("POST", "/api/v1/review", "{}", **sent("text/plain")).status == 415
    deep = "[" * 100_000
    assert site("POST", "/api/v1/review", deep, **sent("application/json")).status == 400


def sent(kind: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKEN}", "content_type": kind}


def test_a_list_comes_in_pages_that_skip_and_repeat_nothing(site: Site) -> None:
    for topic in ("bread", "crumb", "yeast", "steam", "rye"):
        site.program("POST", "/api/v1/topic-never", {"topic": topic})
    whole = site.program("GET", "/api/v1/topics").json
    assert len(whole) == 5
    found: list[Any] = []
    path = "/api/v1/topics?page_size=2"
    while path:
        answer = site.program("GET", path)
        found += answer.json
        path = "".join(re.findall(r'<([^>]+)>; rel="next"', answer.headers.get("link", "")))
    assert found == whole
    for wrong in ("page_size=0", "page_size=501", "cursor=!"):
        assert site.program("GET", f"/api/v1/topics?{wrong}").status == 422
    assert site.program("GET", "/api/v1/topics?cursor=abcd").status == 404


def test_a_cursor_continues_after_its_item_when_others_are_added_or_go() -> None:
    items = [{"id": str(number)} for number in range(6)]
    first, cursor = page_of(items, Page(page_size=2))
    assert first == items[:2]
    added = [{"id": "new"}, *items]
    assert page_of(added, Page(page_size=2, cursor=cursor))[0] == items[2:4]
    gone = [each for each in items if each["id"] != "1"]
    assert page_of(gone, Page(page_size=9, cursor=cursor)) == (items[3:], None)
    assert page_of([], Page(page_size=9, cursor=cursor)) == ([], None)


def test_an_unknown_address_and_method_are_problems(site: Site) -> None:
    unknown = site.program("GET", "/api/v1/nothing")
    assert (unknown.status, unknown.json["title"]) == (404, "Not Found")
    wrong = site.program("DELETE", "/api/v1/status")
    assert (wrong.status, set(wrong.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})
    assert wrong.headers["content-type"] == "application/problem+json"


def test_metrics_count_requests_by_route_and_describe_the_vault(site: Site) -> None:
    site.program("GET", "/api/v1/search?query=secret+words")
    site.program("GET", "/notes/Sourdough.md")
    shown = site.program("GET", "/metrics")
    assert shown.headers["content-type"].startswith("text/plain; version=")
    assert 'method="GET",route="/api/v1/search",status="200"} 1.0' in shown.text
    assert "lacuna_notes 5.0" in shown.text
    assert "secret" not in shown.text
    assert "Sourdough" not in shown.text
    assert site("GET", "/metrics").status == 401


def test_a_sender_with_too_many_requests_waits_and_others_do_not(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    rate = RequestRate(2)
    monkeypatch.setattr(RequestRate, "wait", lambda _, sender, wait=rate.wait: wait(sender))
    site.sign_in()
    statuses = [site.program("GET", "/api/v1/topics").status for _ in range(3)]
    assert statuses == [200, 200, 429]
    claimed = site.program("GET", "/api/v1/topics", lacuna_client="another", x_forwarded_for="::1")
    assert claimed.status == 429
    assert 1 <= int(claimed.headers["retry-after"]) <= 60
    assert site("GET", "/api/v1/topics").status == 200
    assert site("GET", "/healthz").status == 200


def test_answers_have_tags_of_which_a_client_may_name_several(site: Site) -> None:
    tag = site.program("GET", "/api/v1/topics").headers["etag"]
    for known in (f'"x", {tag}', f"W/{tag}", "*"):
        assert site.program("GET", "/api/v1/topics", if_none_match=known).status == 304
    assert json.loads(site.program("GET", "/api/v1/topics", if_none_match='"x"').text) == []


def test_a_question_that_is_awaited_is_kept_once_for_each_key(site: Site) -> None:
    asked = {"question": "Why does bread go stale?", "thread": "bread"}
    first, again = (
        site.program("POST", "/api/v1/ask", asked, idempotency_key="k-1") for _ in range(2)
    )
    assert (first.status, first.text) == (200, again.text)
    assert len(site.program("GET", "/api/v1/thread?name=bread").json["turns"]) == 1
    other = {"question": "What is autolyse?"}
    refused = site.program("POST", "/api/v1/ask", other, idempotency_key="k-1")
    assert (refused.status, refused.json["type"]) == (409, "urn:lacuna:problem:key-reused")
    empty = site.program("POST", "/api/v1/ask", {"question": " "}, idempotency_key="k-2")
    assert (empty.status, empty.json["type"]) == (409, "urn:lacuna:problem:refused")
