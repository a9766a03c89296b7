"""Web documents of a hub: each is fetched once, by a worker, and seen by who asked for it."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import func, select, text, update

from daemon.adapters.extract import EXTRACTOR_VERSION
from daemon.adapters.hub_client import HubClient
from daemon.adapters.known_vectors import KnownVectors
from daemon.adapters.pages import Retrievers, fetch_copy
from daemon.adapters.shared_pages import SharedPages
from daemon.config import Settings
from daemon.hub import web_documents
from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.tables import document_readers, documents, hosts
from daemon.hub.web_documents import EXTRACT, Documents
from daemon.hub.worker_jobs import Tools, work
from daemon.hub_pages import page_reader, texts_compared
from daemon.model.errors import (
    DisallowedError,
    FetchError,
    HubError,
    ModelError,
    RefusedError,
)
from daemon.model.evidence import Hit, SourceType
from daemon.model.shared_documents import DocumentAnswer, DocumentRequest
from daemon.model.shared_notes import DIMENSIONS
from daemon.ports import Extracted, Fetched, RetrievedDocument, Vectors
from daemon.usecases.hub_service import HubService
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Reply
from tests.fakes.http_server import serving as serving_pages
from tests.fakes.hub_site import a_service, serving
from tests.fakes.postgres import holding_back_vacuum

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
PAGE = "https://bread.example/rye"


@dataclass
class Web:
    """Answers every address; counts what was asked, and can wait or fail."""

    asked: list[str] = field(default_factory=list)
    trouble: str = ""
    text: str = "Rye is sour."
    version: int = EXTRACTOR_VERSION
    begun: threading.Event = field(default_factory=threading.Event)
    goes_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.goes_on.set()

    def fetch(self, url: str) -> RetrievedDocument:
        self.asked.append(url)
        self.begun.set()
        assert self.goes_on.wait(30)
        if self.trouble:
            raise FetchError(self.trouble)
        return RetrievedDocument(
            hit=Hit("hub", SourceType.WEB, url, ""),
            final_url=url,
            body=b"<p>Rye is sour.",
            content_type="text/html",
            fetched_at=NOW,
            extracted=Extracted(self.text, "trafilatura", title="Rye", version=self.version),
        )


@pytest.fixture
def service(database: Database) -> Iterator[HubService]:
    with database.begin() as connection:
        people = People(connection, "test")
        people.add("ada")
        people.add("ben")
    with closing(a_service(Database(database.url), lambda: NOW)) as found:
        yield found


def ask(database: Database, service: HubService, name: str, url: str = PAGE) -> DocumentAnswer:
    with database.begin() as connection:
        person = People(connection, "test").find(name)
    service.want_document(person, DocumentRequest(url=url))
    return service.document(person, DocumentRequest(url=url))


def run(database: Database, web: Web, model: "Model | None" = None) -> None:
    """Work until nothing is left; between two documents of a site no time passes."""
    with database.begin() as connection:
        connection.execute(update(hosts).values(due_at=NOW))
        connection.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL"))
    tools = Tools(model, web.fetch)  # type: ignore[arg-type]  # without one, nothing is embedded
    if model is not None:
        tools = replace(tools, texts=texts_compared)
    asyncio.run(work(database, tools, [EXTRACT], until_done=True))


def test_a_page_that_two_people_want_is_fetched_once(
    database: Database, service: HubService
) -> None:
    web = Web()
    assert ask(database, service, "ada").is_waiting
    assert ask(database, service, "ben").is_waiting
    run(database, web)
    found = [ask(database, service, name).document for name in ("ada", "ben")]
    assert [each.extracted["text"] for each in found if each] == ["Rye is sour."] * 2
    run(database, web)
    assert web.asked == [PAGE]


def test_the_date_of_a_page_is_the_day_on_which_its_reader_asked(
    database: Database, service: HubService
) -> None:
    ask(database, service, "ada")
    run(database, Web())
    with database.begin() as connection:
        days_ago = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)
        connection.execute(update(document_readers).values(asked_at=days_ago))
        ada = People(connection, "test").find("ada")
    his = ask(database, service, "ben").document
    hers = service.document(ada, DocumentRequest(url=PAGE)).document
    assert his is not None
    assert hers is not None
    with database.begin() as connection:
        today = connection.scalar(select(func.date_trunc("day", func.now(), "UTC")))
    assert his.fetched_at == today
    assert hers.fetched_at == datetime(2026, 11, 20, tzinfo=UTC)


def test_a_page_can_be_asked_for_while_it_is_fetched(
    database: Database, service: HubService
) -> None:
    web = Web()
    web.goes_on.clear()
    ask(database, service, "ada")
    with ThreadPoolExecutor() as pool:
        fetched = pool.submit(fetch_one, database, web)
        assert web.begun.wait(30)
        assert ask(database, service, "ben").is_waiting
        web.goes_on.set()
        assert fetched.result()
    assert ask(database, service, "ben").document is not None


def test_nobody_sees_a_document_that_only_others_asked_for(
    database: Database, service: HubService
) -> None:
    ask(database, service, "ada")
    run(database, Web())
    with database.begin() as connection:
        ben = People(connection, "test").find("ben")
    assert service.document(ben, DocumentRequest(url=PAGE)).is_waiting
    with database.as_person(ben.id) as connection:
        assert connection.scalar(select(func.count()).select_from(documents)) == 0
        assert connection.scalar(select(func.count()).select_from(document_readers)) == 0


def test_a_page_that_cannot_be_fetched_says_why_and_is_tried_again_after_an_hour(
    database: Database, service: HubService
) -> None:
    web = Web(trouble="HTTP 503")
    ask(database, service, "ada")
    run(database, web)
    assert ask(database, service, "ada").trouble == "HTTP 503"
    with database.begin() as connection:
        old = func.now() - timedelta(hours=2)
        connection.execute(update(documents).values(fetched_at=old))
    web.trouble = ""
    assert ask(database, service, "ada").is_waiting
    run(database, web)
    assert ask(database, service, "ada").document is not None


def test_a_page_that_breaks_a_worker_is_not_taken_again_and_again(
    database: Database, service: HubService
) -> None:
    def breaks(_url: str) -> RetrievedDocument:
        raise RecursionError

    ask(database, service, "ada")
    assert web_documents.fetch_one(database, breaks)
    with database.begin() as connection:
        assert Documents(connection).number_waiting() == 0
    assert "see the log" in ask(database, service, "ada").trouble


def test_text_that_is_not_unicode_is_no_document(database: Database, service: HubService) -> None:
    ask(database, service, "ada")
    run(database, Web(text="Rye \ud800 is sour."))
    assert ask(database, service, "ada").trouble == "its text is not Unicode"


def test_a_site_is_used_by_one_worker_at_a_time_and_then_rests(
    database: Database, service: HubService
) -> None:
    for url in (PAGE, f"{PAGE}/2", "https://wine.example/"):
        ask(database, service, "ada", url)
    slow, fast = Web(), Web()
    slow.goes_on.clear()
    with ThreadPoolExecutor() as pool:
        begun = pool.submit(fetch_one, database, slow)
        assert slow.begun.wait(30)
        assert holding_back_vacuum(database) == []
        assert fetch_one(database, fast)
        assert not fetch_one(database, fast)  # the other page is of the site in use
        slow.goes_on.set()
        assert begun.result()
    assert not fetch_one(database, fast)  # it rests
    assert [len(slow.asked), len(fast.asked)] == [1, 1]
    assert {slow.asked[0], fast.asked[0]} == {PAGE, "https://wine.example/"}


def fetch_one(database: Database, web: Web) -> bool:
    return web_documents.fetch_one(database, web.fetch)


def test_somebody_with_one_page_does_not_wait_for_a_hundred_of_another(
    database: Database, service: HubService
) -> None:
    for at in range(40):
        ask(database, service, "ada", f"https://site{at}.example/")
    ask(database, service, "ben")
    web = Web()
    for _ in range(20):  # ada first in all of them: one in a million
        fetch_one(database, web)
    assert PAGE in web.asked


def test_a_small_vault_does_not_wait_for_a_hundred_pages_of_another_one_of_the_same_person(
    database: Database, service: HubService
) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        ada, large, small = people.find("ada"), "large", "small"
        for name in (large, small):
            people.add_vault(name, "ada")
    for at in range(40):
        url = f"https://site{at}.example/"
        service.want_document(ada, DocumentRequest(url=url, vault=large))
    service.want_document(ada, DocumentRequest(url=PAGE, vault=small))
    web = Web()
    for _ in range(20):  # the large one first in all of them: one in a million
        fetch_one(database, web)
    assert PAGE in web.asked


def test_with_a_person_goes_what_only_they_asked_for(
    database: Database, service: HubService
) -> None:
    ask(database, service, "ada")
    ask(database, service, "ben")
    ask(database, service, "ada", "https://wine.example/")
    with database.begin() as connection:
        People(connection, "test").delete("ada")
        assert list(connection.scalars(select(documents.c.url))) == [PAGE]


def test_with_one_of_several_vaults_goes_what_only_it_asked_for(
    database: Database, service: HubService
) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        for name in ("one", "two"):
            people.add_vault(name, "ada")
        ada = people.find("ada")
    of_both, of_one = PAGE, "https://wine.example/"
    for vault, url in (("one", of_both), ("two", of_both), ("one", of_one)):
        service.want_document(ada, DocumentRequest(url=url, vault=vault))
    run(database, Web())
    assert service.document(ada, DocumentRequest(url=of_both)).document is not None
    with database.begin() as connection:
        People(connection, "test").delete_vault("one")
        assert list(connection.scalars(select(documents.c.url))) == [of_both]


def test_nobody_asks_for_a_document_for_the_vault_of_another(
    database: Database, service: HubService
) -> None:
    with database.begin() as connection:
        People(connection, "test").add_vault("hers", "ada")
        ben = People(connection, "test").find("ben")
    with pytest.raises(HubError, match="you own no vault called hers"):
        service.want_document(ben, DocumentRequest(url=PAGE, vault="hers"))


def test_with_somebodys_last_vault_goes_what_only_they_asked_for(
    database: Database, service: HubService
) -> None:
    with database.begin() as connection:
        for name in ("one", "two"):
            People(connection, "test").add_vault(name, "ada")
    ask(database, service, "ada")
    ask(database, service, "ben")
    ask(database, service, "ada", "https://wine.example/")
    for name, left in (("one", 2), ("two", 1)):
        with database.begin() as connection:
            People(connection, "test").delete_vault(name)
            assert connection.scalar(select(func.count()).select_from(documents)) == left


def test_what_nobody_asked_for_during_a_month_is_deleted(
    database: Database, service: HubService
) -> None:
    ask(database, service, "ada")
    run(database, Web())
    with database.begin() as connection:
        old = NOW - timedelta(days=400)
        connection.execute(update(document_readers).values(asked_at=old))
        Documents(connection).tidy()
        assert connection.scalar(select(func.count()).select_from(documents)) == 0
        assert connection.scalar(select(func.count()).select_from(hosts)) == 0


HIT = Hit("crossref", SourceType.PAPER, PAGE, "Rye")
MINE = b"My own copy of what is known of rye, and of its flour. " * 20
OWN = Fetched(PAGE, PAGE, 200, {"content-type": "text/html"}, MINE, NOW)


@dataclass
class Model:
    """An embedding model that notes what it embeds."""

    model: str = "all-MiniLM-L6-v2"
    seen: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], progress: object = None) -> Vectors:
        del progress
        self.seen += texts
        places = [len(text) % DIMENSIONS for text in texts]
        return np.eye(DIMENSIONS, dtype=np.float32)[places]

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class Vault:
    """What a vault fetches with: its own way to the network, and by the hub."""

    address: str
    token: str
    own: FakeFetcher = field(default_factory=lambda: FakeFetcher({PAGE: OWN}))
    sent: list[str] = field(default_factory=list)
    now: float = 100.0
    model: "Model" = field(default_factory=Model)

    def __post_init__(self) -> None:
        gate = a_gate(allow_origins=[self.address])
        client = HubClient(self.address, gate, lambda: self.token)
        self.extractor = FakeExtractor()
        known = KnownVectors(self.model)
        self.embedder = known
        shared = SharedPages(
            client, "ben's notes", self.extractor, self.sent.append, known, lambda: self.now
        )
        self._retrievers = Retrievers(self.own, self.extractor, shared=shared)

    def read(self, url: str = PAGE) -> RetrievedDocument:
        return asyncio.run(fetch_copy(HIT, url, self._retrievers, via="direct"))


@pytest.fixture
def vault(database: Database, service: HubService) -> Iterator[Vault]:
    with database.begin() as connection:
        today = datetime.now(UTC)  # the hub checks when a token ends
        People(connection, "test").add_vault("ben's notes", "ben")
        token = People(connection, "test").new_token("ben", "laptop", today, timedelta(days=1))
    with serving(database.url) as address:
        yield Vault(address, token)


def test_a_vault_takes_a_document_from_the_hub(
    database: Database, service: HubService, vault: Vault
) -> None:
    ask(database, service, "ada")
    run(database, Web())
    found = vault.read()
    assert (found.extracted.text, found.body) == ("Rye is sour.", b"<p>Rye is sour.")
    assert (found.via, found.final_url) == ("direct, by the hub", PAGE)
    assert vault.sent == [PAGE]
    assert not vault.own.asked
    assert not vault.extractor.asked


RYE = "Rye flour makes bread sour because its bacteria grow faster than yeast. "
OVEN = "An oven of 230 degrees bakes a loaf of one kilogram in fifty minutes."


def test_the_sentences_of_a_document_are_embedded_once_for_all_vaults(
    database: Database, service: HubService, vault: Vault
) -> None:
    other = Vault(vault.address, vault.token)
    ask(database, service, "ada")
    worker = Model()
    run(database, Web(text=RYE + OVEN), worker)
    assert worker.seen == [RYE.strip(), OVEN]
    for each in (vault, other):
        found = each.read()
        vectors = each.embedder.embed(texts_compared(found))
        assert vectors.tolist() == Model().embed(worker.seen).tolist()
        assert each.model.seen == []
    vault.embedder.embed([OVEN, "What is new."])
    assert vault.model.seen == ["What is new."]


def test_embeddings_of_another_model_are_not_used(
    database: Database, service: HubService, vault: Vault
) -> None:
    ask(database, service, "ada")
    run(database, Web(text=RYE + OVEN), Model("another"))
    vault.read()
    vault.embedder.embed([OVEN])
    assert vault.model.seen == [OVEN]


def test_a_document_is_stored_also_if_it_cannot_be_embedded(
    database: Database, service: HubService, vault: Vault
) -> None:
    class Broken(Model):
        def embed(self, texts: Sequence[str], progress: object = None) -> Vectors:
            raise ModelError("no memory")

    ask(database, service, "ada")
    run(database, Web(text=RYE), Broken())
    assert vault.read().extracted.text == RYE


def test_a_document_that_another_version_extracted_is_extracted_again(
    database: Database, service: HubService, vault: Vault
) -> None:
    ask(database, service, "ada")
    run(database, Web(version=EXTRACTOR_VERSION - 1))
    assert vault.read().extracted.text == "<p>Rye is sour."


def test_what_the_hub_cannot_fetch_the_vault_fetches_itself(
    database: Database, service: HubService, vault: Vault
) -> None:
    ask(database, service, "ada")
    run(database, Web(trouble="HTTP 403"))
    assert vault.read().body == MINE


def test_a_vault_does_not_ask_a_hub_that_is_away_for_each_document(vault: Vault) -> None:
    vault.token = "revoked"
    assert vault.read().body == vault.read().body == MINE
    assert vault.sent == [PAGE]
    vault.now += 61
    vault.read()
    assert vault.sent == [PAGE, PAGE]


def test_a_vault_does_not_wait_for_each_document_of_a_hub_without_workers(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.faces.hub.endpoints._DOCUMENT_SECONDS", 0.0)
    assert vault.read().body == vault.read().body == MINE
    assert vault.sent == [PAGE]


def test_an_address_that_is_not_for_others_is_not_sent_to_the_hub(vault: Vault) -> None:
    with pytest.raises(FetchError):
        vault.read(f"{PAGE}?token=secret")
    with pytest.raises(RefusedError):
        vault.read("http://192.168.0.1/")
    assert vault.sent == []


def test_only_the_address_of_a_web_page_can_be_asked_for(
    database: Database, service: HubService
) -> None:
    for url in (
        "file:///etc/passwd",
        "gopher://a.example/",
        "https://",
        "x",
        "https://a\0.example/",
    ):
        with pytest.raises(HubError):
            ask(database, service, "ada", url)
    with database.begin() as connection:
        assert connection.scalar(select(func.count()).select_from(documents)) == 0


def test_a_worker_reads_a_page_as_its_site_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = "Rye is sour because its flour keeps bacteria alive for many hours. " * 20
    with serving_pages() as site:
        site.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /private", 200, "text/plain")
        site.routes["/rye"] = Reply(f"<title>Rye</title><article><p>{words}".encode())
        monkeypatch.setattr(
            "daemon.hub_pages.gate",
            lambda _settings, *, share=1.0, **given: a_gate(allow_origins=[site.origin], **given),
        )
        with page_reader(Settings()) as read:
            found = read(f"{site.origin}/rye")
            with pytest.raises(DisallowedError):
                read(f"{site.origin}/private")
    assert found.extracted.text.startswith("Rye is sour")
