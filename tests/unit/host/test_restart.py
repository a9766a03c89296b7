"""A database that is killed and comes back: vaults and servers go on. Its server is its own."""

import subprocess
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from daemon.hub.database import Database
from tests.fakes.postgres import TEMPLATE, database, of_database, pgserver, programs
from tests.unit.host.test_publishing import Host, host

__all__ = ["database", "host"]  # fixtures


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a server that no other test uses."""
    with TemporaryDirectory(prefix="lacuna-pg-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        running = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        url: str = running.get_uri()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {TEMPLATE}")
        made = Database(of_database(url, TEMPLATE))
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
