"""`lacuna report`: a run becomes a report in the inbox, once, without any request."""

import re
from pathlib import Path

import frontmatter
import yaml

from tests.fakes.cli import Cli, contents

QUESTION = "why does bread go stale in the fridge"
INBOX = "Inbox/Research"


def test_a_topic_is_researched_and_reported_and_the_report_is_reviewed(
    ready: Cli, vault: Path
) -> None:
    before = {path: data for path, data in contents(vault).items() if not path.startswith(INBOX)}
    found = ready("report", QUESTION, "--json").json
    assert found["is_new"]
    assert found["research"]["run"] == found["run"]
    [finding] = found["research"]["findings"]
    path = vault / found["path"]
    assert path.parent == vault / INBOX / "Reports"
    note = frontmatter.load(str(path))
    assert (note["type"], note["status"], note["run"]) == ("report", "pending", found["run"])
    assert note["topic"] == "Why does bread go stale in the fridge"
    key, *_ = found["key_findings"]
    assert key["note"] == finding["path"]
    assert key["url"] in found["sources"]
    stem = Path(finding["path"]).stem
    assert f"**Notes made:** [[{stem}]]" in note.content
    assert f"- [ ] Accept or dismiss: [[{stem}]]" in note.content
    shown = note.content.partition("## Report")[2]
    assert key["text"] in shown.replace("\\", "")
    assert shown.index("## Gaps") < shown.index("## Sources") < shown.index("## Review")
    assert {each: contents(vault)[each] for each in before} == before
    tasks = (vault / found["tasks_note"]).read_text("utf-8")
    assert re.search(
        r"- \[ \] Look for a second source: \[\[.+ 📅 \d{4}-\d\d-\d\d #lacuna\n", tasks
    )
    assert "Accept or dismiss" not in tasks
    landscape = (vault / found["landscape"]).read_text("utf-8")
    assert f"[[{path.stem}]]" in landscape.partition("## Works")[2]
    listed = yaml.safe_load((vault / INBOX / "Landscape.yaml").read_text("utf-8"))
    assert {"note": found["path"], "run": found["run"], "source": key["url"]} in listed[0]["met"]
    accepted = ready("findings", "accept", path.name, "--json").json
    assert accepted[0]["status"] == "accepted"
    assert "## Review" not in path.read_text("utf-8")


def test_a_run_is_reported_without_its_sources_and_an_edited_report_stays(
    ready: Cli, vault: Path, library: Path
) -> None:
    run = ready("research", QUESTION, "--json").json["run"]
    for each in library.rglob("*"):
        if each.is_file():
            each.unlink()
    ready.sources.write_text("")
    written = ready("report", "--run", run, "--json").json
    path = vault / written["path"]
    text = path.read_text("utf-8")
    edited = text.replace("## Gaps", "My own words.\n\n## Gaps")
    path.write_text(edited, "utf-8")
    again = ready("report", "--run", run[:12], "--json").json
    assert (again["path"], again["is_new"]) == (written["path"], False)
    assert path.read_text("utf-8") == edited
    assert "Written before, unchanged: " in ready("report", "--run", run).out
    for file in ready.home.rglob("lacuna.db*"):  # the folder of the run and the note are enough
        file.unlink()
    assert not ready("report", "--run", run, "--json").json["is_new"]


def test_a_quick_report_is_a_summary(ready: Cli, vault: Path) -> None:
    found = ready("report", QUESTION, "--depth", "quick", "--json").json
    text = (vault / found["path"]).read_text("utf-8")
    assert "**Key findings**" in text
    assert "\n## Report\n" not in text
    assert "\n## Gaps\n" not in text


def test_nothing_found_is_no_report(ready: Cli, vault: Path) -> None:
    failed = ready("report", "quaternion spinors of manifolds")
    assert failed.code == 1
    assert "lacuna: no report: nothing was found; the run is 2" in failed.err
    assert not (vault / INBOX / "Reports").exists()
    assert "no such run" in ready("report", "--run", "20990101").complaint
    assert ready("report").code == 2


def test_a_folder_is_reported_from_its_notes_and_the_library(ready: Cli, vault: Path) -> None:
    baking = vault / "Flour"
    baking.mkdir()
    (baking / "Starch.md").write_text(
        "# Starch\n\nStarch in stale bread returns to crystals while the crumb becomes firm."
        " The crumb of bread is soft above 60 °C because its starch crystals melt.\n",
        "utf-8",
    )
    (baking / "Stale bread.md").write_text("Stale bread is bread with starch in crystals.", "utf-8")
    (baking / "Crumb.md").write_text(
        "# Crumb\n\nA firm crumb is the sign of bread whose starch formed crystals again."
        " The starch of bread was first called retrograded in 1913 by a baker.\n",
        "utf-8",
    )
    found = ready("report", "--area", "flour", "--json").json
    assert found["subject"] == "Flour"
    assert {each["note"] for each in found["key_findings"]} == {
        "Flour/Starch.md",
        "Flour/Crumb.md",
        "Flour/Stale bread.md",
    }
    text = (vault / found["path"]).read_text("utf-8")
    assert "### Crumb\n\nNote: [[Crumb]].\n\n“A firm crumb is the sign of bread" in text
    assert "Why bread goes stale writes: “" in text
    assert "no folder and no cluster of the vault; try " in ready("report", "--area", "x").complaint


def test_a_report_is_also_a_page_in_the_state_folder(ready: Cli, vault: Path) -> None:
    found = ready("report", QUESTION, "--html", "--json").json
    page = Path(found["folder"]) / f"{Path(found['path']).stem}.html"
    shown = page.read_text("utf-8")
    assert shown.startswith("<!DOCTYPE html>")
    assert "<h2>Summary</h2>" in shown
    assert "[[" not in shown
    assert not page.is_relative_to(vault)
    assert f"HTML: {page}" in ready("report", "--run", found["run"], "--html").out
