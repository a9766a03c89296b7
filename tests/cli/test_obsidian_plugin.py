"""The built plugin for Obsidian: its own tests, and in Chromium against the real server."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from daemon.faces.web.access import Access
from tests.fakes.cli import NOTES, Cli, lay_out
from tests.fakes.process import WITH_WORDS_CHILD, Lacuna
from tests.fakes.served import served
from tests.fakes.web_site import TOKEN, Site, serving_vault

PLUGIN = Path(__file__).resolve().parents[2] / "obsidian"
NODE = shutil.which("node")
needs_packages = pytest.mark.skipif(
    NODE is None or not (PLUGIN / "node_modules").is_dir(),
    reason="Node or the packages of the plugin are not here: `npm ci` in obsidian/",
)
CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Page

NOTE = "Baking/Lonely crumb.md"
QUESTION = "why does bread go stale in the fridge"
PAGE = """<!doctype html><html lang="en"><title>Obsidian</title><style>
body { --size-4-2: 8px; --size-4-3: 12px; --size-4-4: 16px; --radius-m: 8px;
  --background-modifier-border: #ddd; --interactive-accent: #7a5cff; --text-muted: #666;
  --font-ui-smaller: 12px; font: 14px sans-serif; width: 340px }
</style><body>"""
START = """async ([text, files, token]) => {
  const module = { exports: {} };
  new Function("require", "module", "exports", text)(() => window.obsidian, module, module.exports);
  const { App, TFile } = window.obsidian;
  const byPath = Object.fromEntries(files.map((path) => [path, new TFile(path)]));
  window.app = new App(byPath, { "lacuna-token": token });
  window.plugin = new module.exports.default(window.app);
  window.plugin.data = { address: "http://127.0.0.1:7431" };
  await window.plugin.onload();
}"""


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=PLUGIN, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_packages
def test_types_review_rules_and_unit_tests_of_the_plugin_pass() -> None:
    run("npm", "run", "check")
    run("npm", "test")


@needs_packages
def test_the_committed_plugin_is_built_from_its_source(tmp_path: Path) -> None:
    assert NODE is not None
    run(NODE, "esbuild.config.mjs", str(tmp_path / "main.js"))
    assert (tmp_path / "main.js").read_text() == (PLUGIN / "main.js").read_text()


def test_versions_of_the_plugin_agree_and_its_code_is_inert() -> None:
    manifest, package = (
        json.loads((PLUGIN / name).read_text()) for name in ("manifest.json", "package.json")
    )
    assert manifest["version"] == package["version"]
    versions = json.loads((PLUGIN / "versions.json").read_text())
    assert versions[manifest["version"]] == manifest["minAppVersion"]
    assert len(manifest["description"]) <= 250
    built = (PLUGIN / "main.js").read_text()
    for refused in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch(", "http://"):
        assert refused not in built.replace("http://127.0.0.1:7431", ""), refused


class Host:
    """What the stub of Obsidian asks for: requests, and the files of the vault."""

    def __init__(self, site: Site, vault: Path) -> None:
        self.site, self.vault = site, vault
        self.is_on = True

    def request(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert asked["url"].startswith("http://127.0.0.1:7431/")
        if not self.is_on:
            raise ConnectionRefusedError
        path = asked["url"].removeprefix("http://127.0.0.1:7431")
        headers = {name.lower(): value for name, value in asked["headers"].items()}
        if "contentType" in asked:
            headers["content-type"] = asked["contentType"]
        answer = self.site(asked["method"], path, asked.get("body"), **headers)
        found = {"status": answer.status, "text": answer.text}
        return found | ({"json": answer.json} if answer.status < 400 else {})

    def read(self, path: str) -> str:
        return (self.vault / path).read_text()

    def write(self, path: str, text: str) -> None:
        (self.vault / path).write_text(text)

    def mark(self, path: str) -> None:
        self.write(path, f"---\nresearch: true\n---\n{self.read(path)}")


@pytest.fixture
def host(ready: Cli, vault: Path) -> Iterator[Host]:
    (vault / "Dry crumb.md").write_text((vault / NOTE).read_text())
    assert ready("index").code == 0
    assert ready("research", QUESTION, "--json").json["findings"]
    with serving_vault(ready) as site:
        yield Host(site, vault)


def caches(vault: Path) -> dict[str, dict[str, object]]:
    """What Obsidian keeps of each finding."""
    found: dict[str, dict[str, object]] = {}
    for path in (vault / "Inbox").rglob("*.md"):
        head, _, body = path.read_text().removeprefix("---\n").partition("\n---\n")
        if body:
            title = body.strip().splitlines()[0].removeprefix("# ")
            found[path.relative_to(vault).as_posix()] = {
                "frontmatter": {key: str(value) for key, value in yaml.safe_load(head).items()},
                "headings": [{"heading": title}],
            }
    return found


@pytest.fixture
def page(host: Host) -> "Iterator[Page]":
    with loaded(host, TOKEN) as page:
        yield page


@contextmanager
def loaded(host: Host, token: str) -> "Iterator[Page]":
    """Load the built plugin on a page with the stub of Obsidian; `NOTE` is open."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 360, "height": 900})
        page.set_default_timeout(30_000)
        for name in ("request", "read", "write", "mark"):
            page.expose_function(f"host_{name}", getattr(host, name))
        page.set_content(PAGE)
        page.add_style_tag(content=(PLUGIN / "styles.css").read_text())
        page.evaluate(
            "window.host = { requestUrl: host_request, read: host_read, write: host_write,"
            " properties: async (path, edit) => {"
            " const found = {}; edit(found); if (found.research === true) await host_mark(path) } }"
        )
        page.evaluate(
            "of => { window.host.cacheOf = (path) => of[path] ?? null }", caches(host.vault)
        )
        stub = (PLUGIN / "tests" / "stub.mjs").read_text()
        page.add_script_tag(
            type="module",
            content=stub
            + "\nwindow.obsidian = { Platform, TFile, requestUrl, Notice, App, Plugin, ItemView,"
            " Modal, ButtonComponent, TextComponent, TextAreaComponent, SecretComponent, Setting,"
            " PluginSettingTab };",
        )
        page.wait_for_function("window.obsidian !== undefined")
        files = [path.relative_to(host.vault).as_posix() for path in host.vault.rglob("*.md")]
        page.evaluate(START, [(PLUGIN / "main.js").read_text(), files, token])
        page.evaluate(f"app.workspace.active = app.files[{json.dumps(NOTE)}]")
        yield page
        browser.close()


