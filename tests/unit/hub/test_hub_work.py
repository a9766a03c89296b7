"""The work of a hub as its operator and its members see it, in the terminal and on a page."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daemon.hub.database import Database
from daemon.hub.members import Grantee, People, Person, Role
from daemon.hub.night_budget import HubLedger, NightBudget
from daemon.hub.published import Vault
from daemon.hub.service_requests import Requests, serve_one
from daemon.hub.worker_jobs import Jobs
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from daemon.model.shared_requests import RESEARCH
from daemon.model.spending import Amounts, Sending
from daemon.usecases.hub_service import HubService
from daemon.usecases.hub_workload import change_budget, work_of
from tests.fakes.hub_site import a_service
from tests.fakes.web_site import serving

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


class Paid:
    """A source whose answers cost two dollars."""

    places = 1
    pause = timedelta()

    def __init__(self, database: Database) -> None:
        self._ledger = HubLedger(database)

    def answer(self, question: bytes) -> bytes:
        self._ledger.reserve(Sending("brave", "question", amounts=Amounts(1, money=2_000_000)))
        return json.dumps({"to": question.decode()}).encode()


@pytest.fixture
def hub(database: Database) -> Iterator[tuple[HubService, dict[str, Person]]]:
    """Ada has two vaults: one waits for two embeddings, the other asked for two dollars."""
    note = SharedNote(path="A.md", hash="1", chunks=(SharedChunk(text="a"), SharedChunk(text="b")))
    with database.begin() as connection:
        people = People(connection, "test")
        found = {name: people.add(name) for name in ("ada", "ben", "eve")}
        people.add_vault("flour", "ada")
        people.add_vault("yeast", "ada")
        people.grant("flour", Grantee("ben"), Role.READER)
        people.grant("yeast", Grantee("eve"), Role.OWNER)
        Vault(connection, "flour", found["ada"]).apply(Batch(revision=0, notes=(note,)))
        yeast = Vault(connection, "yeast", found["ada"]).id
        Requests(connection).offer(RESEARCH, {"brave": Paid(database)})
        Requests(connection).ask(RESEARCH, "brave", yeast, b"rye", apart=False)
    assert serve_one(database, RESEARCH, {"brave": Paid(database)})
    change_budget(database, NightBudget(requests=500, money=5_000_000, share=50))
    with closing(a_service(Database(database.url), lambda: NOW)) as service:
        yield service, found


def test_the_operator_sees_all_vaults_and_people_with_their_costs(
    hub: tuple[HubService, dict[str, Person]], database: Database
) -> None:
    with closing(Jobs(database)) as jobs:
        found = work_of(database, jobs)
    vaults = {each.vault: (each.waiting, each.requests, each.usd) for each in found.vaults}
    assert vaults == {"flour": (2, 0, 0.0), "yeast": (0, 1, 2.0)}
    [ada] = found.people
    assert (ada.owner, ada.waiting, ada.requests, ada.usd) == ("ada", 2, 1, 2.0)
    assert [(each.name, each.hour) for each in found.queues if each.hour] == [(RESEARCH, 1)]
    assert (found.budget.requests, found.budget.spent.requests, found.budget.spent.usd) == (
        500,
        1,
        2.0,
    )


@pytest.mark.parametrize(("name", "seen"), [("ada", {"flour", "yeast"}), ("ben", set()),
                                            ("eve", {"yeast"})])  # fmt: skip
def test_a_member_sees_the_work_of_vaults_whose_owner_they_are(
    hub: tuple[HubService, dict[str, Person]], name: str, seen: set[str]
) -> None:
    service, people = hub
    found = service.work(people[name])
    assert {each.vault for each in found.vaults} == seen
    assert {each.owner for each in found.people} == ({"ada"} if seen else set())


class OfDaemon:
    """A daemon that answers one query."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def by_name(self, name: str, _body: Any) -> Any:
        assert name == "hub-work"
        return self.found

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        raise AssertionError("the daemon answers")


def test_a_page_shows_queues_workers_costs_and_the_budget_of_the_night(
    hub: tuple[HubService, dict[str, Person]],
) -> None:
    service, people = hub
    answer: Any = OfDaemon(service.work(people["ada"]).as_json())
    with serving(answer, answer, has_hub=True) as site:
        site.sign_in()
        page = site("GET", "/hub").text
    shown = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    for words in ("Work of the hub", "1 of 500", "$2.00 of $5.00", "50 per cent", "No worker runs"):
        assert words in shown
    assert "flour 2 0 0 0 0 $0.00" in shown
    assert "yeast 0 0 0 1 0 $2.00" in shown
    assert "ada 2 0 0 1 0 $2.00" in shown


def test_there_is_no_link_to_the_page_without_a_hub() -> None:
    answer: Any = OfDaemon(None)
    with serving(answer, answer) as site:
        site.sign_in()
        assert 'href="/hub"' not in site("GET", "/map").text
