"""`lacuna hub`: a group of vaults on one machine, with real PostgreSQL."""

import sys
from pathlib import Path

import pytest

from daemon import usecases
from daemon.hub.tables import DIMENSIONS
from tests.fakes.cli import Cli
from tests.fakes.postgres import empty, server

__all__ = ["empty", "server"]  # fixtures


@pytest.fixture
def shared(
    ready: Cli, empty: str, vault: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> Cli:
    """A vault of ada's, whose folder Baking ben may read."""
    monkeypatch.setattr("tests.fakes.embedder.DIMENSION", DIMENSIONS)
    ready.settings(vault=vault, library__folder=library, hub__database=empty)
    assert ready("index").code == 0
    for command in (
        ("init",),
        ("person", "add", "ada"),
        ("person", "add", "ben"),
        ("vault", "add", "ada's notes", "--owner", "ada"),
        ("grant", "ada's notes", "ben", "--folder", "Baking"),
        ("publish", "ada's notes", "--as", "ada", "--all", "--text"),
    ):
        done = ready("hub", *command)
        assert done.code == 0, done.err
    return ready


def test_a_vault_is_published_and_found_by_who_may_read_it(shared: Cli, vault: Path) -> None:
    def found(person: str) -> set[str]:
        hits = shared("hub", "search", "crumb steam", "--as", person, "--json").json
        return {hit["path"] for hit in hits}

    assert "Sourdough.md" in found("ada")
    assert found("ben") == {"Baking/Steam in the oven.md", "Baking/Lonely crumb.md"}
    state = shared("hub", "status", "--json").json
    assert (state["version"], state["people"], state["vaults"]) == ("0001", 2, 1)
    (vault / "Baking/Lonely crumb.md").unlink()
    (vault / "Baking/Steam in the oven.md").write_text("# Steam in the oven\n\nCrumb and steam.\n")
    shared("index")
    again = ("publish", "ada's notes", "--as", "ada", "--folder", "Baking", "--text", "--json")
    assert shared("hub", *again).json == {"shared": 1, "sent": 1, "withdrawn": 4}
    assert shared("hub", *again).json == {"shared": 1, "sent": 0, "withdrawn": 0}
    shared("hub", "revoke", "ada's notes", "ben")
    assert found("ben") == set()


def test_without_text_only_embeddings_and_paths_leave_the_vault(shared: Cli) -> None:
    shared("hub", "publish", "ada's notes", "--as", "ada", "--all")
    hits = shared("hub", "search", "steam", "--as", "ada", "--json").json
    assert hits
    assert {(hit["name"], hit["text"], hit["heading"]) for hit in hits} == {(None, None, "")}


def test_errors_say_in_one_line_what_to_do(
    ready: Cli, monkeypatch: pytest.MonkeyPatch, vault: Path
) -> None:
    assert "this machine runs no hub" in ready("hub", "status").complaint
    ready.settings(vault=vault, hub__database="postgresql://nobody@/x?host=/nowhere")
    assert "the database refused" in ready("hub", "init").complaint
    ready.settings(vault=vault, hub__database="postgresql://me:secret@host/x")
    assert "~/.pgpass" in ready("hub", "status").err
    for name in [name for name in sys.modules if name.startswith(("daemon.cli.hub", "daemon.hub"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "daemon.usecases.hub", raising=False)
    monkeypatch.delattr(usecases, "hub", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    assert "pip install 'lacuna-daemon[hub]'" in ready("hub", "status").err


def test_people_groups_vaults_and_tokens_end_when_they_are_deleted(shared: Cli) -> None:
    assert "group bakers created" in shared("hub", "group", "bakers", "ben").out
    token = shared("hub", "token", "ben", "laptop", "--json").json["token"]
    assert len(token) >= 43
    assert "1 revoked" in shared("hub", "token", "ben", "laptop", "--revoke").out
    assert "there is no person called eve" in shared("hub", "person", "delete", "eve").complaint
    shared("hub", "person", "delete", "ada")
    assert shared("hub", "status", "--json").json["notes"] == 0
