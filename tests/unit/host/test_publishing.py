"""The daemon publishes what changed to a hub, and what a hub missed while it was away."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.host.publishing import Publishing
from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.published import Vault
from daemon.model.progress import no_progress
from daemon.model.shared_notes import DIMENSIONS
from daemon.usecases.hub import publish_changes
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.hub_site import serving
from tests.fakes.keyring import FakeKeyring
from tests.fakes.postgres import database, server

__all__ = ["database", "server"]  # fixtures

NAME = "ada's notes"
NOW = datetime.now(UTC)  # the hub checks when a token ends


@dataclass
class Host:
    """A vault, and its hub, which can be away."""

    app: App
    folder: Path
    database: Database
    address: str
    now: datetime = NOW
    ended: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.publishing = Publishing(self.app, lambda: self.now, self.ended.set)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        self.app.index.knowledge.sync(now=self.now)

    def turn(self) -> bool:
        """Let the daemon publish if it is due; return whether it tried."""
        self.ended.clear()
        has_begun = self.publishing.start_if_due()
        assert not has_begun or self.ended.wait(60)
        return has_begun

    @property
    def published(self) -> dict[str, str]:
        with self.database.begin() as connection:
            owner = People(connection, "test").find("ada")
            return Vault(connection, NAME, owner).published().hashes


@pytest.fixture
def host(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Host, ExitStack]]:
    """A vault with one note, and a stack with its running hub: closed, the hub is away."""
    monkeypatch.setattr("tests.fakes.embedder.DIMENSION", DIMENSIONS)
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    keyring = FakeKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(f"keyring.{name}", getattr(keyring, name))
    with database.begin() as connection:
        people = People(connection, "test")
        people.add("ada")
        people.add_vault(NAME, "ada")
        token = people.new_token("ada", "laptop", NOW, timedelta(days=1))
    keyring.set_password("lacuna", "hub", token)
    (tmp_path / "vault" / "Private").mkdir(parents=True)
    with ExitStack() as running:
        url = database.url
        address = running.enter_context(serving(url))
        values = {"vault": tmp_path / "vault", "hub.url": address, "hub.vault": NAME}
        settings = settings_from({**values, "hub.folders": ["Shared"], "hub.text": True})
        (tmp_path / "vault" / "Shared").mkdir()
        with closing(open_app(settings, state=tmp_path / "state")) as app:
            made = Host(app, tmp_path / "vault", database, address)
            made.write("Shared/Bread.md", "# Bread\n\nStarch.\n")
            yield made, running


def test_a_change_is_published_once_and_only_where_the_settings_say(
    host: tuple[Host, ExitStack],
) -> None:
    made, _ = host
    assert made.turn()
    assert made.published.keys() == {"Shared/Bread.md"}
    assert not made.turn()
    before = made.published["Shared/Bread.md"]
    made.write("Shared/Bread.md", "# Bread\n\nStarch crystals.\n")
    made.write("Private/Salary.md", "# Salary\n\nMuch.\n")
    assert made.turn()
    assert made.published.keys() == {"Shared/Bread.md"}
    assert made.published["Shared/Bread.md"] != before
    (made.folder / "Shared/Bread.md").unlink()
    made.write("Shared/Rye.md", "# Rye\n\nSour.\n")
    assert made.turn()
    assert made.published.keys() == {"Shared/Rye.md"}


def test_a_hub_that_was_away_gets_what_it_missed_and_is_not_asked_all_the_time(
    host: tuple[Host, ExitStack],
) -> None:
    made, running = host
    running.close()
    assert made.turn()
    made.write("Shared/Rye.md", "# Rye\n\nSour.\n")
    assert not made.turn()
    made.now += timedelta(seconds=15)
    assert made.turn()
    made.now += timedelta(seconds=15)
    assert not made.turn()  # it waits longer now
    assert made.published == {}
    with serving(made.database.url, int(made.address.rpartition(":")[2])):
        made.now += timedelta(minutes=10)
        assert made.turn()
    assert made.published.keys() == {"Shared/Bread.md", "Shared/Rye.md"}


def test_a_hub_restored_from_a_copy_is_compared_within_an_hour(
    host: tuple[Host, ExitStack],
) -> None:
    made, _ = host
    made.turn()
    with made.database.begin() as connection:
        people = People(connection, "test")
        people.delete_vault(NAME)
        people.add_vault(NAME, "ada")
    made.now += timedelta(hours=1)
    assert made.turn()
    assert made.published.keys() == {"Shared/Bread.md"}


def test_whatever_a_note_contains_can_be_sent(host: tuple[Host, ExitStack]) -> None:
    made, _ = host
    made.write("Shared/Zero.md", "# Zero\n\nA character 0: \0.\n")
    made.write("Shared/Long.md", f"# {'long ' * 400}\n\n[[{'x' * 2_000}]]\n")
    assert made.turn()
    assert len(made.published) == 3


def test_a_second_machine_with_the_same_vault_sends_nothing_again(
    host: tuple[Host, ExitStack], tmp_path: Path
) -> None:
    made, _ = host
    made.turn()
    settings = made.app.settings
    with closing(open_app(settings, state=tmp_path / "other")) as app:
        app.index.knowledge.sync(now=NOW)
        assert publish_changes(app, no_progress, compare=True).sent == 0


def test_a_process_that_ends_sends_no_further_batch(host: tuple[Host, ExitStack]) -> None:
    made, _ = host
    made.publishing.close()
    made.publishing.start_if_due()
    made.publishing.close()
    assert made.published == {}
