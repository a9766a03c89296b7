"""Every page of real vaults in Chromium, beside the real daemon."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.fakes.page_checks import ARGUMENTS, EACH_TEMPLATE, assert_fits
from tests.fakes.process import ROOT, WITH_WORDS_CHILD, Lacuna
from tests.fakes.served import Served, served

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium")
VAULTS = ROOT / "../shared/data/vaults"
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(not VAULTS.is_dir(), reason="the real vaults are not here"),
    pytest.mark.e2e,
    pytest.mark.timeout(400),
]
IS_LONG = bool(os.environ.get("LACUNA_LONG_TESTS"))
LIBRARY = ROOT / "sample_library"
QUESTIONS = ("how do varroa mites travel between hives", "when may a tombstone be removed")
QUESTION = "what did I write about attention"
MISSING = "/notes/No%20such%20note.md"
MOST_MB = 80


@pytest.fixture(params=["kepano", "jackyzha0"] if IS_LONG else ["kepano"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    vault = tmp_path / "vault"
    shutil.copytree(VAULTS / request.param, vault, copy_function=shutil.copyfile)
    settings = {"library.folder": str(LIBRARY), "embedding.model": "words"}
    lacuna = Lacuna(vault, tmp_path / "home", settings, program=WITH_WORDS_CHILD)
    documents = sum(path.is_file() for path in LIBRARY.rglob("*"))
    with served(lacuna, documents, QUESTIONS) as site:
        lacuna.json("ask", QUESTION, "--thread", QUESTION)
        lacuna.json("agenda", "new")
        yield site


def _single_pages(site: Served) -> Iterator[str]:
    [finding, *_] = site.found("findings?status=pending")
    [run, *_] = site.found("runs")
    [digest, *_] = site.found("reports")["notes"]
    [linked, *_] = site.found("health")["clusters"]
    yield f"/inbox/{finding['id']}"
    yield f"/runs/{run['run']}"
    yield f"/written/{quote(digest['path'])}"
    yield f"/notes/{quote(linked['notes'][0])}"
    yield f"/ask?thread={quote(QUESTION)}"
    yield MISSING


@pytest.mark.long(30)
def test_every_page_of_a_real_vault_is_accessible_and_fits_and_its_server_stays_small(
    site: Served,
) -> None:
    pages = (*EACH_TEMPLATE, *_single_pages(site))
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(bypass_csp=True)
        page.set_default_timeout(60_000)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(f"{page.url}: {error.stack}"))
        page.goto(site.link)
        page.wait_for_url(f"{site.origin}/")
        for path in pages:
            page.goto(f"{site.origin}{path}")
            if path != MISSING:
                assert page.get_by_text("This did not work").count() == 0, page.inner_text("main")
            if path == "/map":
                page.locator("#map[aria-busy=false]").wait_for()
            assert_fits(page, path)
        assert errors == []
        browser.close()
    assert _resident_mb(site.pid) <= MOST_MB


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6
