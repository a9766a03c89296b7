"""`lacuna web` as browsers, programs and other sites meet it: the real server on the loopback."""

import json
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from html import unescape
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest

from daemon.app import App
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.faces.web import html_pages
from daemon.faces.web.access import Access
from daemon.faces.web.request_guard import MAX_BODY
from daemon.faces.web.safe_html import as_html
from daemon.faces.web.web_server import listening
from daemon.model.errors import LacunaError
from daemon.model.event import BaseEvent, Done, StepProgress
from daemon.usecases import commands
from daemon.usecases.command import Work
from daemon.usecases.queries import FOLLOWED, KEPT, QUERIES
from daemon.usecases.web_access import access_token
from tests.fakes.cli import Cli
from tests.fakes.run_parts import NOW
from tests.fakes.web_site import JSON, TOKEN, Site, Unanswered, serving, serving_vault


@pytest.fixture
def site(ready: Cli) -> Iterator[Site]:
    """A server in this process, without a daemon."""
    with serving_vault(ready) as site:
        yield site


def progress(number: int) -> StepProgress:
    step = "read\r\nid: 9"
    return StepProgress(seq=number, at=NOW, pid=1, step=step, what="a", done=number, total=9)


def test_a_program_with_the_token_uses_every_use_case(site: Site) -> None:
    assert site.program("GET", "/api/v1/status").json["notes"] > 0
    [hit, *_] = site.program("GET", "/api/v1/search?query=sourdough&limit=3").json
    assert hit["path"].endswith(".md")
    assert site.program("POST", "/api/v1/topic-never", {"topic": "bread"}).status == 200
    assert site.program("GET", "/api/v1/topics").json
    wrong = site.program("GET", "/api/v1/search?limit=many&colour=red")
    assert (wrong.status, wrong.headers["content-type"]) == (422, "application/problem+json")
    assert "limit" in wrong.json["detail"]
    assert "colour" in wrong.json["detail"]


def test_the_endpoints_for_research_plan_and_refuse_what_is_unknown(site: Site) -> None:
    planned = site.program("POST", "/api/research/trigger", {"sourceNoteId": "Sourdough"})
    assert planned.status == 201
    agenda = planned.json["agenda"]["id"]
    assert site.program("POST", f"/api/research/agenda/{agenda}/approve", {}).status == 202
    assert site.program("GET", "/api/research/findings?status=pending").json == []


MISSING: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/research/trigger", {"sourceNoteId": "nope"}),
    ("POST", "/api/research/agenda/nope/approve", {}),
    ("POST", "/api/research/findings/nope/accept", {}),
    ("POST", "/api/research/findings/nope/dismiss", {"suppressTopic": True}),
    ("GET", "/api/v1/agenda?id=nope", None),
    ("GET", "/api/v1/citations?run=nope", None),
    ("GET", "/api/v1/claims?run=nope", None),
    ("GET", "/api/v1/finding?id=nope", None),
    ("GET", "/api/v1/note?note=nope", None),
    ("GET", "/api/v1/quoted-places?id=nope", None),
    ("GET", "/api/v1/run?run=nope", None),
    ("GET", "/api/v1/search?like=nope", None),
    ("GET", "/api/v1/thread?name=nope", None),
    ("GET", "/api/v1/written-note?path=nope.md", None),
    ("GET", "/api/v1/runs/nope/events", None),
    ("GET", "/api/v1/ask/nope/events", None),
    ("DELETE", "/api/v1/ask/nope", None),
    ("GET", "/api/v1/save/run.bib?run=nope", None),
    ("GET", "/api/v1/save/note.html?note=nope.md", None),
    ("GET", "/api/v1/save/audio/nope.mp3", None),
    ("POST", "/api/v1/agenda-cancel", {"id": "nope"}),
    ("POST", "/api/v1/audio", {"report": "nope"}),
    ("POST", "/api/v1/read_chosen", {"run": "nope"}),
    ("POST", "/api/v1/replay", {"run": "nope"}),
    ("POST", "/api/v1/review", {"ids": ["nope"], "status": "accepted"}),
    ("POST", "/api/v1/schedule-pause", {"name": "nope"}),
    ("POST", "/api/v1/thread-delete", {"name": "nope"}),
)
MISSING_PAGES = ("/inbox/nope", "/runs/nope", "/notes/nope", "/written/nope.md", "/ask?thread=nope")


