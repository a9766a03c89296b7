"""Jobs of the hub's workers, in Procrastinate's tables of the same database.

A job says that there is work and not which: it takes what waits in the database under a lock of a
transaction, and stores the result in the same transaction. So a job that runs twice, or a worker
that is killed or paused in the middle, leaves each effect once or not at all.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from procrastinate import App, PsycopgConnector, RetryStrategy, SyncPsycopgConnector
from procrastinate.exceptions import ProcrastinateException
from procrastinate.schema import SchemaManager

from daemon.hub.database import Database
from daemon.hub.waiting_chunks import SLICE, embed_slice, number_waiting, require_model
from daemon.model.errors import HubError
from daemon.ports import Embedder

EMBED = "embed"
QUEUES = (EMBED,)
_HOUSE = "house"  # the queue of repairs, on which every worker works
_LEASE = 30.0  # seconds without a heartbeat, after which a worker's jobs are given to others
_BEAT = 5.0  # seconds between heartbeats
_RETRY = RetryStrategy(max_attempts=4, exponential_wait=3)  # after the first attempt
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that was given up after its attempts: it waits for somebody to look at it."""

    id: int
    queue: str
    attempts: int


@dataclass(slots=True)
class Jobs:
    """What is to be done, for servers that hand work over."""

    database: Database
    _app: App = field(init=False)

    def __post_init__(self) -> None:
        connector = SyncPsycopgConnector(conninfo=self.database.url, min_size=0, max_size=2)
        self._app = _app_on(connector, self.database, None)
        self._app.open()

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def hand_over(self, chunks: int) -> None:
        """Have so many chunks embedded by workers."""
        try:
            for _ in range(ceil(chunks / SLICE)):
                self._app.tasks[EMBED].defer()
        except ProcrastinateException as error:  # the chunks are stored: workers find them
            _log.warning("jobs could not be added: %s", error)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the number of jobs by queue and status."""
        found = self._app.job_manager.list_queues()
        statuses = ("todo", "doing", "succeeded", "failed")
        return {row["name"]: {each: row[each] for each in statuses} for row in found}

    def failed(self) -> list[FailedJob]:
        """Return the jobs that failed for good."""
        rows = self._app.job_manager.list_jobs(status="failed")
        return [FailedJob(job.id or 0, job.queue, job.attempts) for job in rows]

    def retry(self, job: int, now: datetime) -> None:
        """Retry a job that failed for good. Raises HubError if there is none."""
        if job not in {each.id for each in self.failed()}:
            raise HubError(f"there is no failed job {job}")
        self._app.job_manager.retry_job_by_id(job, now)


async def work(
    database: Database, embedder: Embedder, queues: Sequence[str], *, until_done: bool = False
) -> None:
    """Carry out jobs until SIGINT or SIGTERM, or `until_done`; Ctrl-C lets a job end."""
    connector = PsycopgConnector(conninfo=database.url, min_size=1, max_size=4)
    app = _app_on(connector, database, embedder)
    async with app.open_async():
        await _repair(app, database)
        await app.run_worker_async(
            queues=[*queues, _HOUSE],
            wait=not until_done,
            update_heartbeat_interval=_BEAT,
            stalled_worker_timeout=_LEASE,
            fetch_job_polling_interval=5.0,
            delete_jobs="successful",
            install_signal_handlers=not until_done,
        )


def _app_on(
    connector: PsycopgConnector | SyncPsycopgConnector,
    database: Database,
    embedder: Embedder | None,
) -> App:
    app = App(connector=connector)

    @app.task(name=EMBED, queue=EMBED, retry=_RETRY)
    def embed() -> None:
        if embedder is None:
            raise HubError("only a worker embeds")
        with database.begin() as connection:
            require_model(connection, embedder.model)
        with database.begin() as connection:
            done = embed_slice(connection, embedder)
        _log.info("embedded %d chunks", done)

    @app.periodic(cron="* * * * *")
    @app.task(name="repair", queue=_HOUSE, queueing_lock="repair")
    async def repair(timestamp: int) -> None:
        del timestamp  # which a periodic task is given
        await _repair(app, database)

    return app


async def _repair(app: App, database: Database) -> None:
    """Give the jobs of dead workers to others, and replace jobs that were lost."""
    manager = app.job_manager
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=_LEASE):
        await manager.retry_job(job)
    # A job that failed for good stands for its work until somebody retries it.
    known = [
        job
        for status in ("todo", "doing", "failed")
        for job in await manager.list_jobs_async(queue=EMBED, status=status)
    ]
    with database.begin() as connection:
        missing = number_waiting(connection) - SLICE * len(known)
    for _ in range(max(0, ceil(missing / SLICE))):
        await app.tasks[EMBED].defer_async()


def schema() -> str:
    """Return the statements that create Procrastinate's tables."""
    return SchemaManager.get_schema()
