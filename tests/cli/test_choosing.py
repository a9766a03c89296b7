"""`lacuna research --choose`: what was found first, then only what was picked is read."""

import json
import re
from pathlib import Path

import click
import pytest

from daemon.adapters.sources import load_registry
from daemon.cli.choosing import picked
from tests.fakes.cli import Cli, lay_out
from tests.fakes.http_server import Reply, serving

QUESTION = "why does bread go stale in the fridge"
FILES = {
    "rye.md": (
        "# Rye bread\n\nRye bread goes stale in the fridge more slowly than wheat bread, because"
        " its pentosans hold the water. A loaf of rye stays soft for a week on the counter.\n"
    ),
    "cold.md": (
        "# Bread in the cold\n\nBread goes stale in the fridge within two days, because starch"
        " crystallises fastest at four degrees. A freezer at minus eighteen degrees stops it.\n"
    ),
}


@pytest.fixture
def choosing(ready: Cli, library: Path) -> Cli:
    """A vault with a library of three documents that answer the question."""
    lay_out(library, FILES)
    return ready


def numbered(found: dict[str, object]) -> dict[str, int]:
    """Title → its number, as it is shown."""
    offers = found["offers"]
    assert isinstance(offers, list)
    return {str(offer["title"]): number for number, offer in enumerate(offers, 1)}


def test_results_are_listed_and_nothing_is_read_without_a_choice(choosing: Cli) -> None:
    done = choosing("research", QUESTION, "--choose")
    assert done.code == 0
    assert "Rye bread (library" in done.out
    assert "credibility 0." in done.out
    assert "3 documents. Reading all of them sends no requests." in done.out
    assert "lacuna research --choose --run " in done.out
    assert choosing("runs", "--json").json[0]["status"] == "stopped"
    assert choosing("findings", "--json").json == []


def test_only_the_selected_results_are_read_and_the_run_replays(choosing: Cli) -> None:
    found = choosing("research", QUESTION, "--choose", "--json").json
    number = numbered(found)["Rye bread"]
    picking = ("research", "--choose", "--run", found["run"], "--pick", str(number), "--json")
    done = choosing(*picking).json
    assert done["run"] == found["run"]
    (finding,) = done["findings"]
    assert [source.rpartition("/")[2] for source in finding["sources"]] == ["rye.md"]
    skipped = {skip["title"]: skip["why"] for skip in done["skipped"]}
    assert skipped["Bread in the cold"] == "you did not choose it"
    assert choosing("replay", done["run"]).code == 0


def test_none_reads_nothing_and_all_reads_everything(choosing: Cli) -> None:
    offered = choosing("research", QUESTION, "--choose").out
    most = max(map(int, re.findall(r"^ +(\d+)\. ", offered, re.MULTILINE)))
    hint = offered.rpartition("--pick ")[2].strip()
    assert max(map(int, hint.split(","))) == min(2, most)
    assert "Nothing was read." in choosing("research", QUESTION, "--choose", "--pick", "none").out
    done = choosing("research", QUESTION, "--choose", "--pick", "all", "--json").json
    assert "you did not choose it" not in [skip["why"] for skip in done["skipped"]]
    assert len(done["findings"]) + len(done["skipped"]) >= 3
    assert choosing("replay", done["run"]).code == 0


def test_a_run_that_waits_for_a_choice_reads_nothing_by_itself(choosing: Cli) -> None:
    choosing("research", QUESTION, "--choose", "--json")
    assert choosing("agenda", "--json").json == []  # nothing is planned, nor due


def test_results_are_shown_with_similar_notes_and_the_cost(choosing: Cli, vault: Path) -> None:
    (vault / "Reading.md").write_text("# Reading\n\nSee <https://example.org/two>.\n")
    records = [
        {"title": f"Stale bread {name}", "url": f"https://example.org/{name}", "abstract": "Bread."}
        for name in ("one", "two", "one")
    ]
    entries: dict[str, dict[str, object]] = {name: {"enabled": False} for name in load_registry()}
    with serving() as server:
        body = json.dumps({"items": records}).encode()
        server.routes["/s"] = Reply(body, content_type="application/json")
        entries["pages"] = {"type": "json", "url": f"{server.origin}/s?q={{query}}"}
        choosing.sources.write_text(json.dumps(entries))
        reported = choosing.config.read_text()
        choosing.config.write_text(f"{reported}\nnetwork.allow_origins = ['{server.origin}']\n")
        done = choosing("research", QUESTION, "--choose")
        assert [asked.path for asked in server.asked] == ["/s"]
    assert "     in your notes: Reading.md" in done.out
    assert "2 documents. Reading all of them sends 2 requests." in done.out


def test_a_page_given_by_its_address_needs_no_choice(choosing: Cli) -> None:
    with serving() as server:
        choosing("research", f"{server.origin}/one", "--choose", "--json")
    (run,) = choosing("runs", "--json").json
    assert run["status"] != "stopped"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("a", None), ("ALL", None), ("", ()), ("none", ()), ("3 1,2-3", (3, 1, 2)), ("2", (2,))],
)
def test_typed_selections_are_parsed(text: str, numbers: tuple[int, ...] | None) -> None:
    assert picked(text, 3) == numbers


@pytest.mark.parametrize("text", ["4", "0", "x", "2-1", "1-99999999999", "1;2"])
def test_an_invalid_selection_is_refused(text: str) -> None:
    with pytest.raises(click.UsageError, match="give numbers from 1 to 3, all or none"):
        picked(text, 3)


def test_an_unknown_run_and_wrong_usage_are_reported_in_one_line(choosing: Cli) -> None:
    unknown = choosing("research", "--choose", "--run", "nothing", "--pick", "1")
    assert "there is no such run" in unknown.complaint
    assert choosing("research", QUESTION, "--pick", "1").code == 2