def _picture(page: "Page", name: str) -> None:
    """Save what is shown for the documentation, if a folder for that is given."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.locator("body").screenshot(path=Path(folder) / f"{name}.png")


@needs_chromium
def test_findings_are_reviewed_and_a_similar_note_is_linked_in_the_side_pane(
    page: "Page", host: Host
) -> None:
    page.locator(".status-bar-item", has_text="Lacuna: 1 finding").wait_for()
    page.evaluate("plugin.commands['open-inbox'].callback()")
    page.get_by_role("heading", name="Inbox (1)").wait_for()
    card = page.locator(".lacuna-inbox .lacuna-card")
    assert "bread in the fridge" in card.locator("blockquote").inner_text()
    card.get_by_role("button", name="Accept").click()
    page.get_by_text("Nothing is waiting for you.").wait_for()
    assert host.site.program("GET", "/api/v1/findings?status=accepted").json
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="Inbox (1)").wait_for()
    note = page.locator(".lacuna-note")
    note.get_by_role("heading", name="Similar but not linked").wait_for()
    _picture(page, "obsidian-pane")
    linked = note.locator(".lacuna-card a").first.inner_text()
    note.get_by_role("button", name="Add link").first.click()
    page.wait_for_function("host.notices?.some((each) => each.startsWith('Linked to'))")
    assert host.read(NOTE).rstrip().endswith("]]")
    assert linked in host.read(NOTE).splitlines()[-1]


@needs_chromium
def test_a_note_is_researched_after_its_queries_were_shown(page: "Page", host: Host) -> None:
    page.evaluate("plugin.commands['research-note'].checkCallback(false)")
    window = page.get_by_role("dialog")
    window.get_by_role("button", name="Start").wait_for()
    assert window.get_by_role("checkbox").count() >= 1
    _picture(page, "obsidian-agenda")
    planned = host.site.program("GET", "/api/v1/agendas").json
    assert [each["status"] for each in planned] == ["proposed"]
    window.get_by_role("button", name="Start").click()
    window.wait_for(state="detached")
    assert "starts when the daemon does" in page.evaluate("host.notices.at(-1)")


@needs_chromium
def test_a_question_is_answered_with_links_to_notes(page: "Page") -> None:
    page.evaluate("plugin.commands.ask.callback()")
    page.get_by_label("Question").fill("what raises the dough of sourdough?")
    page.keyboard.press("Enter")
    link = page.locator(".lacuna-card a").first
    link.wait_for()
    link.click()
    assert page.evaluate("app.workspace.opened.at(-1)").split("#")[0].endswith(".md")


@needs_chromium
def test_without_the_server_a_note_can_be_marked_and_the_pane_says_so(
    page: "Page", host: Host
) -> None:
    host.is_on = False
    page.evaluate("plugin.commands['research-note'].checkCallback(false)")
    window = page.get_by_role("dialog")
    window.get_by_text("Lacuna is not running").wait_for()
    window.get_by_role("button", name="Add the property").click()
    window.wait_for(state="detached")
    assert host.read(NOTE).startswith("---\nresearch: true\n---\n")
    page.evaluate("plugin.commands['open-inbox'].callback()")
    page.get_by_text("Your decisions are ticked in the files").wait_for()
    page.get_by_role("heading", name="Inbox (1)").wait_for()
    page.locator(".lacuna-inbox .lacuna-card").get_by_role("button", name="Dismiss").click()
    page.get_by_text("Nothing is waiting for you.").wait_for()
    assert any("- [x] Dismiss" in path.read_text() for path in host.vault.rglob("*.md"))


@needs_chromium
def test_beside_the_daemon_the_pane_shows_the_gaps_of_a_note_and_the_settings_that_it_runs(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path / "vault", NOTES)
    lacuna = Lacuna(tmp_path / "vault", tmp_path / "lacuna", program=WITH_WORDS_CHILD)
    with served(lacuna, 0, ()) as site:
        [gap, *_] = [each for each in site.found("gaps") if each["note"]]
        port = int(site.origin.rpartition(":")[2])
        host = Host(Site(port, Access(lambda: "")), lacuna.vault)
        with loaded(host, (lacuna.state / "web-token").read_text()) as page:
            page.evaluate(f"app.workspace.active = app.files[{json.dumps(gap['note'])}]")
            page.evaluate("plugin.commands['open-inbox'].callback()")
            page.get_by_role("heading", name="Gaps").wait_for()
            card = page.locator(".lacuna-note .lacuna-card", has_text=gap["why"])
            card.get_by_role("button", name="Never").click()
            card.wait_for(state="detached")
            assert [each["topic"] for each in site.found("topics")] == [gap["topic"].lower()]
            page.evaluate("document.body.append(plugin.tab.containerEl)")
            page.evaluate("plugin.tab.display()")
            page.get_by_role("button", name="Test").click()
            page.get_by_text(f"Connected to {lacuna.vault}. The daemon runs.").wait_for()
