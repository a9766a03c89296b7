"""What the pages do besides use cases: settings, checks, files to save, audio."""

import json
import tarfile
import urllib.request
from collections.abc import Iterator
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.fakes.sample_site import sample_site
from tests.fakes.web_site import JSON, TOKEN, Answered, Site


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def site(home: Path) -> Iterator[Site]:
    with sample_site(home, hostile=False) as site:
        yield site


def test_settings_that_start_programs_or_widen_access_change_only_on_the_command_line(
    site: Site, home: Path
) -> None:
    file = home / ".config/lacuna/config.toml"
    before = file.read_text()

    def post(key: str, value: str | None) -> Answered:
        return site.program("POST", "/api/v1/settings", {"key": key, "value": value})

    for key in (
        "hooks.error",
        "vault",
        "confinement.enabled",
        "vaults.a.hooks.error",
        "models.prices",
        "notifications.ntfy",
        "notifications.include_text",
        "telemetry.endpoint",
        "hub.database",
        "hub.folders",
        "web.mcp",
        "secrets.store",
        "asking.remote_writer",
        "agenda.approval",
        "budget.usd_per_day",
        "notes.exclude",
    ):
        answer = post(key, "x")
        assert (answer.status, key in answer.text) == (403, True), key
    assert post("analysis.stale_days", "soon").status == 409
    assert file.read_text() == before
    assert post("analysis.stale_days", "5").json["value"] == 5
    assert "stale_days = 5" in file.read_text()
    shown = {each["name"]: each for each in site.program("GET", "/api/v1/settings").json}
    stale = shown["analysis.stale_days"]
    assert (stale["value"], stale["from"], stale["is_protected"]) == (5, str(file), False)
    assert shown["notifications.ntfy"]["is_protected"]
    assert post("analysis.stale_days", None).status == 200
    assert set(site.program("PUT", "/api/v1/settings").headers["allow"].split(", ")) >= {
        "GET",
        "POST",
    }


def test_a_backup_is_sent_and_nothing_of_it_stays(site: Site, home: Path) -> None:
    url = f"http://127.0.0.1:{site.port}/api/v1/backup"
    asked = urllib.request.Request(url, b"", {"Authorization": f"Bearer {TOKEN}", **JSON})
    with urllib.request.urlopen(asked) as sent:
        assert sent.headers["content-type"] == "application/gzip"
        with tarfile.open(fileobj=BytesIO(sent.read())) as tar:
            assert {"about.json", "state/lacuna.db"} <= set(tar.getnames())
    assert not list(home.rglob(".backup-*"))


def test_a_run_is_saved_for_reference_managers(site: Site) -> None:
    run = site.program("GET", "/api/v1/runs").json[-1]["run"]
    cited = site.program("GET", f"/api/v1/citations?run={run}").json["sources"]
    bib = site.program("GET", f"/api/v1/save/run.bib?run={run}")
    ris = site.program("GET", f"/api/v1/save/run.ris?run={run}")
    assert bib.text.count("@misc{") == ris.text.count("TY  - ") == len(cited) > 0
    assert all(f"title = {{{each['title']}}}" in bib.text for each in cited)
    assert "attachment" in bib.headers["content-disposition"]
    assert "<graphml" in site.program("GET", f"/api/v1/save/run.graphml?run={run}").text
    assert site.program("GET", f"/api/v1/save/run.exe?run={run}").status == 404
    assert site.program("GET", "/api/v1/save/run.bib?run=none").status == 404


def test_a_digest_is_listed_and_saved_as_a_page_of_its_own(site: Site) -> None:
    [digest] = site.program("GET", "/api/v1/reports").json["notes"]
    page = site.program("GET", f"/api/v1/save/note.html?note={quote(digest['path'])}")
    assert "Content-Security-Policy" in page.text
    assert "tombstone" in page.text
    assert page.headers["content-disposition"].endswith(".html")
    assert site.program("GET", "/api/v1/save/note.md?note=Home.md").status == 404
    shown = site.program("GET", f"/written/{quote(digest['path'])}")
    assert (shown.status, "tombstone" in shown.text) == (200, True)


def test_only_audio_of_the_inbox_is_played(site: Site, home: Path) -> None:
    folder = home / "Notes/Inbox/Research/Audio"
    folder.mkdir(parents=True)
    (folder / "Digest.mp3").write_bytes(b"ID3 sound")
    (folder / "secret.mp3").symlink_to(home / ".config/lacuna/config.toml")
    (folder / "page.html").write_text("<script>1</script>")
    assert site.program("GET", "/api/v1/reports").json["audio"] == ["Digest.mp3"]
    played = site.program("GET", "/api/v1/save/audio/Digest.mp3", range="bytes=4-8")
    assert (played.status, played.text, played.headers["content-type"]) == (
        206,
        "sound",
        "audio/mpeg",
    )
    for name in ("secret.mp3", "page.html", "..%2F..%2FHome.md", "none.mp3"):
        assert site.program("GET", f"/api/v1/save/audio/{name}").status == 404, name


