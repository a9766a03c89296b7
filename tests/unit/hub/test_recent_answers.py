"""Answers that the hub keeps: never what somebody may no longer read, nor what has changed."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event

from daemon.hub.database import Database
from daemon.hub.members import Grantee, People, Person, Role
from daemon.hub.published import Vault
from daemon.hub.waiting_chunks import embed_slice, require_model
from daemon.model.shared_notes import DIMENSIONS, Batch, SharedChunk, SharedNote, packed
from daemon.usecases.hub import HubSearchRequest
from daemon.usecases.hub_contradictions import HubPairsRequest
from daemon.usecases.hub_service import HubService
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.hub_site import a_service

NOW = datetime.now(UTC)
AXIS = packed(np.eye(1, DIMENSIONS, dtype=np.float32)[0])
Ask = Callable[[HubService, Person], str]
ASKS: dict[str, Ask] = {
    "search": lambda hub, who: hub.search(who, HubSearchRequest(query="flour")).model_dump_json(),
    "experts": lambda hub, who: hub.experts(who, HubSearchRequest(query="flour")).model_dump_json(),
    "gaps": lambda hub, who: hub.gaps(who, 10).model_dump_json(),
    "pairs": lambda hub, who: hub.pairs(who, HubPairsRequest()).model_dump_json(),
}


def a_note(path: str, said: str) -> SharedNote:
    chunk = SharedChunk(text=f"flour {said}", embedding=AXIS)
    return SharedNote(path=path, name=path, hash=said, chunks=(chunk,), wanted=(f"Gap {said}",))


@pytest.fixture
def people(database: Database) -> dict[str, Person]:
    """Ada's vault, of which ben may read a folder as a member of a group; he has one, too."""
    with database.begin() as connection:
        accounts = People(connection, "test")
        found = {name: accounts.add(name) for name in ("ada", "ben")}
        accounts.add_group("bakers")
        accounts.join("ben", "bakers")
        for name in found:
            accounts.add_vault(f"{name}'s notes", name)
        bakers = Grantee("bakers", is_group=True)
        accounts.grant("ada's notes", bakers, Role.READER, folder="Open")
    publish(database, found["ada"], a_note("Open/A.md", "first"), a_note("Open/B.md", "first"))
    publish(database, found["ben"], a_note("Mine.md", "mine"))
    return found


def publish(database: Database, owner: Person, *notes: SharedNote) -> None:
    with database.begin() as connection:
        vault = Vault(connection, f"{owner.name}'s notes", owner)
        vault.apply(Batch(revision=vault.published().revision, model="m", notes=notes))


@pytest.fixture
def hub(database: Database) -> Iterator[tuple[HubService, list[str]]]:
    """A server, and the statements that it sends."""
    other, sent = Database(database.url), []

    def note(_connection: Any, _cursor: Any, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(other._engine, "before_cursor_execute", note)
    with closing(a_service(other, lambda: NOW)) as service:
        yield service, sent


def asked_notes(sent: list[str]) -> list[str]:
    return [each for each in sent if "FROM chunks" in each or "FROM wanted" in each]


@pytest.mark.parametrize("name", ASKS)
def test_an_answer_is_kept_until_something_changes_that_somebody_may_read(
    database: Database, people: dict[str, Person], hub: tuple[HubService, list[str]], name: str
) -> None:
    service, sent = hub
    ben, ask = people["ben"], ASKS[name]
    first = ask(service, ben)
    assert "first" in first or "Open/A.md" in first
    sent.clear()
    assert ask(service, ben) == first
    assert not asked_notes(sent)
    publish(database, people["ada"], a_note("Open/A.md", "second"), a_note("Open/B.md", "second"))
    assert "second" in ask(service, ben) or name == "experts"
    assert asked_notes(sent)


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize(
    "withdraw",
    [
        lambda people: people.revoke("ada's notes", Grantee("bakers", is_group=True)),
        lambda people: people.leave("ben", "bakers"),
        lambda people: people.delete_vault("ada's notes"),
        lambda people: people.delete("ada"),
        lambda people: people.disable("ben"),
    ],
)
def test_a_right_that_ends_ends_at_once_also_for_answers_that_are_kept(
    database: Database,
    people: dict[str, Person],
    hub: tuple[HubService, list[str]],
    name: str,
    withdraw: Callable[[People], None],
) -> None:
    service, _ = hub
    ben = people["ben"]
    assert "ada" in ASKS[name](service, ben) or name == "gaps"
    with database.begin() as connection:
        withdraw(People(connection, "test"))
    after = ASKS[name](service, ben)
    assert "ada" not in after
    assert "first" not in after


def test_what_a_worker_embeds_is_found_although_an_answer_is_kept(
    database: Database,
    people: dict[str, Person],
    hub: tuple[HubService, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.fakes.embedder.DIMENSION", DIMENSIONS)
    embedder = FakeEmbedder()
    vector = packed(embedder.embed(["rye bread"])[0])
    request = HubSearchRequest(query="zzz", embedding=vector)
    late = SharedNote(path="Late.md", hash="1", chunks=(SharedChunk(text="rye bread"),))
    publish(database, people["ben"], late)
    service, _ = hub
    assert "Late.md" not in service.search(people["ben"], request).model_dump_json()
    with database.begin() as connection:
        require_model(connection, "m")
    assert embed_slice(database, embedder) == 1
    assert "Late.md" in service.search(people["ben"], request).model_dump_json()


def test_pairs_are_of_different_people_and_only_where_both_can_be_read(
    database: Database, people: dict[str, Person], hub: tuple[HubService, list[str]]
) -> None:
    service, _ = hub
    publish(database, people["ada"], a_note("Closed.md", "third"))
    [*pairs] = service.pairs(people["ben"], HubPairsRequest()).root
    assert {(each.one.path, each.other.path) for each in pairs} == {
        ("Open/A.md", "Mine.md"),
        ("Open/B.md", "Mine.md"),
    }
    assert service.pairs(people["ada"], HubPairsRequest()).root == ()
