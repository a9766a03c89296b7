"""Hooks and notices as a user sets them up: in the settings, with what is theirs."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.model.hook_event import FILTERING, HookEvent
from tests.fakes.cli import Cli
from tests.fakes.http_server import HttpServer, Reply, serving

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "why does bread go stale in the fridge"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as found:
        found.fallback = Reply(b"{}", 200, "application/json")
        yield found


def hook(folder: Path, name: str, script: str) -> list[str]:
    path = folder / name
    path.write_text(f"import json, os, sys\nbody = json.load(sys.stdin)\n{script}\n")
    return [sys.executable, str(path)]


def hooked(ready: Cli, **hooks: list[str]) -> None:
    lines = "".join(f"{event} = {json.dumps(command)}\n" for event, command in hooks.items())
    path = ready.config
    path.write_text(f"{path.read_text()}\n[hooks]\n{lines}")


def test_exclusions_by_a_hook_are_reported_and_the_replay_needs_no_hook(
    ready: Cli, vault: Path, library: Path, tmp_path: Path
) -> None:
    (library / "fridge.md").write_text(
        "# Bread in the fridge\n\nBread goes stale in the fridge about six times as fast as on the"
        " counter, because starch turns into crystals soonest a little above freezing.\n"
    )
    script = (
        "seen = [hit['id'] for hit in body['hits'] if hit['title'] == 'Bread in the fridge']\n"
        "print(json.dumps({'drop': [{'id': each, 'why': 'seen'} for each in seen]}))"
    )
    hooked(ready, post_discover=hook(tmp_path, "seen.py", script))
    found = ready("research", QUESTION, "--json").json
    assert [Path(each["source"]).name for each in found["findings"]] == ["staling.md"]
    assert "removed by your hook seen.py: seen" in [skip["why"] for skip in found["skipped"]]
    digest = (vault / found["digest"]).read_text()
    assert "1 × removed by your hook seen.py\n" in digest
    (tmp_path / "seen.py").unlink()
    assert ready("replay", found["run"]).out.startswith("identical")


def test_a_failed_hook_is_reported_in_the_digest_and_the_status(
    ready: Cli, vault: Path, tmp_path: Path
) -> None:
    hooked(ready, post_synthesize=hook(tmp_path, "broken.py", "sys.exit('no such list')"))
    found = ready("research", QUESTION, "--json").json
    assert len(found["findings"]) == 1
    reported = "post_synthesize broken.py failed: it ended with exit code 1: no such list"
    assert f"{reported}; it had no say" in (vault / found["digest"]).read_text()
    trouble = ready("status", "--json").json["troubles"][0]
    assert trouble["part"] == "hook post_synthesize broken.py"
    assert "it ended with exit code 1: no such list" in ready("status").out
    assert ready("status", "--json").json["hooks"] == {"post_synthesize": 1}


def test_hooks_are_notified_of_a_run_and_of_decisions_on_its_findings(
    ready: Cli, tmp_path: Path
) -> None:
    reported = tmp_path / "reported"
    script = f"open({str(reported)!r}, 'a').write(json.dumps(body) + '\\n')"
    command = hook(tmp_path, "tell.py", script)
    events = ["agenda_proposed", "research_complete", "finding_accepted", "finding_dismissed"]
    hooked(ready, **dict.fromkeys(events, command))
    found = ready("research", QUESTION, "--json").json
    finding = found["findings"][0]["id"]
    ready("findings", "accept", finding)
    ready("findings", "dismiss", finding)
    bodies = [json.loads(line) for line in reported.read_text().splitlines()]
    assert [body["event"] for body in bodies] == events
    assert all(body["format"] == 1 for body in bodies)
    assert bodies[0]["agenda"]["id"] == found["agenda"]
    assert bodies[1]["run"]["run"] == found["run"]
    assert bodies[1]["run"]["findings"] == found["findings"]
    assert [body["finding"]["status"] for body in bodies[2:]] == ["accepted", "dismissed"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('post_discover = "filter.py --strict | tee log"', "hooks run without a shell"),
        ('post_discovr = ["/f"]', "did you mean hooks.post_discover?"),
        ('post_discover = ["filter.py --strict"]', "as a separate string"),
    ],
)
def test_a_hook_that_needs_a_shell_is_refused_with_an_explanation(
    ready: Cli, line: str, why: str
) -> None:
    ready.config.write_text(f"{ready.config.read_text()}\n[hooks]\n{line}\n")
    complaint = ready("status").complaint
    assert str(ready.config) in complaint
    assert why in complaint


def _documented() -> dict[str, str]:
    """Event → its row in the guide's table."""
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    rows = [line for line in guide.splitlines() if line.startswith("| `")]
    return {event: row for row in rows for event in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_guide_documents_every_hook_event_with_its_fields(ready: Cli, tmp_path: Path) -> None:
    rows = _documented()
    assert set(HookEvent) <= set(rows)
    reported = tmp_path / "reported"
    command = hook(
        tmp_path, "tell.py", f"open({str(reported)!r}, 'a').write(json.dumps(body) + '\\n')"
    )
    hooked(ready, **dict.fromkeys(HookEvent, command))
    ready("findings", "accept", ready("research", QUESTION, "--json").json["findings"][0]["id"])
    bodies = [json.loads(line) for line in reported.read_text().splitlines()]
    # See test_web_search.py and test_ingest.py.
    others = {HookEvent.PRE_SEARCH, HookEvent.POST_SEARCH, HookEvent.PRE_INGEST}
    assert {body["event"] for body in bodies} >= {*FILTERING, "research_complete"} - others
    for body in bodies:
        parts = {key: value for key, value in body.items() if key not in ("format", "event", "id")}
        for name in {*parts, *_keys_within(parts, besides=body["event"] == "research_complete")}:
            assert f"`{name}`" in rows[body["event"]], (body["event"], name)


def _keys_within(parts: dict[str, Any], *, besides: bool) -> Iterator[str]:
    """Name the keys of what a hook gets, one level down; the run's are documented elsewhere."""
    for key, value in () if besides else parts.items():
        for each in value if isinstance(value, list) else [value] if key != "task" else ():
            yield from each if isinstance(each, dict) else ()


def test_the_hook_of_the_guide_works(ready: Cli, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    script = guide.split("```python\n", 1)[1].split("```", 1)[0]
    path = tmp_path / "guide.py"
    path.write_text(script.replace("//www.example.com/", "staling.md"))
    hooked(ready, post_discover=[sys.executable, str(path)])
    found = ready("research", QUESTION, "--json").json
    assert [skip["why"] for skip in found["skipped"]] == [
        "removed by your hook guide.py: not this site"
    ]


def test_a_run_is_announced_once_signed_and_without_text_of_notes(
    ready: Cli, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACUNA_WEBHOOK_API_KEY", "planted-secret")
    origin = server.origin
    settings = f'notifications.webhook = "{origin}/in"\nnotifications.ntfy = "{origin}/topic"\n'
    ready.config.write_text(f"{settings}{ready.config.read_text()}")
    ready("research", QUESTION)
    assert sorted(asked.path for asked in server.asked) == ["/", "/in"]
    sent = "".join(f"{asked.headers} {asked.body.decode()}" for asked in server.asked)
    for word in ("stale", "bread", "fridge", "planted-secret", "Sourdough"):
        assert word not in sent
    [webhook] = [asked for asked in server.asked if asked.path == "/in"]
    assert json.loads(webhook.body)["data"]["counts"]["findings"] == 1
    assert webhook.headers["webhook-signature"].startswith("v1,")
    ready("status")
    assert len(server.asked) == 2


def test_with_notify_text_a_notification_names_the_findings(ready: Cli, server: HttpServer) -> None:
    settings = f'notifications.ntfy = "{server.origin}/topic"\nnotifications.include_text = true\n'
    ready.config.write_text(f"{settings}{ready.config.read_text()}")
    ready("research", QUESTION)
    assert "Why does bread go stale in the fridge?" in json.loads(server.asked[0].body)["message"]


def test_a_disabled_kind_of_notification_is_not_sent(ready: Cli, server: HttpServer) -> None:
    settings = f'notifications.ntfy = "{server.origin}/topic"\nnotifications.digest = false\n'
    ready.config.write_text(f"{settings}{ready.config.read_text()}")
    ready("research", QUESTION)
    assert server.asked == []


def test_an_undelivered_notification_waits_and_is_reported(ready: Cli, server: HttpServer) -> None:
    server.fallback = Reply(b"", 500)
    ready.config.write_text(
        f'notifications.ntfy = "{server.origin}/topic"\n{ready.config.read_text()}'
    )
    ready("research", QUESTION)
    [waiting] = ready("status", "--json").json["notices_waiting"]
    assert (waiting["channel"], waiting["tries"], waiting["trouble"]) == ("ntfy", 1, "HTTP 500")
    assert "digest waits for ntfy after 1 try: HTTP 500" in ready("status").out


def test_a_notification_waits_during_quiet_hours(ready: Cli, server: HttpServer) -> None:
    settings = (
        f'notifications.ntfy = "{server.origin}/topic"\n'
        'quiet_hours.start = "00:00"\nquiet_hours.end = "23:59"\n'
        'nightly.start = "23:59"\n'
    )
    ready.config.write_text(f"{settings}{ready.config.read_text()}")
    ready("research", QUESTION)
    found = ready("status", "--json").json["notices_waiting"]
    # Unless this is the one minute of the day that is not quiet.
    assert len(found) + len(server.asked) == 1
    assert all(waiting["tries"] == 0 for waiting in found)