def test_what_does_not_exist_is_not_found_which_a_program_can_tell(site: Site) -> None:
    for method, path, body in MISSING:
        missing = site.program(method, path, body)
        assert missing.status == 404, (path, missing.text)
        assert missing.json["type"] == "urn:lacuna:problem:not-found", path
        assert missing.headers["content-type"] == "application/problem+json"


def test_a_page_of_what_does_not_exist_is_not_found(site: Site) -> None:
    site.sign_in()
    for path in MISSING_PAGES:
        missing = site("GET", path)
        assert (missing.status, "<h1>Not found</h1>" in missing.text) == (404, True), path


def test_an_address_that_does_not_exist_differs_from_a_thing_that_does_not(site: Site) -> None:
    assert site.program("GET", "/api/v1/nope").json["type"] == "about:blank"
    refused = site.program("POST", "/api/v1/research-stop", {})
    assert (refused.status, refused.json["type"]) == (409, "urn:lacuna:problem:refused")


def test_an_answer_that_the_client_has_is_not_sent_again(site: Site) -> None:
    first = site.program("GET", "/api/v1/topics")
    again = site.program("GET", "/api/v1/topics", if_none_match=first.headers["etag"])
    assert (again.status, again.text) == (304, "")


def test_openapi_describes_every_use_case_with_schemas_that_exist(site: Site) -> None:
    document = site.program("GET", "/api/v1/openapi.json").json
    assert document["openapi"] == "3.1.0"
    assert {"/api/v1/search", "/api/v1/review", "/api/v1/ask"} <= document["paths"].keys()
    refs = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert refs <= document["components"]["schemas"].keys()


def test_the_queries_that_keep_something_or_report_events_are_known_by_name() -> None:
    assert {name for name, query in QUERIES.items() if query.kept is not None} == KEPT
    assert {name for name, each in QUERIES.items() if each.followed is not None} == FOLLOWED


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "lacuna.example:80"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/status", "/api/v1/events", "/mcp", "/healthz"])
def test_other_sites_are_refused_even_with_the_token(
    site: Site, path: str, headers: dict[str, str], status: int
) -> None:
    answer = site.program("GET", path, **headers)
    assert answer.status == status
    assert "access-control-allow-origin" not in answer.headers


def test_a_link_of_another_site_leads_to_a_page_but_loads_nothing(site: Site) -> None:
    visit = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert site("GET", "/login", **visit).status == 200
    assert site.program("GET", "/metrics", **visit).status == 403
    load = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}
    assert site("GET", "/static/app.js", **load).status == 403


def test_without_the_token_or_a_session_nothing_is_shown(site: Site) -> None:
    for path in ("/", "/inbox", "/inbox/x", "/api/v1/status", "/api/v1/events", "/docs", "/login/"):
        assert site("GET", path).status == 401, path
    wrong = site("GET", "/api/v1/status", authorization=f"Bearer {TOKEN[:-1]}8")
    assert (wrong.status, wrong.headers["www-authenticate"]) == (401, "Bearer")
    assert site("GET", "/healthz").text == "ok"


def test_a_login_link_works_once_and_for_two_minutes(site: Site) -> None:
    code = site.access.new_code()
    first = site("POST", "/login", urlencode({"code": code}))
    assert (first.status, first.headers["location"]) == (303, "/")
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "SameSite=strict" in first.headers["set-cookie"]
    assert site("POST", "/login", urlencode({"code": code})).status == 401
    clock = [0.0]
    access = Access(lambda: TOKEN, clock=lambda: clock[0])
    code = access.new_code()
    clock[0] = 121.0
    assert access.sign_in(code) is None


def test_a_signed_in_browser_reads_pages_and_changes_only_with_the_form_token(site: Site) -> None:
    site.sign_in()
    page = site("GET", "/")
    assert page.status == 200
    body = json.dumps({"topic": "bread"})
    assert site("POST", "/api/v1/topic-never", body, **JSON).status == 403
    wrong = site("POST", "/api/v1/topic-never", body, **JSON, x_lacuna_token=TOKEN)
    assert wrong.status == 403
    [token] = re.findall(r'name="lacuna-token" content="([^"]+)"', page.text)
    assert site("POST", "/api/v1/topic-never", body, **JSON, x_lacuna_token=token).status == 200
    assert site("GET", "/api/v1/topic-never").status == 405