def test_quotes_of_a_finding_are_shown_in_the_text_that_was_read(site: Site) -> None:
    places = [
        place
        for finding in site.program("GET", "/api/v1/findings").json
        for place in site.program("GET", f"/api/v1/quoted-places?id={finding['id']}").json
    ]
    assert len(places) >= 3
    assert all(place["before"] or place["after"] for place in places)


def test_claims_of_a_run_name_their_sources_by_authority(site: Site) -> None:
    run = site.program("GET", "/api/v1/runs").json[-1]["run"]
    found = site.program("GET", f"/api/v1/claims?run={run}").json
    assert any("causally stable" in claim["text"] for claim in _claims(found))
    credibility = [each["credibility"] for each in found["sources"]]
    assert credibility == sorted(credibility, reverse=True)
    numbers = {number for claim in _claims(found) for number in claim["sources"]}
    assert numbers == set(range(1, len(found["sources"]) + 1))
    factors = [each["factors"].values() for each in found["sources"]]
    assert [round(prod(each), 2) for each in factors] == credibility
    assert site.program("GET", "/api/v1/claims?run=none").status == 404


def _claims(found: Any) -> list[Any]:
    return [claim for each in found["questions"] for claim in (*each["agreed"], *each["single"])]


def test_a_task_is_reworded_blocked_and_never_suggested_also_in_the_note_of_its_agenda(
    site: Site, home: Path
) -> None:
    agenda = site.program("POST", "/api/v1/agenda-new", {}).json["agenda"]
    first, second, third, *_ = [task["id"] for task in agenda["tasks"]]
    note = home / "Notes" / agenda["path"]

    def change(task: str, **body: str) -> list[Any]:
        body = {"id": agenda["id"], "task": task, **body}
        changed: Any = site.program("POST", "/api/v1/agenda-change", body).json
        assert "agenda" in changed, changed
        return list(changed["agenda"]["tasks"])

    asked = 'how old is "the oldest" bread\n[[x]]'
    assert change(first, query=asked)[0]["query"] == 'how old is "the oldest" bread [[x]]'
    assert change(second, choice="vetoed")[1]["choice"] == "vetoed"
    assert change(third, choice="never")[2]["choice"] == "never"
    topics = {each["topic"] for each in site.program("GET", "/api/v1/topics").json}
    assert agenda["tasks"][2]["topic"].lower() in topics
    lines = note.read_text().splitlines()
    boxes = {task: line[:5] for line in lines for task in (first, second, third) if task in line}
    assert boxes == {first: "- [x]", second: "- [ ]", third: "- [-]"}
    site.program("POST", "/api/v1/index", {})  # the note is read again, and says the same
    again = site.program("GET", f"/api/v1/agenda?id={agenda['id']}").json["tasks"]
    assert again[0]["query"] == 'how old is "the oldest" bread [[x]]'
    assert [each["choice"] for each in again[:3]] == ["wanted", "vetoed", "never"]
    unknown = {"id": agenda["id"], "task": "00000000", "choice": "vetoed"}
    assert site.program("POST", "/api/v1/agenda-change", unknown).status == 404
    for task in again:
        change(task["id"], choice="vetoed")
    assert site.program("GET", f"/api/v1/agenda?id={agenda['id']}").json["status"] == "cancelled"


def test_sources_say_how_fast_they_answer_how_often_they_are_asked_and_whether_keys_are_set(
    site: Site,
) -> None:
    sources = {each["name"]: each for each in site.program("GET", "/api/v1/sources").json}
    assert sources["library"]["seconds"] >= 0
    assert sources["arxiv"]["seconds"] is None
    assert sources["arxiv"]["limits"] == "one every 3 s"
    assert sources["brave"]["keys"] == {"brave": False}


def test_research_that_is_not_in_progress_cannot_be_stopped(site: Site) -> None:
    assert site.program("POST", "/api/v1/research-stop", {}).status == 409


def test_figures_of_today_are_kept_and_findings_counted_by_week(site: Site) -> None:
    health = site.program("GET", "/api/v1/health").json
    trends = site.program("GET", "/api/v1/trends").json
    [day] = trends["days"]
    assert (day["notes"], day["isolated"]) == (health["notes"], len(health["isolated"]))
    assert sum(day["clusters"]) == sum(len(each["notes"]) for each in health["clusters"])
    found = site.program("GET", "/api/v1/findings").json
    assert [week["found"] for week in trends["weeks"]] == [len(found)]
    assert json.dumps(trends)


def test_a_note_names_all_notes_that_it_links_to_and_that_link_to_it(site: Site) -> None:
    found = site.program("GET", "/api/v1/note?note=Local-first%2FLocal-first%20map.md").json
    assert {"Home", "Inspection app"} <= {each["name"] for each in found["backlinks"]}
    assert {"path": "Local-first/CRDT.md", "name": "CRDT"} in found["links"]


def test_what_is_shown_before_a_schedule_runs_is_what_it_researches(site: Site) -> None:
    shown = site.program("GET", "/api/v1/research-plan?schedule=weekly").json["queries"]
    ran = site.program("POST", "/api/v1/schedule-run", {"name": "weekly"}).json
    agenda = site.program("GET", f"/api/v1/agenda?id={ran['agenda']}").json
    done = [{name: each[name] for name in ("query", "sources")} for each in agenda["tasks"]]
    assert done == shown
    assert shown
