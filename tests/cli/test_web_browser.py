"""Every page in Chromium: signing in, deciding by keyboard, hostile notes, and accessibility."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fakes.cli import Cli
from tests.fakes.web_site import Site, serving_vault

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

PAGES = (
    *("/", "/inbox", "/ask?question=sourdough+starter", "/search?query=sourdough", "/research"),
    *("/health", "/runs", "/library", "/sources", "/schedules", "/topics", "/privacy"),
)
QUESTION = "why does bread go stale in the fridge"
HOSTILE = """<script>document.title="ran"</script> <img src=x onerror=document.title="ran">
<svg onload=document.title="ran"> [a](javascript:document.title="ran") ![](http://127.0.0.2/p.png)
[[<img src=x onerror=document.title="ran">|"><script>document.title="ran"</script>]]
> [!info] <script>document.title="ran"</script>
> <iframe src="http://127.0.0.2/"></iframe>
sourdough starter
"""


@pytest.fixture
def site(ready: Cli, vault: Path) -> Iterator[Site]:
    """The page of a vault with a hostile note, and with findings."""
    (vault / "Evil 'note' & co.md").write_text(f"# {HOSTILE}\n\n{HOSTILE}\n[[Missing <b>x</b>]]\n")
    assert ready("research", QUESTION, "--json").json["findings"]
    with serving_vault(ready) as site:
        yield site


@pytest.fixture
def chromium(site: Site) -> "Iterator[Browser]":
    """Playwright runs a loop of asyncio in this thread: commands are called before it."""
    assert site
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: "Browser", site: Site) -> "Iterator[Page]":
    """A browser that has opened the login link."""
    context = chromium.new_context(viewport={"width": 900, "height": 800})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"http://127.0.0.1:{site.port}/login#{site.access.new_code()}")
    page.wait_for_url(f"http://127.0.0.1:{site.port}/")
    yield page
    context.close()


def test_a_login_link_signs_in_once(page: "Page", site: Site) -> None:
    assert page.get_by_role("heading", level=1).inner_text() == "Today"
    page.goto(f"http://127.0.0.1:{site.port}/login#used-or-invented")
    page.get_by_text("This link was used before or is too old").wait_for()


def test_hostile_notes_run_no_script_and_load_nothing(page: "Page", site: Site) -> None:
    own, outside = f"http://127.0.0.1:{site.port}/", []
    page.on("request", lambda sent: outside.append(sent.url))
    page.on("dialog", lambda dialog: outside.append(dialog.message))
    finding = json.loads(site.program("GET", "/api/v1/findings").text)[0]["id"]
    for path in (*PAGES, f"/inbox/{finding}", "/notes/Evil%20'note'%20%26%20co.md"):
        page.goto(own + path[1:])
        assert page.locator("nav").count() == 1, path
        assert "ran" not in page.title(), path
        assert page.locator("main script, main img, main iframe, main svg").count() == 0, path
    assert [url for url in outside if not url.startswith(own)] == []


def test_findings_are_decided_and_undone_by_keyboard(page: "Page", site: Site) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/inbox")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/inbox/."))
    page.keyboard.press("a")
    page.wait_for_url(re.compile("/inbox$"))
    page.get_by_text("Nothing is waiting for you.").wait_for()
    assert json.loads(site.program("GET", "/api/v1/findings?status=accepted").text)
    page.keyboard.press("u")
    page.locator("#findings li").wait_for()
    assert not json.loads(site.program("GET", "/api/v1/findings?status=accepted").text)


def test_a_topic_is_researched_from_the_page(page: "Page", site: Site) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/research")
    page.get_by_label("Topic, question or URL").fill("what makes bread go stale")
    page.get_by_role("button", name="Research", exact=True).click()
    page.wait_for_url(re.compile("/runs/."))
    assert "stale" in page.get_by_role("heading", level=1).inner_text()


@pytest.mark.parametrize("width", [360, 900])
def test_pages_fit_and_axe_finds_no_fault(chromium: "Browser", site: Site, width: int) -> None:
    """Axe is injected, which the content security policy forbids pages to do."""
    context = chromium.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"http://127.0.0.1:{site.port}/login#{site.access.new_code()}")
    page.wait_for_url(f"http://127.0.0.1:{site.port}/")
    for path in PAGES:
        page.goto(f"http://127.0.0.1:{site.port}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        found = axe.Axe().run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
    context.close()