def test_every_answer_forbids_scripts_framing_and_referrers(site: Site) -> None:
    site.sign_in()
    for path in ("/", "/inbox", "/ask", "/static/app.js", "/api/v1/status", "/nowhere"):
        headers = site("GET", path).headers
        assert headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_today_and_the_library_are_shown_without_a_library(lacuna: Cli, vault: Path) -> None:
    lacuna.settings(vault=vault)
    with serving_vault(lacuna) as site:
        site.sign_in()
        for path in ("/", "/library"):
            assert site("GET", path).status == 200, path
        assert "No folder is in your library" in site("GET", "/library").text


def test_pages_have_no_script_or_style_of_their_own(site: Site) -> None:
    site.sign_in()
    for path in ("/", "/inbox", "/ask?question=how+long+does+sourdough+rest", "/login"):
        text = site("GET", path).text
        assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son\w+=", text), path


def test_bodies_that_are_too_large_too_deep_or_no_objects_are_refused(site: Site) -> None:
    assert site.program("POST", "/api/v1/topic-never", "x" * MAX_BODY).status == 413
    deep = "[" * 100_000 + "]" * 100_000
    answer = site("POST", "/api/v1/topic-never", deep, authorization=f"Bearer {TOKEN}", **JSON)
    assert answer.status == 400
    assert site.program("POST", "/api/v1/topic-never", ["bread"]).status == 422
    chunked = iter([b"x" * 100_000] * 20)
    connection = HTTPConnection("127.0.0.1", site.port, timeout=30)
    with closing(connection):
        headers = {"authorization": f"Bearer {TOKEN}", **JSON}
        connection.request("POST", "/api/v1/topic-never", chunked, headers, encode_chunked=True)
        assert connection.getresponse().status == 413


def test_the_number_of_an_event_is_a_number(site: Site) -> None:
    assert site.program("GET", "/api/v1/events", last_event_id="1e3").status == 400


def test_events_come_with_their_numbers_from_the_last_that_was_seen() -> None:
    def follow(_is_over: object, after: int | None) -> Generator[BaseEvent]:
        yield from (progress(number) for number in range((after or 0) + 1, 6))

    with serving(Unanswered(), follow) as site:
        sent = site.program("GET", "/api/v1/events", last_event_id="3").text.replace("\r\n", "\n")
    assert re.findall(r"^id: (.*)$", sent, re.MULTILINE) == ["4", "5"]
    assert re.findall(r"^event: (.*)$", sent, re.MULTILINE) == ["step_progress"] * 2
    first = json.loads(re.findall(r"^data: (.*)$", sent, re.MULTILINE)[0])
    assert (first["done"], first["step"]) == (4, "read\r\nid: 9")


def test_a_reader_that_reads_nothing_is_cut_off() -> None:
    ended = threading.Event()

    def follow(is_over: Callable[[], bool], _after: int | None) -> Generator[BaseEvent]:
        try:
            for number in count(1):
                if is_over():
                    return
                yield progress(number)
        finally:
            ended.set()

    with serving(Unanswered(), follow) as site:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=30)
        with closing(connection):
            connection.request(
                "GET", "/api/v1/events", headers={"authorization": f"Bearer {TOKEN}"}
            )
            assert ended.wait(30)


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (
            "$(A^T)_{ij} = (A)_{ji}$ and $\\alpha$",
            "<code>(A^T)_{ij} = (A)_{ji}</code> and <code>\\alpha",
        ),
        ("$$a_1 \\\\ a_2$$", "<code>a_1 \\\\ a_2</code>"),
        ("$<script>x</script>$", "<code>&lt;script&gt;x&lt;/script&gt;</code>"),
        ("costs $5 and $10, or US$ 3", "<p>costs $5 and $10, or US$ 3</p>"),
        ("![The plot](https://e.x/a.png)", 'Image: <a href="https://e.x/a.png"'),
    ],
)
def test_formulas_are_shown_as_written_and_images_are_named(note: str, shown: str) -> None:
    assert shown in as_html(note)


