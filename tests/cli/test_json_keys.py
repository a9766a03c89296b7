"""The keys and values of `--json` that scripts may rely on: recorded once, and kept ever since.

A key may be added. Of the recorded ones none goes, is moved or gets a value of another form.
"""

import json
import platform
import re
from collections.abc import Iterator
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.fakes.cli import Cli

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDED = Path(__file__).with_name("json_keys.json")
QUESTION = "why does bread go stale in the fridge"
PAPER = (
    "# Rye and its keeping\n\nWe found that rye bread keeps for nine days in a cold cellar.\n\n"
    "Acid slows the growth of starch crystals in bread.\n\n## TODO\n\n- [ ] Bake with rye\n"
)
# What depends on the machine or the clock, and sentences for people: only the type is compared.
TYPE_ONLY = {
    "seconds", "seconds_left", "disk_free_mb", "heartbeat", "score", "density", "credibility",
    "why", "because", "when", "says", "may_take", "trouble", "text", "remarks", "description",
    "note", "snippet", "refused", "trigger", "waits", "sources_left_out",
}  # fmt: skip
PATTERNS = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)"), "<time>"),
    (re.compile(r"\d{8}T\d{6}Z?(-[0-9a-f]+)?"), "<stamp>"),
    (re.compile(r"\d{4}-\d\d-\d\d( \d{4}\b)?"), "<day>"),
    (re.compile(r"\b[0-9a-f]{8,64}(-[0-9a-f]{4,16})*\b"), "<id>"),
    (re.compile(r"\d+(\.\d+)?\b"), "<number>"),
)


def scrubbed(value: Any, root: Path, key: str = "") -> Any:
    """Return a document without what differs between two runs."""
    if key in TYPE_ONLY or isinstance(value, float):
        return f"<{type(value).__name__}>"
    if isinstance(value, dict):
        return {
            scrubbed(name, root): scrubbed(each, root, str(name)) for name, each in value.items()
        }
    if isinstance(value, list):
        return [scrubbed(each, root) for each in value]
    if not isinstance(value, str):
        return value
    text = value.replace(str(root), "<root>")
    for pattern, sign in PATTERNS:
        text = pattern.sub(sign, text)
    return text


def kept(now: Any, then: Any) -> Any:
    """Return what is there now, without the keys and the named things that there were not then."""
    if isinstance(now, dict) and isinstance(then, dict):
        return {key: kept(value, then[key]) for key, value in now.items() if key in then}
    if isinstance(now, list) and isinstance(then, list):
        names = {each["name"] for each in then if isinstance(each, dict) and "name" in each}
        now = [each for each in now if not names or each["name"] in names]
        return [kept(new, old) for new, old in zip_longest(now, then)]
    return now


def written(paper: Path) -> Path:
    """Return the path of a document."""
    paper.write_text(PAPER, encoding="utf-8")
    return paper


def documents(lacuna: Cli) -> Iterator[tuple[str, Any]]:
    """Yield what commands print from an empty index to a reviewed finding, in this order."""

    seen: list[Any] = []

    def of(*words: str) -> tuple[str, Any]:
        seen.append(lacuna(*words, "--json").json)
        return f"{'abcdefgh'[len(seen) // 8]}{len(seen) % 8}: {' '.join(words)}", seen[-1]

    yield of("status")
    yield of("index")
    for command in ("health", "graph", "runs", "findings", "agenda", "topics", "costs"):
        yield of(command)
    yield of("search", "stale crumb", "--limit", "3")
    yield of("search", "--like", "Lonely crumb", "--limit", "2")
    yield of("eval", "--queries")
    yield of("agenda", "new", "--note", "Sourdough")
    planned = seen[-1]["id"]
    for words in (["show", planned], [], ["approve", planned], ["cancel", planned]):
        yield of("agenda", *words)
    yield of("library", "scan")
    yield of("library", "status")
    yield of("library", "search", "bread in the fridge")
    yield of("research", QUESTION)
    run, finding = seen[-1]["run"], seen[-1]["findings"][0]["id"]
    yield of("runs")
    yield of("runs", "show", run)
    yield of("runs", "citations", run)
    yield of("findings")
    yield of("findings", "show", finding)
    yield of("replay", run)
    yield of("topics", "never", "Piano")
    yield of("findings", "dismiss", finding, "--never")
    yield of("findings", "list", "--status", "dismissed")
    yield of("topics")
    yield of("topics", "restore", "Piano")
    for by in ("source", "day", "month", "run"):
        yield of("costs", "--by", by)
    yield of("privacy")
    for words in (["list"], ["pause", "weekly"], ["resume"], ["pause"]):
        yield of("schedule", *words)
    yield of("sources")
    yield of("sources", "test", "library")
    for words in (["show", "--all"], ["get", "inbox"], ["set", "veto_hours", "6"], ["check"]):
        yield of("config", *words)
    for words in (["secrets"], ["lead"], ["status"], ["status", "--all"], ["ask", QUESTION]):
        yield of(*words)
    yield of("ingest", str(written(lacuna.home / "paper.md")))
    yield of("report", "--run", run)


@pytest.mark.long(6)
def test_json_output_keeps_its_keys(
    ready: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "node", lambda: "desk")
    monkeypatch.syspath_prepend(str(DOCS))
    recorded = json.loads(RECORDED.read_text("utf-8"))
    for name, document in documents(ready):
        now = scrubbed(document, tmp_path)
        then = recorded[scrubbed(name, tmp_path)]
        assert printed(kept(now, then)) == printed(then), name
        check_documented(name, document)


def check_documented(name: str, document: Any) -> None:
    """Check that docs/json.md describes every key that a command printed."""
    documented = import_module("json_page").DOCUMENTS
    words = name.partition(": ")[2]
    command = max((each for each in documented if f"{words} ".startswith(f"{each} ")), key=len)
    if command != "config set":  # its model has a field that is not printed
        model: TypeAdapter[Any] = TypeAdapter(documented[command])
        described = model.dump_python(
            model.validate_python(document), mode="json", by_alias=True, exclude_unset=True
        )
        assert printed(described) == printed(document), name


def printed(document: Any) -> str:
    return json.dumps(document, indent=1, sort_keys=True)
