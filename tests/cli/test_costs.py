"""Budgets, what they cost, and what left the machine, from the command line."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.model.spending import Sending
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.store.run_files import RunDirectories
from daemon.store.runs import RunStore
from tests.fakes.cli import Cli
from tests.fakes.http_server import HttpServer, Reply, serving

STALE = "why does bread go stale in the fridge"
CRUST = "why does bread keep its crust in the oven"
INBOX = "Inbox/Research"
SEARXNG = (
    "searxng: {{base_url: '{origin}', adapter: searxng, enabled: true, api_key: papers-key,"
    " rate: {{per_second: 0}}, {more}}}\n"
)


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        running.routes["/search"] = Reply(b'{"results": []}', content_type="application/json")
        yield running


class Asking:
    """The command line with the library and one source on this machine."""

    def __init__(self, lacuna: Cli, server: HttpServer, vault: Path, library: Path) -> None:
        self.lacuna = lacuna
        self.server = server
        self.vault = vault
        self.library = library

    def set(self, more: str = "cost: {per_request: 0.004}", **settings: Any) -> None:
        off = [
            line for line in self.lacuna.sources.read_text().splitlines() if "searxng" not in line
        ]
        own = SEARXNG.format(origin=self.server.origin, more=more)
        self.lacuna.sources.write_text("\n".join(off) + "\n" + own)
        origins = [self.server.origin]
        self.lacuna.settings(
            vault=self.vault,
            library__folder=self.library,
            network__allow_origins=origins,
            **settings,
        )

    def research(self, *topics: str) -> dict[str, object]:
        found = self.lacuna("research", *topics, "--json")
        assert found.code == 0, found.err
        document: dict[str, object] = json.loads(found.out)
        return document


@pytest.fixture
def asking(ready: Cli, server: HttpServer, vault: Path, library: Path) -> Asking:
    asking = Asking(ready, server, vault, library)
    asking.set()
    return asking


def test_costs_shows_usage_per_source_and_the_remaining_budget(asking: Asking) -> None:
    found = asking.research(STALE)
    assert found["spent"] == {"requests": 1, "bytes": 15, "money": 0.004, "findings": 1}
    costs = asking.lacuna("costs", "--json").json
    assert costs["rows"] == [
        {"source": "library", "requests": 0, "bytes": 0, "money": 0.0, "findings": 1},
        {"source": "searxng", "requests": 1, "bytes": 15, "money": 0.004, "findings": 0},
    ]
    assert costs["total"] == {"requests": 1, "bytes": 15, "money": 0.004, "findings": 1}
    left = {(each["span"], each["measure"]): each["left"] for each in costs["budgets"]}
    assert left["day", "requests"] == 9999
    assert left["month", "money"] == pytest.approx(9.996)
    assert left["day", "findings"] == 49
    assert costs["exhausted"] is None
    out = asking.lacuna("costs").out
    assert "searxng 1 15 B $0.004 0" in [" ".join(line.split()) for line in out.splitlines()]
    assert "  today: 9999 of 10000 requests left\n" in out
    by_run = asking.lacuna("costs", "--by", "run", "--since", "all", "--json").json
    assert [row["run"] for row in by_run["rows"]] == [found["run"]]
    for heading in ("day", "month"):
        (row,) = asking.lacuna("costs", "--by", heading, "--since", "2d", "--json").json["rows"]
        assert (row["requests"], row["findings"]) == (1, 1)


def test_costs_says_when_nothing_was_spent(asking: Asking) -> None:
    assert "nothing was spent" in asking.lacuna("costs").out
    assert "Nothing left this machine" in asking.lacuna("privacy").out
    assert asking.lacuna("privacy", "--json").json["sent"] == []
    assert asking.lacuna("costs", "--since", "yesterday").code == 2


def test_a_request_that_was_never_sent_is_not_listed(asking: Asking) -> None:
    asking.research(STALE)
    state = Path(asking.lacuna("status", "--json").json["state"])
    with closing(Database(state / "lacuna.db")) as db:
        ledger = Ledger(db, clock=lambda: datetime.now(UTC), zone=lambda: UTC)
        ledger.release(ledger.reserve(Sending("robots.txt", "rules"))[0])
    rows = asking.lacuna("costs", "--json").json["rows"]
    assert [row["source"] for row in rows] == ["library", "searxng"]


def test_a_run_that_exhausts_its_budget_writes_its_results_and_says_so(asking: Asking) -> None:
    asking.set(budget__requests_per_run=1)
    found = asking.research(STALE, CRUST)
    why = "this run's 1 request is used up"
    assert (found["stopped_early"], found["stopped_why"]) == (True, why)
    assert len(asking.server.asked) == 1
    assert found["findings"]  # the library's, which cost nothing
    (searxng,) = [each for each in found["sources"] if each["name"] == "searxng"]  # type: ignore[attr-defined]
    assert (searxng["status"], searxng["why"]) == ("degraded", why)
    digest = (asking.vault / str(found["digest"])).read_text()
    assert f"It ended early because {why}. These are partial results." in digest
    assert "It took 1 request and" in digest
    assert ", for $0.004." in digest
    listed = asking.lacuna("runs", "list", "--json").json
    assert (listed[0]["stopped_early"], listed[0]["stopped_why"]) == (True, why)
    assert f"  ended early: {why}\n" in asking.lacuna("runs", "show", str(found["run"])).out
    assert asking.research(STALE, "another crumb")["stopped_early"] is True  # a budget of its own
    assert len(asking.server.asked) == 2


def test_a_run_stopped_by_a_budget_replays_byte_for_byte(asking: Asking) -> None:
    asking.set(budget__requests_per_day=1, research__max_findings=1)
    found = asking.research(STALE, CRUST)
    asking.server.routes.clear()
    replayed = asking.lacuna("replay", str(found["run"]), "--json").json
    assert len(replayed["notes"]) == 2
    assert all(note["identical"] for note in replayed["notes"])


def test_a_daily_budget_spans_runs_and_says_when_it_resets(asking: Asking) -> None:
    asking.set(budget__requests_per_day=1)
    asking.research(STALE)
    done = asking.lacuna("research", CRUST, "--json")
    assert done.code == 1  # it read nothing, which is no research
    assert json.loads(done.out)["stopped_why"] == "today's 1 request is used up"
    assert "stopped before anything was read: today's 1 request is used up" in done.err
    assert len(asking.server.asked) == 1
    costs = asking.lacuna("costs", "--json").json
    assert costs["exhausted"].startswith("today's 1 request is used up; there is more from ")
    assert "Schedules are paused: today's 1 request is used up" in asking.lacuna("costs").out


def test_due_work_waits_until_the_budget_resets_and_status_says_so(
    asking: Asking,
) -> None:
    anywhere: dict[str, Any] = {
        "conditions.wait_when_offline": False,
        "conditions.wait_when_metered": False,
        "conditions.min_battery_percent": 0,
    }
    asking.set(budget__requests_per_day=1, agenda__veto_hours=0, **anywhere)
    asking.lacuna("library", "scan")
    asking.lacuna("agenda", "new")
    (agenda,) = asking.lacuna("status", "--json").json["agendas"]
    assert agenda["waits"] == ""
    asking.research(CRUST)
    (agenda,) = asking.lacuna("status", "--json").json["agendas"]
    assert agenda["waits"].startswith("today's 1 request is used up; there is more from ")
    assert "budget   today's 1 request is used up; there is more" in asking.lacuna("status").out


def test_no_finding_is_written_after_the_daily_limit(asking: Asking) -> None:
    asking.set(limits__findings_per_day=1)
    first = asking.research(STALE)
    assert len(first["findings"]) == 1  # type: ignore[arg-type]
    (asking.library / "crust.md").write_text(
        "# Crust\n\nBread keeps its crust in the oven because the steam has gone by then, and the"
        " oven dries what is outside first. A crust in an oven without steam is thick and pale.\n"
    )
    found = asking.research(CRUST)
    assert found["findings"] == []
    assert found["stopped_why"] == "today's 1 finding is used up"
    assert "today's 1 finding is used up" in [skip["why"] for skip in found["skipped"]]  # type: ignore[attr-defined]


def test_a_source_over_its_own_budget_is_skipped_and_the_run_continues(asking: Asking) -> None:
    asking.set("cost: {per_request: 0.004}, budget: {month_money: 0.004}")
    found = asking.research(STALE, CRUST)
    (searxng,) = [each for each in found["sources"] if each["name"] == "searxng"]  # type: ignore[attr-defined]
    assert searxng["why"] == "this month's $0.004 is used up"
    assert found["stopped_early"] is False
    assert len(asking.server.asked) == 1


def test_findings_per_source_can_be_limited(asking: Asking) -> None:
    asking.set()
    more = asking.lacuna.sources.read_text() + "library: {budget: {day_findings: 1}}\n"
    asking.lacuna.sources.write_text(more)
    assert len(asking.research(STALE)["findings"]) == 1  # type: ignore[arg-type]
    (asking.library / "crust.md").write_text(
        "# Crust\n\nBread keeps its crust in the oven because the steam has gone by then, and the"
        " oven dries what is outside first. A crust in an oven without steam is thick and pale.\n"
    )
    found = asking.research(CRUST)
    assert found["findings"] == []
    why = "the findings that library may contribute are used up"
    assert why in [skip["why"] for skip in found["skipped"]]  # type: ignore[attr-defined]


def test_privacy_lists_what_was_sent_to_whom_and_never_a_key(asking: Asking) -> None:
    asking.lacuna.environment(LACUNA_PAPERS_KEY="sk-of-nobody-else")
    asking.research(STALE)
    sent = asking.lacuna("privacy", "--json").json["sent"]
    assert [each["host"] for each in sent] == ["127.0.0.1"]
    assert (sent[0]["kind"], sent[0]["source"], sent[0]["received"]) == ("question", "searxng", 15)
    assert "q=why+does+bread+go+stale+in+the+fridge" in sent[0]["what"]
    out = asking.lacuna("privacy").out
    assert "127.0.0.1: 1 request, " in out
    assert f"q={STALE}" in out
    assert "sk-of-nobody-else" not in out + json.dumps(sent)
    assert asking.lacuna("privacy", "--host", "example.org", "--json").json["sent"] == []


def test_a_misspelt_budget_of_a_source_is_named(asking: Asking) -> None:
    asking.set("budget: {month_mony: 5}")
    reported = asking.lacuna("costs").complaint
    assert reported.endswith(
        "searxng: unknown setting budget.month_mony; did you mean budget.month_money?"
    )


def test_a_run_whose_record_was_removed_is_still_listed(asking: Asking) -> None:
    run = str(asking.research(STALE)["run"])
    state = Path(asking.lacuna("status", "--json").json["state"])
    with closing(Database(state / "lacuna.db")) as db:
        RunStore(db, RunDirectories(state / "runs")).mark_pruned(
            run, datetime(2027, 12, 24, tzinfo=UTC)
        )
    assert f"{run}  done, 1 finding; its record was removed\n" in asking.lacuna("runs").out
    assert "Its record was removed on " in asking.lacuna("runs", "show", run).out
    assert "its record was deleted on 2027-12-24" in asking.lacuna("replay", run).complaint
    assert asking.lacuna("runs", "citations", run).out == "0 works, 0 citations\n"