def test_a_note_is_shown_without_anything_that_acts() -> None:
    shown = as_html(
        "---\ntitle: x\n---\n<script>alert(1)</script> ![](https://t.example/p.png) "
        "[a](javascript:alert(1)) [b](data:text/html,x) [c](file:///etc/passwd) "
        "[d](https://good.example/) <img src=x onerror=alert(1)>"
    )
    assert not re.search(r"<script|<img|<[^>]*(javascript|data:|file:|onerror)", shown)
    assert 'href="https://good.example/" rel="noopener noreferrer nofollow"' in shown
    assert "title: x" not in shown


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("[x](B%20c.md#why)", "Area%2FSub%2FB%20c.md"),
        ("[x](../B.md)", "Area%2FB.md"),
        ("[x](/Inbox)", "Inbox"),
        ("[x](../../../Top.md)", "Top.md"),
        ("[[v1.2 Plan|x]]", "v1.2%20Plan"),
        ("![x](img/a.png)", None),
        ("![[a.png|x]]", None),
        ("[x](paper.pdf)", None),
        ("[x](.)", "Area%2FSub"),
    ],
)
def test_a_link_leads_from_the_folder_of_its_note_and_one_to_a_file_nowhere(
    link: str, page: str | None
) -> None:
    shown = as_html(link, "Area/Sub/Note.md")
    address = f'href="/notes/{page}" ' if page else ""
    assert f'<a {address}rel="noopener noreferrer nofollow">x</a>' in shown


def test_links_between_notes_lead_to_their_pages_and_callouts_fold() -> None:
    shown = as_html(
        "> [!info]- How <b>it</b> was found\n> By [[Sleep/Naps#Why|naps]].\n\n`[[code]]`"
    )
    assert "<details>\n<summary>How &lt;b&gt;it&lt;/b&gt; was found</summary>" in shown
    assert '<a href="/notes/Sleep%2FNaps" rel="noopener noreferrer nofollow">naps</a>' in shown
    assert "<code>[[code]]</code>" in shown


