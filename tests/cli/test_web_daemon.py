"""The page of the real `lacuna web` beside the real daemon, in Chromium."""

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daemon.model.audio import AudioFormat
from tests.fakes.cli import LIBRARY, NOTES, lay_out
from tests.fakes.process import WITH_WORDS_CHILD, Lacuna
from tests.fakes.served import Served, served

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
soundfile = pytest.importorskip("soundfile", reason="soundfile is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Page
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

TOPICS = (
    "bread goes stale because starch in its crumb turns back into crystals",
    "wild yeast and bacteria raise the dough of sourdough",
)
BOOK = {
    "sourdough.md": (
        "# Wild yeast raises sourdough\n\nWild yeast and bacteria raise the dough of sourdough, and"
        " the acids of the bacteria keep moulds away from the bread for days.\n"
    )
}
GRAPH = {  # of an earlier version: it does not say what findings cite
    "works": [
        {"key": "doi:10.1/a", "title": "Starch <b>retrogrades</b>", "published": "1987"},
        {"key": "doi:10.1/b", "title": "Amylopectin", "published": "1996", "pagerank": 0.4},
    ],
    "citations": [{"citing": "doi:10.1/b", "cited": "doi:10.1/a", "sources": ["crossref"]}],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    lay_out(home / "vault", NOTES)
    (home / "vault/.obsidian").mkdir()
    lay_out(home / "library", LIBRARY | BOOK)
    settings = {"library.folder": str(home / "library")}
    lacuna = Lacuna(home / "vault", home / "lacuna", settings, program=WITH_WORDS_CHILD)
    with served(lacuna, 2, TOPICS) as site:
        yield site


@pytest.fixture(scope="module")
def page(site: Served) -> "Iterator[Page]":
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 800})
        page.set_default_timeout(30_000)
        page.goto(site.link)
        page.wait_for_url(f"{site.origin}/")
        yield page
        browser.close()


def test_all_findings_that_are_shown_are_dismissed_at_once_and_come_back_by_undo(
    page: "Page", site: Served
) -> None:
    page.goto(f"{site.origin}/inbox")
    rows = page.locator("#findings li")
    waiting = rows.count()
    assert waiting >= 2
    page.get_by_role("button", name="Dismiss all shown").click()
    assert page.locator("#ask-lines li").count() == waiting
    page.locator("#ask-no").click()
    assert rows.count() == waiting
    page.get_by_role("button", name="Dismiss all shown").click()
    page.locator("#ask-yes").click()
    page.locator("#message", has_text=f"Dismissed: {waiting} findings").wait_for()
    assert rows.count() == 0
    assert len(site.found("findings?status=dismissed")) == waiting
    page.get_by_role("button", name="Undo").click()
    rows.nth(waiting - 1).wait_for()
    assert len(site.found("findings?status=pending")) == waiting


def test_findings_are_filtered_and_never_suggested_again_by_keyboard(
    page: "Page", site: Served
) -> None:
    page.goto(f"{site.origin}/inbox")
    rows = page.locator("#findings li:visible")
    waiting = rows.count()
    page.get_by_label("Filter by words").fill("accept")  # what every button says
    assert rows.count() == 0
    page.get_by_label("Filter by words").fill("yeast")
    assert rows.count() == 1
    title = rows.locator("a").inner_text()
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("n")
    rows.first.wait_for(state="hidden")
    assert [each["until"] for each in site.found("topics")].count(None) == 1
    page.keyboard.press("u")
    page.locator("#findings li").nth(waiting - 1).wait_for()
    assert title in [each["title"] for each in site.found("findings?status=pending")]


def test_a_run_is_replayed_from_its_page_and_its_notes_are_the_same(
    page: "Page", site: Served
) -> None:
    run = site.found("runs")[0]["run"]
    page.goto(f"{site.origin}/runs/{run}")
    page.get_by_role("button", name="Replay").click()
    page.locator("#message", has_text="All 3 notes came out the same").wait_for()
    assert page.locator("#replayed li", has_text="the same, byte for byte").count() == 3
    assert list((site.lacuna.state / "replays" / run).glob("*.md"))


def test_a_schedule_is_paused_and_resumed(page: "Page", site: Served) -> None:
    page.goto(f"{site.origin}/schedules")
    page.get_by_role("button", name="Pause weekly").click()
    page.get_by_role("button", name="Resume weekly").wait_for()
    assert site.found("schedules")[0]["paused_at"] is not None
    page.get_by_role("button", name="Resume weekly").click()
    page.get_by_role("button", name="Pause weekly").wait_for()
    assert site.found("schedules")[0]["paused_at"] is None


def test_the_citation_graph_of_a_run_is_drawn_and_listed(page: "Page", site: Served) -> None:
    run = site.found("runs")[0]["run"]
    file = site.lacuna.state / "runs" / run / "citations.json"
    file.write_text(json.dumps(GRAPH))
    page.goto(f"{site.origin}/runs/{run}")
    page.locator("#citations svg circle").nth(1).wait_for()
    drawn = page.locator("#citations")
    assert drawn.locator("text").all_text_contents() == ["1987", "1996"]
    assert drawn.locator("path.line").count() == 1
    assert drawn.locator("title").first.text_content() == "Starch <b>retrogrades</b>, 1987"
    assert drawn.locator("b").count() == 0
    sizes = [float(each.get_attribute("r") or 0) for each in drawn.locator("circle").all()]
    assert sizes[1] > sizes[0]
    page.get_by_text("The works as a list").click()
    assert page.locator("details li", has_text="Amylopectin").is_visible()


def test_a_report_that_was_read_aloud_is_played_faster_and_in_steps(
    page: "Page", site: Served
) -> None:
    folder = site.lacuna.vault / "Inbox" / "Research" / "Audio"
    folder.mkdir(parents=True, exist_ok=True)
    _write_tone(folder / f"2026-11-21 Bread{AudioFormat.OPUS.suffix}", seconds=60)
    page.goto(f"{site.origin}/reports")
    player = page.locator("audio")
    assert player.evaluate(
        "audio => new Promise(done => { audio.onloadedmetadata = () => done(audio.duration);"
        " audio.onerror = () => done(-1); audio.preload = 'auto'; audio.load(); })"
    ) == pytest.approx(60, abs=1)
    page.get_by_role("button", name="On 30 s").click()
    page.get_by_role("button", name="Back 15 s").click()
    assert player.evaluate("audio => audio.currentTime") == pytest.approx(15, abs=0.5)
    page.get_by_label("Speed").select_option("1.5")
    assert player.evaluate("audio => audio.playbackRate") == 1.5


def _write_tone(file: Path, seconds: int, rate: int = 16_000) -> None:
    period = [0.2 * math.sin(2 * math.pi * at / 40) for at in range(40)]
    soundfile.write(file, period * (seconds * rate // 40), rate, format="OGG", subtype="OPUS")
