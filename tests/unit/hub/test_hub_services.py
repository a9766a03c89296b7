"""What a vault hands over, from end to end: over HTTP to the hub, and from a worker outwards."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from daemon.adapters.hub_client import HubClient
from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.adapters.shared_source import shared_source
from daemon.config import load_settings
from daemon.hub.database import Database
from daemon.hub.members import Grantee, People, Role
from daemon.hub.night_budget import NightBudget, set_budget, spent_tonight
from daemon.hub.person_keys import PersonKeys
from daemon.hub.service_requests import Requests, Services, serve_one
from daemon.hub_services import services_of
from daemon.model.errors import HubError, LanguageModelError, SettingsError
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.model.language_models import Connection, ModelCall, ProviderKind, Reply
from daemon.model.shared_requests import MODELS, RESEARCH
from daemon.ports import Source
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, HttpServer
from tests.fakes.http_server import Reply as Page
from tests.fakes.http_server import serving as serving_pages
from tests.fakes.hub_site import a_service, serving
from tests.fakes.source import FakeSource

SECRET = "a secret of the hub with 32 letters"
FOUND = {"items": [{"title": "Rye is sour", "url": "https://bread.example/rye", "abstract": "It."}]}
SAID = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "tiny",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Sour."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 10, "total_tokens": 40},
}


@dataclass
class Hub:
    """A hub with a worker that offers a source and a model, and a vault of ada."""

    database: Database
    address: str
    token: str
    outside: HttpServer
    services: Services
    sent: list[str] = field(default_factory=list)

    def client(self) -> HubClient:
        return HubClient(self.address, a_gate(allow_origins=[self.address]), lambda: self.token)

    def source(self, name: str = "shelf", own: Source | None = None) -> Source:
        return shared_source(name, own, self.client(), "ada", self.sent.append)

    def work(self, queue: str) -> None:
        assert serve_one(self.database, queue, self.services[queue])


def said(asked: Asked) -> Page:
    """Answer a call of a model."""
    body = json.loads(asked.body)
    assert (body["model"], body.get("stream"), asked.headers["authorization"]) == (
        "tiny",
        None,
        "Bearer of-the-hub",
    )
    return Page(json.dumps(SAID).encode(), 200, "application/json")


@pytest.fixture
def hub(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr("daemon.faces.hub.endpoints._SEARCH_SECONDS", 0.0)
    monkeypatch.setattr("daemon.faces.hub.model_endpoints._CALL_SECONDS", 0.0)
    monkeypatch.setenv("LACUNA_LOCAL_API_KEY", "of-the-hub")
    monkeypatch.setenv("LACUNA_SHELF_API_KEY", "of-the-shelf")
    with database.begin() as connection:
        people = People(connection, "test")
        people.add("ada")
        people.add_vault("ada", "ada")
        token = people.new_token("ada", "laptop", datetime.now(UTC), timedelta(days=1))
    with ExitStack() as open_:
        outside = open_.enter_context(serving_pages())
        outside.routes["/search"] = Page(json.dumps(FOUND).encode(), 200, "application/json")
        outside.routes["/v1/chat/completions"] = said
        config = settings_in(tmp_path, outside.origin)
        services = open_.enter_context(
            services_of(load_settings(config, needs_vault=False), config, database)
        )
        with database.begin() as connection:
            for queue, offered in services.items():
                Requests(connection).offer(queue, offered)
        address = open_.enter_context(serving(database.url))
        yield Hub(database, address, token, outside, services)


def settings_in(folder: Path, origin: str, models: str = "local/tiny") -> Path:
    (folder / "sources.yaml").write_text(
        f"shelf: {{type: json, url: '{origin}/search?q={{query}}', enabled: true, api_key: shelf,"
        " cost: {per_request: 0.01}}\n"
    )
    config = folder / "config.toml"
    config.write_text(
        f'[network]\nallow_origins = ["{origin}"]\n'
        f'[hub]\nsources = ["shelf"]\nmodels = ["{models}"]\n'
        f'[models.providers.local]\nbase_url = "{origin}/v1"\n'
        '[models.prices]\n"local/tiny" = [100.0, 200.0]\n'
    )
    return config


def search(source: Source) -> Answer:
    return asyncio.run(source.search("rye", limit=3))


def test_a_source_is_asked_by_way_of_the_hub_and_counted_there(hub: Hub) -> None:
    own = FakeSource("shelf", [Hit("shelf", SourceType.WEB, "https://own.example/", "Own")])
    assert search(hub.source(own=own)).hits[0].title == "Own"  # no worker has come to it yet
    hub.work(RESEARCH)
    found = search(hub.source(own=own))
    assert (found.status, [hit.title for hit in found.hits]) == (SourceStatus.OK, ["Rye is sour"])
    assert own.asked == ["rye"]
    assert hub.sent == ["shelf: rye"] * 2
    assert len(hub.outside.asked) == 1
    with hub.database.begin() as connection:
        spent = spent_tonight(connection)
    assert (spent.requests, spent.money) == (1, 10_000)
    assert spent.bytes > 0


def test_a_source_that_no_worker_offers_is_asked_by_the_vault_itself(hub: Hub) -> None:
    own = FakeSource("other", [Hit("other", SourceType.WEB, "https://own.example/", "Own")])
    assert search(hub.source("other", own)).hits[0].title == "Own"
    assert search(hub.source("other")).why == "no worker of the hub offers other"


def test_a_key_of_a_person_is_used_for_their_vault_only_and_nobody_else_gets_its_answers(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACUNA_HUB_KEYS_API_KEY", SECRET)
    with hub.database.begin() as connection:
        people = People(connection, "test")
        for name in ("ben", "cy"):
            people.add(name)
            people.add_vault(name, name)
        people.add_group("friends")
        people.join("cy", "friends")
        people.grant("cy", Grantee("friends", is_group=True), Role.READER)
        keys = PersonKeys(connection, SECRET, "test")
        keys.put("shelf", Grantee("ada"), "of-ada")
        keys.put("local", Grantee("friends", is_group=True), "of-friends")
        ids = {name: people.find(name) for name in ("ada", "ben", "cy")}
    hub.outside.routes["/v1/chat/completions"] = Page(
        json.dumps(SAID).encode(), 200, "application/json"
    )
    with closing(a_service(Database(hub.database.url), lambda: datetime.now(UTC))) as service:
        for name, who in ids.items():
            question = json.dumps({"query": "rye", "limit": 3}).encode()
            service.ask_service(who, name, RESEARCH, "shelf", question)
            call = json.dumps({"messages": [], "max_tokens": 5}).encode()
            service.ask_service(who, name, MODELS, "local/tiny", call)
    for _ in range(3):
        for queue in (RESEARCH, MODELS):
            serve_one(hub.database, queue, hub.services[queue])
        with hub.database.begin() as connection:  # a source rests after each search
            connection.execute(text("UPDATE services SET due_at = now()"))
    sent = [asked.headers.get("authorization") for asked in hub.outside.asked]
    assert Counter(sent) == {
        "Bearer of-ada": 1,
        "Bearer of-the-shelf": 2,  # for ben and cy, who may not read each other
        "Bearer of-friends": 1,
        "Bearer of-the-hub": 2,
    }


def test_what_the_budget_of_the_hub_refuses_is_tried_again_when_somebody_asks(hub: Hub) -> None:
    with hub.database.begin() as connection:
        set_budget(connection, NightBudget(money=5_000))
    path, body = "/hub/v1/vaults/ada/research", {"source": "shelf", "query": "rye", "limit": 3}
    hub.client().post(path, body)
    hub.work(RESEARCH)
    with hub.database.begin() as connection:
        assert connection.scalar(text("SELECT state FROM requests")) == "refused"
        set_budget(connection, NightBudget())
    assert hub.outside.asked == []
    assert hub.client().post(path, body)["state"] == "waiting"
    hub.work(RESEARCH)
    assert hub.client().post(path, body)["state"] == "done"


@pytest.mark.parametrize("streams", [False, True])
def test_a_model_of_the_hub_answers_as_a_provider_does(hub: Hub, *, streams: bool) -> None:
    pieces: list[str] = []
    address = f"{hub.address}/hub/v1/vaults/ada/models"

    async def ask() -> Reply:
        process = ProviderProcess("hub", Connection(ProviderKind.OPENAI, address, hub.token))
        model = ChildLanguageModel("hub", "local/tiny", process)
        call = ModelCall("Answer.", "What is rye?", max_tokens=50)
        try:
            with pytest.raises(LanguageModelError, match="no worker of the hub"):
                await model.ask(call, pieces.append if streams else None)
            await asyncio.to_thread(hub.work, MODELS)
            return await model.ask(call, pieces.append if streams else None)
        finally:
            await process.close()

    reply = asyncio.run(ask())
    assert (reply.text, reply.usage.input_tokens, reply.usage.output_tokens) == ("Sour.", 30, 10)
    assert pieces == (["Sour."] if streams else [])
    with hub.database.begin() as connection:
        spent = spent_tonight(connection)
    assert (spent.requests, spent.tokens, spent.money) == (1, 40, 5_000)


def test_a_call_that_the_budget_does_not_allow_is_not_sent(hub: Hub) -> None:
    with hub.database.begin() as connection:
        set_budget(connection, NightBudget(tokens=40))  # the call may take 50
    client, body = hub.client(), {"model": "local/tiny", "max_tokens": 50}
    body["messages"] = [{"role": "user", "content": "What is rye?"}]
    path = "/hub/v1/vaults/ada/models/chat/completions"
    with pytest.raises(HubError, match="no worker"):
        client.post(path, body)
    hub.work(MODELS)
    with hub.database.begin() as connection:
        row = connection.execute(text("SELECT state, trouble FROM requests")).one()
    assert tuple(row) == ("refused", "the hub's budget for this night is used up")
    assert hub.outside.asked == []


@pytest.mark.parametrize(
    ("models", "why"),
    [("tiny", "must be provider/model"), ("gemini/flash", "API of OpenAI")],
)
def test_a_worker_offers_only_models_that_it_can_call(
    tmp_path: Path, database: Database, models: str, why: str
) -> None:
    config = settings_in(tmp_path, "http://127.0.0.1:9", models)
    settings = load_settings(config, needs_vault=False)
    with (
        pytest.raises(SettingsError, match=why),
        services_of(settings, config, database),
    ):
        pass