def test_a_query_does_not_wait_for_a_command(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed = site.program("GET", "/api/v1/search?query=sourdough").json
    begun, may_end = threading.Event(), threading.Event()

    def slow(*given: Any) -> Any:
        begun.set()
        assert may_end.wait(30)
        return commands.carry_out(*given)

    monkeypatch.setattr("daemon.usecases.writer.carry_out", slow)
    command = threading.Thread(target=site.program, args=("POST", "/api/v1/library-scan", {}))
    command.start()
    try:
        assert begun.wait(30)
        assert site.program("GET", "/api/v1/search?query=sourdough").json == indexed != []
        assert command.is_alive()
    finally:
        may_end.set()
        command.join()


def test_a_quick_command_is_carried_out_while_a_slow_one_of_this_process_waits(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def waiting(name: str, body: Mapping[str, Any], work: Work) -> Any:
        if name == "library-scan":
            begun.set()
            while not may_end.wait(0.01):  # as research waits for its sources
                work.meanwhile()
        return commands.carry_out(name, body, work)

    monkeypatch.setattr("daemon.usecases.writer.carry_out", waiting)
    command = threading.Thread(target=site.program, args=("POST", "/api/v1/library-scan", {}))
    command.start()
    try:
        assert begun.wait(30)
        assert site.program("POST", "/api/v1/topic-never", {"topic": "bread"}).status == 200
        refused = site.program("POST", "/api/v1/review", {"ids": ["x"], "status": "accepted"})
        assert refused.status == 404
        assert [each["topic"] for each in site.program("GET", "/api/v1/topics").json] == ["bread"]
        assert command.is_alive()
    finally:
        may_end.set()
        command.join()


def test_a_quick_command_goes_to_the_daemon_while_it_works_on_a_slow_one(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    scanned = site.program("POST", "/api/v1/library-scan", {}).json
    documents = {"topic-never": {"topics": []}, "library-scan": scanned}

    def daemon(_state: Path, name: str, *_: Any) -> Iterator[dict[str, Any]]:
        if name == "library-scan":
            begun.set()
            assert may_end.wait(30)
        done = Done(seq=1, at=NOW, pid=1, ends="command", document=documents[name])
        yield done.model_dump(mode="json")

    monkeypatch.setattr("daemon.usecases.client.command", daemon)
    monkeypatch.setattr(App, "writer", lambda _app: "lacuna run (pid 1)")
    command = threading.Thread(target=site.program, args=("POST", "/api/v1/library-scan", {}))
    command.start()
    try:
        assert begun.wait(30)
        assert site.program("POST", "/api/v1/topic-never", {"topic": "bread"}).status == 200
        assert command.is_alive()
    finally:
        may_end.set()
        command.join()


def test_the_token_is_kept_for_the_owner_alone_and_can_be_replaced(ready: Cli) -> None:
    with closing(open_app(load_settings(ready.config), config=ready.config)) as app:
        token = access_token(app)
        file = Path(app.state) / "web-token"
        assert (len(token), file.stat().st_mode & 0o777) == (64, 0o600)
        file.chmod(0o644)
        assert access_token(app) == token
        assert file.stat().st_mode & 0o777 == 0o600
        assert access_token(app, rotate=True) != token


def test_a_port_in_use_is_one_clear_line(ready: Cli) -> None:
    with closing(listening(0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LacunaError, match=r"another program may use this port"):
            listening(port)
        assert "choose one with `--port`" in ready("web", "--port", str(port)).complaint


def test_opening_the_page_without_a_server_says_how_to_start_it(ready: Cli) -> None:
    with closing(listening(0)) as unused:
        port = unused.getsockname()[1]
    assert "start it with `lacuna web`" in ready("open", "--port", str(port)).complaint


def test_a_page_with_a_wrong_value_in_its_address_says_plainly_which(site: Site) -> None:
    shown = site.program("GET", "/inbox?status=nope")
    assert shown.status == site.program("GET", "/api/v1/findings?status=nope").status == 422
    assert "status: " in shown.text
    assert "pending" in shown.text
    assert not re.search("validation error|FindingsRequest|input_value", shown.text)


def test_a_page_that_fails_after_its_head_was_sent_reports_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Failing(Unanswered):
        def by_name(self, _name: str, _body: Mapping[str, Any]) -> Any:
            raise RuntimeError("a fault")

    monkeypatch.setattr(html_pages, "_AT_ONCE", 0)
    with serving(Failing(), lambda *_given: iter(())) as site:  # type: ignore[arg-type]
        site.sign_in()
        shown = site("GET", "/topics", accept="text/html").text
    assert "an error of Lacuna: RuntimeError" in shown
    assert shown.rstrip().endswith("</html>")


def test_each_number_of_the_health_leads_to_all_its_notes_in_pages(site: Site) -> None:
    health = site.program("GET", "/api/v1/health").json
    for of, many in {**health["counts"], "notes": health["notes"]}.items():
        if of == "refused":
            continue
        found = site.program("GET", f"/api/v1/health-list?kind={of}").json
        assert len(found) == many, of
    by_links = site.program("GET", "/api/v1/health-list?kind=links&page_size=2")
    most, second = (each["count"] for each in by_links.json)
    assert most >= second > 0
    assert "kind=links" in by_links.headers["link"]
    every = site.program("GET", "/api/v1/health-list?kind=links").json
    assert sum(each["count"] for each in every) == 2 * health["links"]
    assert {each["path"]: each["name"] for each in every}["Wild yeast.md"] == "Wild yeast"
    missing = site.program("GET", "/api/v1/health-list?kind=unresolved").json
    assert {each["name"]: each["from"] for each in missing} == {
        each["target"]: each["from"] for each in health["unresolved"]
    }
    for cluster in health["clusters"]:
        asked = urlencode({"kind": "clusters", "cluster": cluster["label"]})
        found = site.program("GET", f"/api/v1/health-list?{asked}").json
        assert [each["path"] for each in found] == cluster["notes"]
    wrong = site.program("GET", "/api/v1/health-list?kind=clusters&cluster=nope")
    assert (wrong.status, wrong.json["type"]) == (404, "urn:lacuna:problem:not-found")


def test_a_long_list_of_the_health_is_read_page_by_page(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.faces.web.html_pages._PAGE", 2)
    site.sign_in()
    every = [each["path"] for each in site.program("GET", "/api/v1/health-list?kind=notes").json]
    assert len(every) > 4
    at, shown = "/health/notes", list[str]()
    while at:
        page = site("GET", at).text
        shown += map(unquote, re.findall(r'<li><a href="/notes/([^"]+)"', page))
        following = re.search(r'rel="next" href="([^"]+)"', page)
        at = unescape(following[1]) if following else ""
    assert shown == every
    assert site("GET", "/health/nope").status == 404
    assert site("GET", "/health/notes?cursor=x").status == 404
    front = site("GET", "/health").text
    for of in ("notes", "links", "isolated", "unresolved", "clusters", "gaps"):
        assert f'href="/health/{of}"' in front
        assert site("GET", f"/health/{of}").status == 200
