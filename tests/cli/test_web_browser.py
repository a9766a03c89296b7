"""Every page in Chromium: signing in, deciding by keyboard, hostile notes, and accessibility."""

import json
import re
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.sample_site import HOSTILE_NOTE, sample_site
from tests.fakes.web_site import Site

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

PAGES = (
    *("/", "/inbox", "/ask?question=sourdough+starter", "/search?query=sourdough", "/research"),
    *("/health", "/map", "/runs", "/library", "/sources", "/schedules", "/topics", "/privacy"),
    *("/reports", "/settings", "/doctor"),
)
# Chromium draws WebGL without a graphics card.
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with sample_site(tmp_path_factory.mktemp("home")) as site:
        yield site


@pytest.fixture(scope="module")
def chromium(site: Site) -> "Iterator[Browser]":
    """Playwright runs a loop of asyncio in this thread: commands are called before it."""
    assert site
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def signed_in(chromium: "Browser", site: Site) -> "Iterator[BrowserContext]":
    """A browser that has opened the login link. Axe is injected, which the policy forbids pages."""
    context = chromium.new_context(viewport={"width": 900, "height": 800}, bypass_csp=True)
    context.set_default_timeout(60_000)
    _sign_in(context.new_page(), site)
    yield context
    context.close()


@pytest.fixture
def page(chromium: "Browser", site: Site) -> "Iterator[Page]":
    """A browser of its own that has opened the login link."""
    context = chromium.new_context(viewport={"width": 900, "height": 800})
    context.set_default_timeout(60_000)
    page = context.new_page()
    _sign_in(page, site)
    yield page
    context.close()


def _sign_in(page: "Page", site: Site) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/login#{site.access.new_code()}")
    page.wait_for_url(f"http://127.0.0.1:{site.port}/")


def _finding(site: Site) -> str:
    found: str = json.loads(site.program("GET", "/api/v1/findings?status=pending").text)[0]["id"]
    return found


def _single_pages(site: Site) -> tuple[str, ...]:
    """Return a page of each kind that has many."""
    run = json.loads(site.program("GET", "/api/v1/runs").text)[0]["run"]
    note = "/notes/Evil%20'note'%20%26%20co.md"
    assert HOSTILE_NOTE == "Evil 'note' & co.md"
    return f"/inbox/{_finding(site)}", f"/runs/{run}", note


def test_a_login_link_signs_in_once(page: "Page", site: Site) -> None:
    assert page.get_by_role("heading", level=1).inner_text() == "Today"
    page.goto(f"http://127.0.0.1:{site.port}/login#used-or-invented")
    page.get_by_text("This link was used before or is too old").wait_for()


def test_hostile_notes_run_no_script_and_load_nothing(page: "Page", site: Site) -> None:
    own = f"http://127.0.0.1:{site.port}/"
    outside: list[str] = []
    page.on("request", lambda sent: outside.append(sent.url))
    page.on("dialog", lambda dialog: outside.append(dialog.message))
    page.on("console", lambda line: outside.append(line.text) if line.type == "error" else None)
    for path in (*PAGES, *_single_pages(site)):
        page.goto(own + path[1:], wait_until="load")
        assert page.locator("nav#pages").count() == 1, path
        assert "ran" not in page.title(), path
        assert page.locator("main script, main img, main iframe, main svg").count() == 0, path
        if path == "/map":  # its lists are made by a script
            page.locator("#map[data-drawn]").wait_for()
            page.get_by_label("Find a note on the map").fill("<img")
            page.get_by_role("button", name="<img").first.wait_for()
            assert page.locator("main img").count() == 0
    assert [url for url in outside if not url.startswith(own)] == []


def test_the_map_is_drawn_searched_and_walked_by_keyboard(page: "Page", site: Site) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/map")
    page.locator("#map[data-drawn]").wait_for()
    assert int(page.locator("#map").get_attribute("data-drawn") or 0) > 50
    page.get_by_label("Find a note on the map").fill("local-first map")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Local-first map").wait_for()
    assert page.locator("#neighbours li").count() > 5
    page.get_by_label("Meaning").check()
    page.get_by_label("Similar but not linked").check()
    page.locator("#map").focus()
    for key in ("ArrowLeft", "+", "0"):
        page.keyboard.press(key)
    page.locator("#neighbours button").first.focus()
    page.keyboard.press("Enter")
    page.locator("#selected:focus").wait_for()


def test_findings_are_decided_and_undone_by_keyboard(page: "Page", site: Site) -> None:
    waiting = len(json.loads(site.program("GET", "/api/v1/findings?status=pending").text))
    page.goto(f"http://127.0.0.1:{site.port}/inbox")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/inbox/."))
    decided = page.url
    page.keyboard.press("a")
    page.wait_for_url(lambda url: url != decided)
    page.locator("#message").wait_for(state="attached")
    assert json.loads(site.program("GET", "/api/v1/findings?status=accepted").text)
    page.goto(f"http://127.0.0.1:{site.port}/inbox")
    page.keyboard.press("u")
    page.wait_for_function(
        "n => document.querySelectorAll('#findings li').length === n", arg=waiting
    )
    assert not json.loads(site.program("GET", "/api/v1/findings?status=accepted").text)


def test_a_topic_is_researched_from_the_page(page: "Page", site: Site) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/research")
    page.get_by_label("Topics, questions or addresses").fill("what makes bread go stale")
    page.get_by_role("button", name="Research", exact=True).click()
    assert "Nothing leaves this machine" in page.locator("#ask-lines").inner_text()
    page.locator("#ask-yes").click()
    page.wait_for_url(re.compile("/runs/."))
    assert "stale" in page.get_by_role("heading", level=1).inner_text()


def test_pages_fit_a_phone_and_axe_finds_no_fault(signed_in: "BrowserContext", site: Site) -> None:
    """In light and dark; 360 points are also what a laptop has at more than 200 %."""
    page = signed_in.pages[0]
    for path in (*PAGES, *_single_pages(site)):
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1000, "height": 800})
        page.goto(f"http://127.0.0.1:{site.port}{path}")
        if path == "/map":
            page.locator("#map[data-drawn]").wait_for()
        _assert_no_fault(page, path)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 360, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        _assert_no_fault(page, path, runOnly=["color-contrast", "scrollable-region-focusable"])


def test_a_setting_is_changed_on_the_page_and_a_wrong_value_is_refused(
    page: "Page", site: Site
) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/settings")
    page.get_by_label("Find a setting").fill("agenda.veto_hours")
    place = page.locator("[id='agenda.veto_hours']")
    place.get_by_text("Change").click()
    place.get_by_label("New value").fill("never")
    page.keyboard.press("Enter")
    page.locator("#message", has_text="veto_hours").wait_for()
    place.get_by_label("New value").fill("7")
    page.keyboard.press("Enter")
    page.locator("#message", has_text="Saved agenda.veto_hours").wait_for()
    assert "changed" in place.inner_text()


def _assert_no_fault(page: "Page", path: str, **options: Any) -> None:
    found = axe.Axe().run(page, options=options)
    assert found.violations_count == 0, f"{path}: {found.generate_report()}"
