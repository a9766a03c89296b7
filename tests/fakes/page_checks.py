"""What must be true of every page in a browser: axe, the keyboard, 200 % zoom, and a phone."""

from typing import TYPE_CHECKING, Any

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Page

# Chromium draws WebGL without a graphics card.
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
PAGES = (
    *("/", "/inbox", "/ask?question=sourdough+starter", "/search?query=sourdough", "/research"),
    *("/health", "/health/gaps", "/map", "/runs", "/library", "/sources", "/schedules", "/topics"),
    *("/privacy", "/reports", "/settings", "/doctor"),
    *("/inbox?status=dismissed", "/library?query=bees"),
)
EACH_TEMPLATE = PAGES[:17]
_MARK = """() => {
    const controls = "a[href], button, input, select, textarea, summary, [tabindex='0']";
    const all = [...document.querySelectorAll(controls)];
    window.unreached = all.filter((each) => !each.disabled && each.checkVisibility());
    document.activeElement.blur();
}"""
_REACH = """() => {
    const here = document.activeElement;
    const radios = (each) => each.type === "radio" && each.name && each.name === here.name;
    const outline = getComputedStyle(here).outlineStyle;
    const isSeen = here === document.body || outline !== "none" || here.matches(".skip, audio");
    window.unreached = window.unreached.filter((each) => each !== here && !radios(each));
    const unseen = isSeen ? "" : here.outerHTML.slice(0, 80);
    return [window.unreached.length, here === document.body, unseen];
}"""
_LEFT = "() => window.unreached.map((each) => each.outerHTML.slice(0, 90))"
_MOST_TABS = 400


def assert_no_fault(page: "Page", path: str, **options: Any) -> None:
    """Have axe look at a page; the policy of the page must be bypassed."""
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **options})
    assert found.violations_count == 0, f"{path}: {found.generate_report()}"


def assert_reached_by_tab(page: "Page", path: str) -> None:
    """Press Tab until every control had the focus, each with a visible outline."""
    page.evaluate(_MARK)
    for _ in range(_MOST_TABS):
        page.keyboard.press("Tab")
        left, is_over, unseen = page.evaluate(_REACH)
        assert unseen == "", f"{path}: no outline at {unseen}"
        if left == 0 or is_over:
            break
    else:
        return  # a long list: those at its end are like those before
    assert page.evaluate(_LEFT) == [], path


def assert_fits(page: "Page", path: str) -> None:
    """Look at a loaded page as on a laptop, at 200 % zoom, by keyboard, and on a dark phone."""
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 860})
    assert_no_fault(page, path)
    assert_reached_by_tab(page, path)
    page.set_viewport_size({"width": 640, "height": 400})  # a laptop's 1280 at 200 %
    assert page.evaluate("document.documentElement.scrollWidth") <= 640, path
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    assert_no_fault(page, path, runOnly=["color-contrast", "scrollable-region-focusable"])
