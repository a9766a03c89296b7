"""Workers of two versions beside each other while the hub's tables are migrated."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import text

from daemon.hub import database as hub_database
from daemon.hub.database import MIGRATING, Database
from daemon.hub.waiting_chunks import EMBED, SLICE
from daemon.hub.worker_jobs import Jobs, Tools, work
from daemon.model.errors import HubVersionError
from tests.fakes.hub_work import Model, no_network, publish, waiting
from tests.fakes.postgres import wait_for_lock

NEWER = "9999"


def work_on(database: Database, model: Model, *, until_done: bool) -> None:
    asyncio.run(work(database, Tools(model, no_network), [EMBED], until_done=until_done))


def migrate(database: Database, version: str = NEWER) -> None:
    """Do what a version does that has one migration more."""
    with database.begin() as connection:
        connection.execute(MIGRATING)
        connection.execute(text("ALTER TABLE chunks ADD COLUMN more text"))
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})


def test_a_worker_that_is_older_than_the_tables_ends_its_job_and_takes_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(database, "A", 3 * SLICE)
    older, newer = Model(), Model()
    older.goes_on.clear()
    with closing(Jobs(database)) as jobs, ThreadPoolExecutor() as pool:
        jobs.hand_over(3 * SLICE)
        working = pool.submit(work_on, database, older, until_done=False)
        assert older.begun.wait(30)
        migrating = pool.submit(migrate, database)
        wait_for_lock(database, migrating)
        assert not migrating.done()  # it waits for the job
        older.goes_on.set()
        migrating.result(30)
        with pytest.raises(HubVersionError) as ended:  # by itself
            working.result(30)
        assert str(ended.value).startswith(f"the hub's tables are of version {NEWER}, newer than")
        assert len(older.seen) < 3 * SLICE
        monkeypatch.setattr(hub_database, "_head", lambda: NEWER)
        work_on(database, newer, until_done=True)
        seen = older.seen + newer.seen
        assert len(seen) == len(set(seen)) == 3 * SLICE
        assert waiting(database) == 0
        assert jobs.failed() == []


def test_a_worker_that_is_newer_than_the_tables_asks_for_their_migration(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(database, "A", 1)
    monkeypatch.setattr(hub_database, "_head", lambda: NEWER)
    model = Model()
    with pytest.raises(HubVersionError, match="this one needs 9999: `lacuna hub migrate`"):
        work_on(database, model, until_done=False)
    assert model.seen == []
    migrate(database)
    work_on(database, model, until_done=True)
    assert model.seen == ["A 0"]
