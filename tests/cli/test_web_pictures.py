"""Pictures of each page for the documentation, and each page judged by Lighthouse; on request.

SCREENSHOTS=docs/images pytest tests/cli/test_web_pictures.py
LIGHTHOUSE=node_modules/.bin/lighthouse pytest tests/cli/test_web_pictures.py
"""

import json
import os
import shutil
import sqlite3
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from daemon.model.health_kinds import HealthList
from tests.fakes.sample_site import sample_site
from tests.fakes.web_site import Site

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Page
CHROMIUM = shutil.which("chromium")
FOLDER, LIGHTHOUSE = os.environ.get("SCREENSHOTS"), os.environ.get("LIGHTHOUSE")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(not (FOLDER or LIGHTHOUSE), reason="neither pictures nor Lighthouse wanted"),
]
PAGES = {
    "today": "/",
    "inbox": "/inbox",
    "search": "/search?query=circadian",
    "research": "/research?topic=why+does+bread+go+stale",
    "health": "/health",
    "map": "/map",
    "reports": "/reports",
    "library": "/library?query=mites",
    "runs": "/runs",
    "schedules": "/schedules",
    "topics": "/topics",
    "sources": "/sources",
    "privacy": "/privacy",
    "settings": "/settings",
    "doctor": "/doctor",
}
QUESTION = "what is the half-life of caffeine?"
WIDTH, HEIGHT = 1280, 860


# The folder of the test is no part of a picture.
RENAME = """([from, to]) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(from, to);
}"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def site(home: Path) -> Iterator[Site]:
    """The sample vault with findings, a plan, a report, a thread, and three weeks of figures."""
    with sample_site(home, hostile=False) as site:
        run = site.program("GET", "/api/v1/runs").json[0]["run"]
        for name, body in (
            ("agenda-new", {}),
            ("report", {"run": run}),
            ("asked", {"question": QUESTION, "thread": QUESTION}),
        ):
            assert site.program("POST", f"/api/v1/{name}", body).status < 300
        site.program("GET", "/api/v1/health")
        _earlier_figures(home)
        yield site


def _earlier_figures(home: Path) -> None:
    [file] = home.rglob("lacuna.db")
    with sqlite3.connect(file) as db:
        [(text,)] = db.execute("SELECT body FROM health_days").fetchall()
        for ago in range(1, 22):
            day, now = (datetime.now(UTC) - timedelta(days=ago)).date(), json.loads(text)
            earlier = {
                **now,
                "links": now["links"] - 2 * ago,
                "isolated": now["isolated"] + ago // 4,
                "unresolved": now["unresolved"] + ago // 5,
            }
            db.execute("INSERT INTO health_days VALUES (?, ?)", (str(day), json.dumps(earlier)))


def _addresses(site: Site) -> dict[str, str]:
    """Return the address of each page, and one of each kind that has many."""
    run = site.program("GET", "/api/v1/runs").json[0]["run"]
    finding = site.program("GET", "/api/v1/findings?status=pending").json[0]["id"]
    digest = site.program("GET", "/api/v1/reports").json["notes"][0]["path"]
    single = {
        "finding": f"/inbox/{quote(finding)}",
        "run": f"/runs/{quote(run)}",
        "ask": f"/ask?thread={quote(QUESTION)}",
        "note": "/notes/Local-first%2FLocal-first%20map.md",
        "written": f"/written/{quote(digest)}",
    }
    return PAGES | single


@pytest.mark.skipif(not FOLDER, reason="no pictures wanted")
def test_each_page_is_pictured(site: Site, home: Path) -> None:
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(60_000)
        page.goto(f"http://127.0.0.1:{site.port}/login#{site.access.new_code()}")
        page.wait_for_url(f"http://127.0.0.1:{site.port}/")
        for name, address in _addresses(site).items():
            _picture(page, site, home, name, address)
        page.emulate_media(color_scheme="dark")
        _picture(page, site, home, "today-dark", "/")
        page.set_viewport_size({"width": 390, "height": 800})
        _picture(page, site, home, "inbox-phone", "/inbox")
        browser.close()


def _picture(page: "Page", site: Site, home: Path, name: str, address: str) -> None:
    page.goto(f"http://127.0.0.1:{site.port}{address}")
    if name == "map":
        page.locator("#map[data-links]").wait_for()
    if name == "doctor":
        page.locator("#attention, #passed").first.wait_for()
    if name == "ask":
        page.locator("a.cite").first.hover()
    page.wait_for_timeout(600)  # for what moves
    page.evaluate(RENAME, [str(home), "/home/you"])
    size = page.viewport_size
    assert size is not None
    clip = {"x": 0, "y": 0, **size, "scale": 1}
    asked = {"format": "webp", "quality": 60, "clip": clip}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    body = b64decode(taken["data"])
    assert len(body) > 4_000
    (Path(FOLDER or "") / f"page-{name}.webp").write_bytes(body)


@pytest.mark.skipif(not LIGHTHOUSE, reason="Lighthouse is not wanted")
@pytest.mark.timeout(1800)
def test_lighthouse_finds_every_page_accessible(site: Site, tmp_path: Path) -> None:
    site.sign_in()
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in site.cookies.items())}
    file = tmp_path / "headers.json"
    file.write_text(json.dumps(headers))
    lists = {f"health-{each}": f"/health/{each}" for each in HealthList}
    pages = _addresses(site) | lists | {"login": "/login"}
    found = {
        name: _scores(f"http://127.0.0.1:{site.port}{address}", file, tmp_path / f"{name}.json")
        for name, address in pages.items()
    }
    assert {name for name, each in found.items() if each["accessibility"] < 1} == set()
    assert {name for name, each in found.items() if each["best-practices"] < 0.95} == set()


def _scores(address: str, headers: Path, into: Path) -> dict[str, float]:
    flags = "--headless=new --no-sandbox --disable-quic --disable-background-networking"
    command = [
        *(str(LIGHTHOUSE), address, "--quiet", "--preset=desktop", "--throttling-method=provided"),
        *("--only-categories=accessibility,best-practices", "--output=json"),
        *(f"--output-path={into}", f"--extra-headers={headers}", f"--chrome-flags={flags}"),
    ]
    environment = {**os.environ, "CHROME_PATH": str(CHROMIUM)}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    found = json.loads(into.read_text())["categories"]
    return {name: each["score"] for name, each in found.items()}
