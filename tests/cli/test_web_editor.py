"""*Open in the editor*: the page of a vault without Obsidian, and the program that it starts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.faces.web.access import Access
from daemon.host.open_notes import opened
from tests.fakes.cli import Cli
from tests.fakes.process import ROOT, WITHOUT_MODEL, Lacuna
from tests.fakes.web_site import JSON, Site, serving_vault

OPENS = "open" if sys.platform == "darwin" else "xdg-open"
NOTE = "Baking/Steam in the oven.md"


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's program: it adds a line to the file that it opens."""
    program = tmp_path / "programs" / OPENS
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$#" = 1 ] && echo "saved by the editor" >> "$1"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program


def _sent(site: Site, path: str) -> tuple[int, str]:
    [token] = re.findall(r'name="lacuna-token" content="([^"]+)"', site("GET", "/topics").text)
    answer = site("POST", "/open-note", json.dumps({"path": path}), x_lacuna_token=token, **JSON)
    return answer.status, answer.text


def test_a_page_opens_only_notes_of_the_index_and_only_with_the_form_token(ready: Cli) -> None:
    asked: list[str] = []
    with serving_vault(ready, open_note=asked.append) as site:
        site.sign_in()
        page = site("GET", "/notes/Baking/Steam%20in%20the%20oven.md").text
        assert "file:" not in page
        assert f'data-open="{NOTE}"' in page
        assert f"<code>{NOTE}</code>" in page
        answer = site("GET", "/ask?question=what+does+steam+keep+soft").text
        assert "data-open=" in answer
        assert "file:" not in answer
        assert site("POST", "/open-note", f'{{"path": "{NOTE}"}}', **JSON).status == 403
        assert site("GET", "/open-note").status == 405
        for wrong in ("../config.toml", "/etc/passwd", "Steam in the oven", "--help", "nope.md"):
            assert _sent(site, wrong)[0] == 404, wrong
        assert asked == []
        assert _sent(site, NOTE)[0] == 200
    assert asked == [NOTE]


def test_a_server_that_opens_no_notes_shows_the_path_and_no_dead_link(ready: Cli) -> None:
    with serving_vault(ready) as site:
        site.sign_in()
        page = site("GET", "/notes/Baking/Steam%20in%20the%20oven.md").text
        assert "Open in the editor" not in page
        assert "file:" not in page
        assert f"<code>{NOTE}</code>" in page
        assert _sent(site, NOTE)[0] == 404


def test_a_vault_of_obsidian_has_a_link_to_obsidian(ready: Cli, vault: Path) -> None:
    (vault / ".obsidian").mkdir()
    with serving_vault(ready, open_note=lambda _path: None) as site:
        site.sign_in()
        page = site("GET", "/notes/Baking/Steam%20in%20the%20oven.md").text
    assert 'class="button" href="obsidian://open?vault=' in page
    assert "data-open" not in page


def test_the_program_gets_one_file_of_the_vault_and_its_failure_is_told(
    tmp_path: Path, editor: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "-rf $(x) 'a.md").write_text("")
    assert opened(vault, "-rf $(x) 'a.md") == ""
    assert (vault / "-rf $(x) 'a.md").read_text() == "saved by the editor\n"
    outside = tmp_path / "outside.md"
    outside.write_text("")
    (vault / "link.md").symlink_to(outside)
    (vault / "run.sh").write_text("")
    for wrong in ("../outside.md", "link.md", "run.sh", "gone.md", str(outside)):
        assert opened(vault, wrong) == "this is no note of the vault"
    assert outside.read_text() == ""
    editor.write_text("#!/bin/sh\nexit 3\n")
    assert "exit code 3" in opened(vault, "-rf $(x) 'a.md")


@pytest.mark.usefixtures("editor")
def test_an_editor_that_a_confined_server_starts_can_save(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Bread.md").write_text("# Bread\n\nFlour and water.\n")
    lacuna = Lacuna(vault, tmp_path / "home", program=WITHOUT_MODEL)
    assert lacuna.call("index").returncode == 0
    with subprocess.Popen(
        lacuna.arguments("web", "--port", "0"),
        env=lacuna.environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().partition("127.0.0.1:")[2].partition("/")[0])
            site = Site(port, Access(lambda: "", port=port))
            token = (lacuna.state / "web-token").read_text().strip()
            headers = {"authorization": f"Bearer {token}", **JSON}
            answer = site("POST", "/open-note", '{"path": "Bread.md"}', **headers)
            assert answer.status == 200, answer.text
        finally:
            server.terminate()
    assert (vault / "Bread.md").read_text().endswith("saved by the editor\n")
