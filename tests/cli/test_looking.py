"""index, health, graph, search and status: the shapes that scripts rely on, and the words."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from daemon import composition
from daemon.model.errors import ModelError
from tests.fakes.cli import NOTES, Cli, contents, lay_out
from tests.fakes.embedder import FakeEmbedder


class NoModel(FakeEmbedder):
    """An embedder whose model cannot be had."""

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Any:
        raise ModelError("the model is not on this machine: set model_path")


class Interrupted(FakeEmbedder):
    """An embedder during whose work the user presses Ctrl-C."""

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Any:
        signal.raise_signal(signal.SIGINT)
        return super().embed(texts, progress)


def test_index_reports_its_contents_and_duration_as_json(ready: Cli) -> None:
    first = ready("index", "--json").json
    assert list(first) == [
        "notes", "links", "unresolved", "chunks", "embedded", "reused", "removed", "skipped",
        "seconds",
    ]  # fmt: skip
    assert (first["notes"], first["unresolved"], first["removed"]) == (len(NOTES), 4, 0)
    assert first["embedded"] > 0
    assert [list(entry) for entry in first["skipped"]] == [["path", "why"]]
    again = ready("index", "--json").json
    assert (again["embedded"], again["reused"]) == (0, first["embedded"])


def test_index_reports_to_people_and_names_unreadable_notes(ready: Cli) -> None:
    done = ready("index")
    assert done.out.startswith(f"{len(NOTES)} notes, ")
    assert "Not fully read (1):\n  Broken.md: invalid YAML" in done.out
    assert done.err == ""


def test_index_without_embedding_needs_no_model(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "_embedder", lambda *_: NoModel())
    assert ready("index", "--no-embed", "--json").json["embedded"] == 0
    assert ready("graph", "--json").json["nodes"]


def test_index_without_its_model_keeps_the_text_index_and_fails_in_one_line(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "_embedder", lambda *_: NoModel())
    done = ready("index")
    assert done.code == 1
    assert done.err == (
        "lacuna: indexed words and links, but no embeddings: the model is not on this machine:"
        " set model_path\n"
    )
    assert done.out.startswith(f"{len(NOTES)} notes, ")


def test_research_without_its_model_does_not_start(
    ready: Cli, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(vault)
    monkeypatch.setattr(composition, "_embedder", lambda *_: NoModel())
    reported = ready("research", "bread").complaint
    assert reported == "the model is not on this machine: set model_path"
    assert contents(vault) == before
    assert ready("agenda", "--json").json == []


def test_health_json_has_its_documented_shape(ready: Cli, vault: Path) -> None:
    found = ready("health", "--json").json
    assert found.keys() >= {
        "notes", "links", "isolated", "unreferenced", "unresolved", "clusters", "stale", "gaps",
    }  # fmt: skip
    assert "Baking/Lonely crumb.md" in found["isolated"]
    assert set(found["isolated"]) <= set(found["unreferenced"])
    both = ["Sourdough.md", "Wild yeast.md"]
    assert sorted(found["unresolved"], key=lambda each: str(each["target"])) == [
        {"target": "Autolyse", "from": both},
        {"target": "Staling", "from": both},
    ]
    assert {gap["topic"] for gap in found["gaps"]} >= {"Autolyse", "Staling"}
    for gap in found["gaps"]:
        assert list(gap)[:6] == ["kind", "topic", "note", "why", "score", "parts"]
        assert gap["query"]
    for cluster in found["clusters"]:
        assert list(cluster) == ["label", "size", "notes", "density", "kind"]


def test_health_reports_the_same_to_people(ready: Cli) -> None:
    out = ready("health").out
    assert "Orphans (2)\n  Baking/Lonely crumb.md\n" in out
    assert "Unresolved links (2)\n" in out
    assert "  Staling — from Sourdough.md, Wild yeast.md\n" in out
    assert "Worth researching (" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_graph_json_has_its_documented_shape(ready: Cli, vault: Path) -> None:
    lay_out(vault, {"Two.md": "![[Sourdough]] [[Sourdough]] [[Sourdough]] [[Gone]]\n"})
    found = ready("graph", "--json").json
    assert list(found) == ["nodes", "edges", "unresolved"]
    edges = [edge for edge in found["edges"] if edge["source"] == "Two.md"]
    assert edges == [
        {"source": "Two.md", "target": "Sourdough.md", "kind": "embed", "count": 1},
        {"source": "Two.md", "target": "Sourdough.md", "kind": "link", "count": 2},
    ]
    assert {"source": "Two.md", "target": "Gone", "count": 1} in found["unresolved"]
    assert "Two.md -> Gone (unresolved, 1)" in ready("graph").out


def test_search_json_has_its_documented_shape(ready: Cli) -> None:
    found = ready("search", "steam", "crust", "--json").json
    assert [list(each) for each in found] == [["path", "heading", "score", "snippet"]] * len(found)
    assert found[0]["path"] == "Baking/Steam in the oven.md"
    assert len(ready("search", "crumb", "--limit", "1", "--json").json) == 1
    first = ready("search", "steam").out.splitlines()[0]
    assert first == "Baking/Steam in the oven.md › Steam in the oven"  # no number like certainty


def test_a_leading_minus_excludes_a_word(ready: Cli) -> None:
    every = {each["path"] for each in ready("search", "crust", "--json").json}
    assert {"Sourdough.md", "Baking/Steam in the oven.md"} <= every
    for without in ("-path:Baking", "-soft until"):
        left = {each["path"] for each in ready("search", "crust", without, "--json").json}
        assert left == every - {"Baking/Steam in the oven.md"} - (
            {"Baking/Lonely crumb.md"} if without == "-path:Baking" else set()
        )
    assert "Usage" in ready("search", "-h").out


def test_a_query_without_a_match_says_so(ready: Cli) -> None:
    assert ready("search", "qwxzk", "--json").json == []
    assert ready("search", "qwxzk").out == "No note matches.\n"


def test_notes_like_a_note_are_similar_and_not_linked_to_it(ready: Cli, vault: Path) -> None:
    linked = (vault / "Sourdough.md").read_text()
    (vault / "Copy.md").write_text(linked.replace("[[", "").replace("]]", ""))
    found = ready("search", "--like", "sourdough", "--json").json
    assert [list(each) for each in found] == [["path", "heading", "score", "snippet"]] * len(found)
    assert found[0]["path"] == "Copy.md"
    assert not {each["path"] for each in found} & {"Sourdough.md", "Wild yeast.md"}
    assert ready("search", "--like", "sourdough", "path:Baking", "--json").json == [
        each for each in found if each["path"].startswith("Baking/")
    ]
    assert ready("search", "--like", "sourdough", "-path:Copy", "--json").json == [
        each for each in found if each["path"] != "Copy.md"
    ]
    assert "give conditions only" in ready("search", "--like", "sourdough", "yeast").complaint
    assert "no such note; did you mean" in ready("search", "--like", "Sourduogh").complaint


def test_an_empty_vault_is_not_an_error(lacuna: Cli, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    lacuna.settings(vault=empty)
    assert lacuna("index", "--json").json["notes"] == 0
    assert lacuna("health", "--json").json["gaps"] == []
    assert lacuna("graph", "--json").json == {"nodes": [], "edges": [], "unresolved": []}
    assert lacuna("search", "x", "--json").json == []
    assert lacuna("search", "x").out == "No note matches.\n"
    assert lacuna("agenda", "new", "--json").json is None
    assert contents(empty) == {}


def test_status_shows_what_runs_what_waits_and_what_comes_next(ready: Cli, vault: Path) -> None:
    ready("index")
    found = ready("status", "--json").json
    assert (found["vault"], found["kind"], found["daemon"]) == (str(vault), "plain", None)
    assert (found["notes"], found["pending_findings"]) == (len(NOTES), 0)
    assert (found["sources"], found["agendas"], found["last_run"]) == (["library"], [], None)
    assert found["next_weekly"] is not None
    assert "arxiv" in found["sources_left_out"]
    out = ready("status").out
    assert "daemon   not running; start it with `lacuna run`" in out
    assert "inbox    Inbox/Research: 0 findings to review" in out
    ready.settings(vault=vault, weekly__enabled=False)
    assert ready("status", "--json").json["next_weekly"] is None


def test_status_shows_the_queue_with_positions(ready: Cli, vault: Path) -> None:
    for ref in ("Sourdough", "Wild yeast", "Steam in the oven"):
        ready("agenda", "new", "--note", ref)
    queue = ready("status", "--json").json["queue"]
    assert [(each["place"], each["of"], each["note"]) for each in queue["places"]] == [
        (1, 3, "Sourdough.md"),
        (2, 3, "Wild yeast.md"),
        (3, 3, "Baking/Steam in the oven.md"),
    ]
    assert (queue["later"], queue["most"]) == ([], 20)
    lines = [line for line in ready("status").out.splitlines() if line.startswith("agenda")]
    assert ": 1 of 3: “Sourdough”, runs " in lines[0]
    assert ": 2 of 3: “Wild yeast”, runs " in lines[1]
    for number in range(3):
        path = vault / f"Tagged {number}.md"
        path.write_text(f"---\nresearch: true\n---\nAbout bread number {number}.\n")
    ready("index")
    reported = ready("status").out
    assert (
        "3 notes ask for research, and get a place in the queue once the daemon runs: “Tagged 0”"
        in reported
    )


def test_ctrl_c_stops_at_a_safe_point_and_keeps_finished_work(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("daemon.index.embedding._TEXTS_A_BATCH", 2)
    with monkeypatch.context() as patch:
        patch.setattr(
            composition, "_embedder", lambda settings, *_: Interrupted(settings.embedding.model)
        )
        done = ready("index", "--json")
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines() == [
        "stopping; press Ctrl-C again to stop at once",
        "lacuna: stopped; what was done so far is kept",
    ]
    assert signal.getsignal(signal.SIGINT) is before
    assert ready("index", "--json").json["reused"] == 2


def test_a_second_ctrl_c_stops_at_once(ready: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(_embedding: object) -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("daemon.index.embedding.Embedding.begin", begin)
    done = ready("index")
    assert done.code == 130
    assert done.err.splitlines()[-1] == "lacuna: interrupted"


def test_terminal_escape_sequences_in_a_name_are_neutralised(ready: Cli, vault: Path) -> None:
    lay_out(vault, {"Evil \x1b]0;owned\x07\x1b[31m\u202e.md": "# Evil\n\n[[Gone \x1b[2J]]\n"})
    for command in (["health"], ["graph"], ["search", "evil"], ["index"], ["doctor"]):
        done = ready(*command)
        assert not {"\x1b", "\x07", "\u202e"} & set(done.out + done.err)
    assert "Evil ]0;owned[31m.md" in ready("health").out
    reported = ready("agenda", "show", "\x1b[31mred\nnext").complaint
    assert reported == "[31mred next: no such agenda; `lacuna agenda` shows them"


def test_a_gap_that_was_turned_down_for_good_is_no_gap_until_it_is_allowed_again(
    ready: Cli,
) -> None:
    assert ready("topics", "never", "autolyse").code == 0
    health = ready("health", "--json").json
    assert "Autolyse" not in {gap["topic"] for gap in health["gaps"]}
    [refused] = [each for each in health["refused"] if each["topic"] == "Autolyse"]
    assert "never" in refused["why"]
    assert ready("topics", "restore", "autolyse").code == 0
    assert "Autolyse" in {gap["topic"] for gap in ready("health", "--json").json["gaps"]}


def test_a_note_whose_name_is_not_text_is_named_by_the_index_and_by_the_health(
    ready: Cli, vault: Path
) -> None:
    lay_out(vault, {"Broken.md": "---\ntags: [\n---\nText\n"})
    (vault / os.fsdecode(b"caf\xe9.md")).write_text("A menu.\n")
    skipped = {each["path"] for each in ready("index", "--json").json["skipped"]}
    assert len(skipped) == 2
    assert any("not UTF-8" in each["why"] for each in ready("index", "--json").json["skipped"])
    health = ready("health", "--json").json
    assert {each["path"] for each in health["troubles"]} == skipped
    assert health["counts"]["troubles"] == 2
