"""Queries and model calls that vaults hand over: sent once, at their pace, in the budget."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, func, select, text, update

from daemon.faces.hub.model_endpoints import Call
from daemon.hub import service_requests
from daemon.hub.attempts import MOST
from daemon.hub.database import Database
from daemon.hub.in_hand import take
from daemon.hub.members import Grantee, People, Person, Role
from daemon.hub.night_budget import (
    HubLedger,
    NightBudget,
    Payer,
    paid_by,
    set_budget,
    spent_tonight,
)
from daemon.hub.published import Vault
from daemon.hub.service_requests import Requests, serve_one
from daemon.hub.tables import attempts, offers, request_readers, requests, spending, vaults
from daemon.hub.worker_jobs import Tools, work
from daemon.model.errors import FetchError, HubUnknownError, OfflineError
from daemon.model.shared_requests import MODELS, RESEARCH, RequestAnswer, RequestState
from daemon.model.spending import Amounts, Cap, Measure, Sending, Span
from daemon.ports import RetrievedDocument
from daemon.usecases.hub_service import HubService
from tests.fakes.hub_site import a_service
from tests.fakes.postgres import holding_back_vacuum

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
SOURCE, MODEL = "openalex", "ollama/llama3.2"


@dataclass
class Sent:
    """A service: what it was asked; each request is counted first, and may fail or wait."""

    ledger: HubLedger
    places: int = 1
    pause: timedelta = timedelta()
    trouble: str = ""
    caps: tuple[Cap, ...] = ()
    asked: list[str] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)
    goes_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.goes_on.set()

    def answer(self, question: bytes) -> bytes:
        row, _ = self.ledger.reserve(Sending(SOURCE, "question", amounts=Amounts(1)), self.caps)
        self.asked.append(question.decode())
        self.begun.set()
        assert self.goes_on.wait(30)
        if self.trouble:
            raise FetchError(self.trouble)
        self.ledger.settle(row, 100)
        return json.dumps({"to": question.decode()}).encode()


@pytest.fixture
def source(database: Database) -> Sent:
    """A source that some worker offers."""
    made = Sent(HubLedger(database))
    offer(database, made)
    return made


def offer(database: Database, sent: Sent, queue: str = RESEARCH, name: str = SOURCE) -> None:
    with database.begin() as connection:
        Requests(connection).offer(queue, {name: sent})


@pytest.fixture
def service(database: Database) -> Iterator[HubService]:
    join(database, "ada", "ben")
    with closing(a_service(Database(database.url), lambda: NOW)) as found:
        yield found


def join(database: Database, *names: str, owner: str = "") -> None:
    """Add vaults; each has an owner of the same name, or one `owner`."""
    with database.begin() as connection:
        people = People(connection, "test")
        for name in names:
            if not owner:
                people.add(name)
            people.add_vault(name, owner or name)


def ask(service: HubService, name: str, what: str = "rye", queue: str = RESEARCH) -> RequestAnswer:
    """Ask for the vault of somebody, which has their name."""
    with service._database.begin() as connection:
        person = People(connection, "test").find(name)
    asked = SOURCE if queue == RESEARCH else MODEL
    key = service.ask_service(person, name, queue, asked, what.encode())
    return service.answered(person, key)


def serve(database: Database, sent: Sent, queue: str = RESEARCH, name: str = SOURCE) -> str:
    return serve_one(database, queue, {name: sent})


def run(database: Database, sent: Sent, queue: str = RESEARCH) -> None:
    tools = Tools(None, no_network, {queue: {SOURCE if queue == RESEARCH else MODEL: sent}})  # type: ignore[arg-type]  # nothing is embedded
    with database.begin() as connection:
        connection.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL"))
    asyncio.run(work(database, tools, [queue], until_done=True))


def no_network(url: str) -> RetrievedDocument:
    raise OfflineError(url)


def spent(database: Database) -> Amounts:
    with database.begin() as connection:
        return spent_tonight(connection)


def limit(database: Database, budget: NightBudget) -> None:
    with database.begin() as connection:
        set_budget(connection, budget)


def read_each_other(database: Database, one: str = "ada", other: str = "ben") -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        people.grant(one, Grantee(other), Role.READER)
        people.grant(other, Grantee(one), Role.READER)


def test_a_query_of_two_vaults_is_sent_once_and_kept_for_a_day(
    database: Database, service: HubService, source: Sent
) -> None:
    read_each_other(database)
    assert ask(service, "ada").state is RequestState.WAITING
    assert ask(service, "ben").state is RequestState.WAITING
    run(database, source)
    assert [ask(service, name).answer for name in ("ada", "ben")] == [{"to": "rye"}] * 2
    run(database, source)
    assert source.asked == ["rye"]
    assert spent(database) == Amounts(requests=1, bytes=100)
    with database.begin() as connection:
        old = func.now() - timedelta(days=2)
        connection.execute(update(requests).values(answered_at=old))
    assert ask(service, "ada").state is RequestState.WAITING


def test_what_was_asked_before_is_not_seen_by_who_may_not_read_the_other_vault(
    database: Database, service: HubService, source: Sent
) -> None:
    join(database, "cy")
    read_each_other(database)
    read_each_other(database, "ben", "cy")
    ask(service, "ada")
    run(database, source)
    with database.begin() as connection:
        People(connection, "test").grant("ada", Grantee("cy"), Role.READER, folder="Open")
    assert ask(service, "cy").state is RequestState.WAITING  # ada may not read the vault of cy
    assert ask(service, "ben").state is RequestState.DONE
    run(database, source)
    assert source.asked == ["rye"] * 2
    assert ask(service, "cy").state is RequestState.DONE


def test_a_right_as_owner_shows_no_requests(
    database: Database, service: HubService, source: Sent
) -> None:
    ask(service, "ada")
    serve(database, source)
    with database.begin() as connection:
        people = People(connection, "test")
        people.grant("ada", Grantee("ben"), Role.OWNER)
        owners = [people.find(name).id for name in ("ada", "ben")]
    seen = []
    for person in owners:
        with database.as_person(person) as connection:
            seen.append(connection.scalar(select(func.count()).select_from(requests)))
    assert seen == [1, 0]


def test_an_answer_is_seen_only_by_who_asked(
    database: Database, service: HubService, source: Sent
) -> None:
    ask(service, "ada")
    serve(database, source)
    with database.begin() as connection:
        ben = People(connection, "test").find("ben")
    with database.as_person(ben.id) as connection:
        assert connection.scalar(select(func.count()).select_from(requests)) == 0


def test_calls_of_models_are_not_shared_between_vaults(
    database: Database, service: HubService
) -> None:
    model = Sent(HubLedger(database), places=2)
    offer(database, model, MODELS, MODEL)
    ask(service, "ada", queue=MODELS)
    ask(service, "ben", queue=MODELS)
    run(database, model, MODELS)
    assert model.asked == ["rye", "rye"]
    assert ask(service, "ada", queue=MODELS).state is RequestState.DONE


def test_what_no_worker_offers_cannot_be_asked(database: Database, service: HubService) -> None:
    with pytest.raises(HubUnknownError, match="no worker"):
        ask(service, "ada")
    offer(database, Sent(HubLedger(database)))
    ask(service, "ada")
    with database.begin() as connection:
        old = func.now() - timedelta(hours=1)
        connection.execute(update(offers).values(seen_at=old))
        connection.execute(update(requests).values(asked_at=old))
        Requests(connection).tidy()
        assert Requests(connection).number_waiting(RESEARCH) == 0
    with pytest.raises(HubUnknownError):
        ask(service, "ada")


def test_only_the_owner_of_a_vault_asks_for_it(
    database: Database, service: HubService, source: Sent
) -> None:
    with database.begin() as connection:
        ben = People(connection, "test").find("ben")
    with pytest.raises(Exception, match="you own no vault called ada"):
        service.ask_service(ben, "ada", RESEARCH, SOURCE, b"rye")
    assert not serve(database, source)


def test_a_source_gets_one_request_at_a_time_over_all_workers_and_rests_after_it(
    database: Database, service: HubService, source: Sent
) -> None:
    source.pause = timedelta(hours=1)
    source.goes_on.clear()
    ask(service, "ada", "one")
    ask(service, "ben", "two")
    with ThreadPoolExecutor() as pool:
        begun = pool.submit(serve, database, source)
        assert source.begun.wait(30)
        assert not serve(database, Sent(HubLedger(database)))
        source.goes_on.set()
        assert begun.result()
    assert not serve(database, Sent(HubLedger(database)))  # it rests
    assert len(source.asked) == 1


def test_a_model_with_two_places_gets_two_calls_at_once_and_not_three(
    database: Database, service: HubService
) -> None:
    models = [Sent(HubLedger(database), places=2) for _ in range(2)]
    offer(database, models[0], MODELS, MODEL)
    for what in ("one", "two", "three"):
        ask(service, "ada", what, MODELS)
    for each in models:
        each.goes_on.clear()
    with ThreadPoolExecutor() as pool:
        begun = [pool.submit(serve, database, each, MODELS, MODEL) for each in models]
        assert all(each.begun.wait(30) for each in models)
        assert not serve(database, Sent(HubLedger(database)), MODELS, MODEL)
        for each in models:
            each.goes_on.set()
        assert all(each.result() for each in begun)


def test_forty_vaults_share_the_budget_of_a_night_which_ends_cleanly(
    database: Database, service: HubService, source: Sent
) -> None:
    names = [f"p{at}" for at in range(40)]
    join(database, *names)
    limit(database, NightBudget(requests=100))
    with database.begin() as connection:
        people = People(connection, "test")
        for name in names:
            vault = Vault(connection, name, people.find(name)).id
            for at in range(4):
                question = f"{name} {at}".encode()
                Requests(connection).ask(RESEARCH, SOURCE, vault, question, apart=False)
    workers = [Sent(HubLedger(database)) for _ in range(2)]

    def until_done(sent: Sent) -> None:
        while serve(database, sent):
            pass

    with database.begin() as connection:
        Requests(connection).offer(RESEARCH, {SOURCE: Sent(HubLedger(database), places=2)})
    with ThreadPoolExecutor() as pool:
        list(pool.map(until_done, workers))
    sent = Counter(each.partition(" ")[0] for worker in workers for each in worker.asked)
    assert sent.total() == spent(database).requests == 100
    assert set(sent) == set(names)
    assert max(sent.values()) - min(sent.values()) <= 2  # as many for each, up to one of a worker
    ask(service, "ada")
    assert serve(database, source)
    refused = service.answered(*key_of(service, "ada"))
    assert (refused.state, refused.trouble) == (
        RequestState.REFUSED,
        "the hub's budget for this night is used up",
    )
    limit(database, NightBudget(requests=101))
    assert ask(service, "ada").state is RequestState.WAITING
    serve(database, source)
    assert ask(service, "ada").state is RequestState.DONE


def key_of(service: HubService, name: str) -> tuple[Person, bytes]:
    """Return a person, and the key of their query, without asking it again."""

    with service._database.begin() as connection:
        person = People(connection, "test").find(name)
        query = (
            select(requests.c.key)
            .join(request_readers, request_readers.c.request_id == requests.c.id)
            .join(vaults, vaults.c.id == request_readers.c.vault_id)
            .where(vaults.c.name == name, requests.c.question == b"rye")
        )
        return person, connection.execute(query).scalar_one()


def test_one_person_uses_no_more_than_their_share_of_the_budget(
    database: Database, service: HubService, source: Sent
) -> None:
    limit(database, NightBudget(requests=10, share=30))
    for at in range(5):
        ask(service, "ada", str(at))
    while serve(database, source):
        pass
    assert len(source.asked) == 3
    ask(service, "ben", "mine")
    serve(database, source)
    assert ask(service, "ben", "mine").state is RequestState.DONE


def test_a_budget_that_refuses_one_person_does_not_refuse_another_who_asks_the_same(
    database: Database, service: HubService, source: Sent
) -> None:
    read_each_other(database)
    limit(database, NightBudget(requests=100, share=1))
    assert ask(service, "ada", "first").state is RequestState.WAITING
    serve(database, source)
    ask(service, "ada")
    ask(service, "ben")
    serve(database, source)
    refused, waiting = (service.answered(*key_of(service, name)) for name in ("ada", "ben"))
    assert refused.state is RequestState.REFUSED
    assert "share" in refused.trouble
    assert (waiting.state, waiting.trouble) == (RequestState.WAITING, "")
    serve(database, source)
    assert source.asked == ["first", "rye"]
    assert service.answered(*key_of(service, "ben")).state is RequestState.DONE
    assert service.answered(*key_of(service, "ada")).state is RequestState.DONE


def test_two_vaults_of_one_person_are_served_as_often_as_one_of_another(
    database: Database, service: HubService, source: Sent
) -> None:
    join(database, "second of ada", owner="ada")
    with database.begin() as connection:
        people = People(connection, "test")
        for name, owner in (("ada", "ada"), ("second of ada", "ada"), ("ben", "ben")):
            vault = Vault(connection, name, people.find(owner)).id
            for at in range(8):
                question = f"{owner} {name} {at}".encode()
                Requests(connection).ask(RESEARCH, SOURCE, vault, question, apart=False)
    for _ in range(8):
        serve(database, source)
    assert Counter(each.partition(" ")[0] for each in source.asked) == {"ada": 4, "ben": 4}
    assert Counter(each[:6] for each in source.asked)["ada se"] == 2


def test_a_single_query_comes_in_the_order_of_asking_and_before_the_rest_of_a_hundred(
    database: Database, service: HubService, source: Sent
) -> None:
    join(database, "cy")
    with database.begin() as connection:
        people = People(connection, "test")
        for name, number, seconds in (("ada", 30, 60), ("cy", 1, 40), ("ben", 1, 50)):
            vault = Vault(connection, name, people.find(name)).id
            for at in range(number):
                question = f"{name} {at}".encode()
                Requests(connection).ask(RESEARCH, SOURCE, vault, question, apart=False)
            asked = update(requests).where(requests.c.vault_id == vault)
            connection.execute(asked.values(asked_at=func.now() - timedelta(seconds=seconds)))
    while serve(database, source):
        pass
    served = [each.partition(" ")[0] for each in source.asked]
    assert served[0] == "ada"
    assert served.index("ben") < served.index("cy") < 10
    assert len(served) == 32


def test_the_cap_of_a_source_holds_over_all_workers(
    database: Database, service: HubService
) -> None:
    caps = (Cap(Span.DAY, Measure.REQUESTS, 3, SOURCE),)
    workers = [Sent(HubLedger(database), caps=caps) for _ in range(2)]
    offer(database, workers[0])
    for at in range(5):
        ask(service, "ada", str(at))
    for at in range(5):
        assert serve(database, workers[at % 2])
    assert sum(len(each.asked) for each in workers) == 3


def test_a_request_of_a_killed_worker_is_sent_again_and_both_are_in_the_ledger(
    database: Database, service: HubService, source: Sent
) -> None:
    class KilledError(BaseException):
        """As `kill -9`: nothing is stored any more."""

    class Killed(Sent):
        def answer(self, question: bytes) -> bytes:
            super().answer(question)
            raise KilledError

    ask(service, "ada")
    with pytest.raises(KilledError):
        serve(database, Killed(HubLedger(database)))
    assert serve(database, source)
    assert ask(service, "ada").answer == {"to": "rye"}
    assert not serve(database, source)
    with database.begin() as connection:
        rows = connection.scalar(select(func.count()).select_from(spending))
    assert rows == 2


def test_a_request_that_fails_says_why_and_the_source_rests(
    database: Database, service: HubService, source: Sent
) -> None:
    source.trouble = "HTTP 503"
    ask(service, "ada")
    assert serve(database, source)
    assert ask(service, "ada").trouble == "HTTP 503"
    ask(service, "ben", "wine")
    assert not serve(database, source)  # the query of ben waits


def test_a_request_that_breaks_a_worker_is_not_sent_again_and_again(
    database: Database, service: HubService
) -> None:
    class Broken(Sent):
        def answer(self, question: bytes) -> bytes:
            raise RecursionError(question)

    offer(database, Sent(HubLedger(database)))
    ask(service, "ada")
    assert serve(database, Broken(HubLedger(database)))
    assert "see the log" in ask(service, "ada").trouble


def test_with_a_vault_goes_what_only_it_asked_and_the_sums_stay(
    database: Database, service: HubService, source: Sent
) -> None:
    read_each_other(database)
    ask(service, "ada", "of ada")
    ask(service, "ada", "of both")
    ask(service, "ben", "of both")
    while serve(database, source):
        pass
    with database.begin() as connection:
        People(connection, "test").delete("ada")
        assert list(connection.scalars(select(requests.c.question))) == [b"of both"]
    assert spent(database).requests == 2


def test_a_vault_is_deleted_while_its_request_is_sent_and_nobody_waits_for_ever(
    database: Database, service: HubService, source: Sent
) -> None:
    class Slow(Sent):
        def answer(self, question: bytes) -> bytes:
            super().answer(question)
            return super().answer(question)  # a second request, counted beside the deletion

    slow = Slow(HubLedger(database))
    slow.goes_on.clear()
    ask(service, "ada")

    def delete() -> None:
        with database.begin() as connection:
            People(connection, "test").delete_vault("ada")

    with ThreadPoolExecutor() as pool:
        sent = pool.submit(serve, database, slow)
        assert slow.begun.wait(30)
        pool.submit(delete).result(30)
        slow.goes_on.set()
        assert sent.result(30)
    assert spent(database).requests == 2
    with database.begin() as connection:
        assert connection.scalar(select(func.count()).select_from(requests)) == 0


def test_who_asks_for_what_is_being_sent_does_not_wait_for_it(
    database: Database, service: HubService, source: Sent
) -> None:
    read_each_other(database)
    source.goes_on.clear()
    ask(service, "ada")
    with ThreadPoolExecutor() as pool:
        sent = pool.submit(serve, database, source)
        assert source.begun.wait(30)
        asked = pool.submit(ask, service, "ben")
        assert asked.result(60).state is RequestState.WAITING
        source.goes_on.set()
        assert sent.result(30)
    assert ask(service, "ben").state is RequestState.DONE


def test_a_slow_source_does_not_hold_back_vacuum(
    database: Database, service: HubService, source: Sent
) -> None:
    source.goes_on.clear()
    ask(service, "ada")
    with ThreadPoolExecutor() as pool:
        sent = pool.submit(serve, database, source)
        assert source.begun.wait(30)
        assert holding_back_vacuum(database) == []
        source.goes_on.set()
        assert sent.result(30)


def test_of_many_workers_at_once_one_sends_each_request(
    database: Database, service: HubService
) -> None:
    sent = Sent(HubLedger(database), places=4)
    offer(database, sent)
    for at in range(16):
        ask(service, "ada", f"{at}")

    def serve_all(_worker: int) -> None:
        while serve(database, sent):
            pass

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(serve_all, range(6)))
    serve_all(0)  # who found all places in use has ended
    assert sorted(sent.asked, key=int) == [str(at) for at in range(16)]


def test_what_another_worker_did_a_moment_ago_is_not_sent_again(
    database: Database, service: HubService, source: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(service, "ada")

    def late(connection: Connection, *names: str) -> bool:
        monkeypatch.undo()
        assert serve(database, source)  # by the other one
        return take(connection, *names)

    monkeypatch.setattr(service_requests, "take", late)
    assert not serve(database, source)
    assert source.asked == ["rye"]


def test_what_a_worker_has_in_hand_is_not_given_up(
    database: Database, service: HubService, source: Sent
) -> None:
    source.goes_on.clear()
    ask(service, "ada")
    with ThreadPoolExecutor() as pool:
        sent = pool.submit(serve, database, source)
        assert source.begun.wait(30)
        with database.begin() as connection:
            connection.execute(update(attempts).values(number=MOST))
            Requests(connection).tidy()
        assert ask(service, "ada").state is RequestState.WAITING
        source.goes_on.set()
        assert sent.result(30)
    assert ask(service, "ada").state is RequestState.DONE


def test_nothing_negative_is_counted(database: Database) -> None:
    with (
        paid_by(Payer(RESEARCH, SOURCE, 1, None)),
        pytest.raises(ValueError, match="negative"),
    ):
        HubLedger(database).reserve(Sending(SOURCE, "model", amounts=Amounts(1, tokens=-5)))


def test_a_request_that_ends_its_workers_is_given_up(
    database: Database, service: HubService, source: Sent
) -> None:
    class KilledError(BaseException):
        """As `kill -9`: nothing is stored any more."""

    class Killed(Sent):
        def answer(self, question: bytes) -> bytes:
            raise KilledError(question)

    ask(service, "ada")
    for _ in range(MOST):
        with pytest.raises(KilledError):
            serve(database, Killed(HubLedger(database)))
    assert not serve(database, source)
    with database.begin() as connection:
        Requests(connection).tidy()
    assert ask(service, "ada").trouble == "its worker ended 5 times"


@pytest.mark.parametrize("limits", [{"max_tokens": -1}, {"max_completion_tokens": 10**9}])
def test_a_call_has_a_sensible_limit_and_nothing_that_is_not_counted(
    limits: dict[str, int],
) -> None:
    messages = [{"role": "user", "content": "What is rye?"}]
    with pytest.raises(ValidationError):
        Call.model_validate({"model": MODEL, "messages": messages, **limits})
    given = {"model": MODEL, "messages": messages, "n": 50, "service_tier": "priority"}
    assert json.loads(Call.model_validate(given).question()) == {
        "messages": messages,
        "max_tokens": 4_000,
    }
