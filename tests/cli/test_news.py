"""What is found out while a command works is an event: shown as it comes, and kept with the run."""

from contextlib import closing
from typing import Any

from daemon.composition import open_app
from daemon.config import load_settings
from daemon.model.clock import now
from daemon.ports import Stop
from daemon.usecases.commands import fulfil
from tests.fakes.cli import Cli

QUESTION = "why does bread go stale in the fridge"
BODY = {"topics": [QUESTION], "note": None, "depth": "quick", "sources": []}


def test_the_events_of_a_run_are_kept_with_it(ready: Cli) -> None:
    app = open_app(load_settings(ready.config, flags={}), config=ready.config)
    seen: list[Any] = []
    with closing(app), app.lock("lacuna run"), app.events.read_by(seen.append):
        app.index.knowledge.sync(now=now())
        assert app.index.library is not None
        app.index.library.update(progress=lambda *_: None, stop=Stop())
        request = app.stores.requests.begin("research", BODY, now=now())
        answer = fulfil(request, app, now=now(), stop=Stop(), report=app.report)
        kept: list[Any] = list(app.events.after(0, run=answer["run"]))
        file = app.state / "runs" / answer["run"] / "events.jsonl"
        lines = file.read_text().splitlines()
    assert len(answer["findings"]) == 1
    assert [each.seq for each in kept] == [each.seq for each in seen if each.run]
    assert len(lines) == len(kept)
    begun, *_, source, _ = (each for each in kept if each.type in ("step_start", "source_status"))
    assert (begun.step, begun.plan[0]) == ("research", f"library: “{QUESTION}”")
    assert begun.plan[1].startswith("Quick. ")
    assert (source.source, source.status, source.results) == ("library", "ok", 1)
    types = [each.type for each in kept]
    assert types[-4:] == ["finding_written", "announcement", "step_complete", "done"]
    assert (seen[-1].type, seen[-1].ends, seen[-1].run) == ("done", "command", None)


def test_a_command_shows_what_it_asks_and_what_it_finds(ready: Cli) -> None:
    shown = ready("research", QUESTION, "--depth", "quick").err.splitlines()
    assert shown[0] == f"library: “{QUESTION}”"
    assert shown[1].startswith("Quick. ")
    assert shown[2] == f"library: ok, 1 results for {QUESTION}"
    assert shown[3].startswith("found: ")
    assert ready("research", "how is bread kept", "--json").err == ""
