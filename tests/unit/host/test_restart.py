"""A database that is killed and comes back: vaults and servers go on. Its server is its own, and
its user no superuser.
"""

import subprocess
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from sqlalchemy import text

from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.shared_search import SharedSearch
from tests.fakes.postgres import TEMPLATE, of_database, pgserver, programs
from tests.unit.host.test_publishing import Host, host

__all__ = ["host"]  # fixtures


def as_hub(url: str) -> str:
    """Return the URL for the user of the hub, who is no superuser."""
    return url.replace("//postgres:@", "//hub:@")


@pytest.fixture
def database(server: str) -> Iterator[Database]:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE again TEMPLATE {TEMPLATE} OWNER hub")
    made = Database(as_hub(of_database(server, "again")))
    yield made
    made.close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a server that no other test uses."""
    with TemporaryDirectory(prefix="lacuna-pg-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        running = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        url: str = running.get_uri()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE ROLE hub LOGIN CREATEROLE")
            connection.execute(f"CREATE DATABASE {TEMPLATE} OWNER hub")
        with psycopg.connect(of_database(url, TEMPLATE), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        made = Database(as_hub(of_database(url, TEMPLATE)))
        made.migrate()
        made.close()
        yield url
        running.cleanup()


def test_a_vault_publishes_on_after_the_database_was_killed_and_came_back(
    server: str, host: tuple[Host, ExitStack]
) -> None:
    made, _ = host
    assert made.turn()
    made.write("Shared/Rye.md", "# Rye\n\nSour.\n")
    with psycopg.connect(server) as connection:
        [data] = connection.execute("SHOW data_directory").fetchone() or ("",)
    user = Path(data).owner()
    program = programs(server) / "pg_ctl"

    def control(*words: str) -> None:
        command = [program, "-D", data, "-w", *words]
        subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, cwd="/")

    control("-m", "immediate", "stop")
    assert made.turn()
    assert made.publishing.next_at > made.now  # it failed, and waits
    control("-l", f"{data}/again.log", "restart")
    made.now += timedelta(minutes=1)
    assert made.turn()
    assert made.published.keys() == {"Shared/Bread.md", "Shared/Rye.md"}
    with made.database.begin() as hub:
        ada = People(hub, "test").find("ada")
        assert hub.scalar(text("SHOW is_superuser")) == "off"
    with made.database.as_person(ada.id) as seen:
        hits = SharedSearch(seen).search("sour", None, 5)
    assert [hit.path for hit in hits] == ["Shared/Rye.md"]
