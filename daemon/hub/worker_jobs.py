"""Jobs of the hub's workers, in Procrastinate's tables of the same database.

A job says that there is work and not which: it takes what waits in the database under a lock of a
transaction, and stores the result in the same transaction. So a job that runs twice, or a worker
that is killed or paused in the middle, leaves each effect once or not at all.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from math import ceil
from typing import TypeVar

from procrastinate import App, PsycopgConnector, RetryStrategy, SyncPsycopgConnector
from procrastinate.exceptions import ConnectorException, ProcrastinateException
from procrastinate.jobs import Job, Status
from procrastinate.schema import SchemaManager
from sqlalchemy import text

from daemon.hub.attempts import MOST, forget_attempts
from daemon.hub.database import CONNECTED, Database
from daemon.hub.job_steps import Found, Tools, embed_some, expected, extract_one, serve_some
from daemon.hub.logins import forget_ended
from daemon.hub.night_budget import forget_spending
from daemon.hub.service_requests import Requests, Services
from daemon.hub.waiting_chunks import EMBED, SLICE, slices_waiting
from daemon.hub.web_documents import EXTRACT, Documents
from daemon.hub.workload import forget_old
from daemon.model.errors import HubError, HubVersionError
from daemon.model.shared_requests import MODELS, RESEARCH

T = TypeVar("T")
__all__ = ["QUEUES", "FailedJob", "Jobs", "Tools", "schema", "work"]

QUEUES = (EMBED, EXTRACT, RESEARCH, MODELS)
_SERVED = (RESEARCH, MODELS)  # queues of requests to services
_HOUSE = "house"  # the queue of repairs, on which every worker works
_LEASE = 30.0  # seconds without a heartbeat, after which a worker's jobs are given to others
_BEAT = 5.0  # seconds between heartbeats
_POLL = 1.0  # seconds between looks for jobs that were put off and are due
_AT_ONCE = 4  # jobs in one worker that mostly waits for others
_ANNOUNCE = 60.0  # seconds between announcements of what a worker offers
_RECONNECT = 5.0  # seconds until a worker tries a lost database again
_RETRY = RetryStrategy(max_attempts=4, exponential_wait=3)  # after the first attempt
_FORGET_REPAIRS = text(
    "DELETE FROM procrastinate_jobs WHERE queue_name = :queue AND status = 'failed'"
)
# No job is put off for longer than the last wait before an attempt, by the database's clock.
_SOON = text("""
UPDATE procrastinate_jobs SET scheduled_at = now()
WHERE status = 'todo' AND scheduled_at > now() + interval '5 minutes'
""")
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
        connector = SyncPsycopgConnector(
            conninfo=self.database.url, min_size=0, max_size=2, kwargs=CONNECTED
        )
        self._app = _app_on(connector, self.database, None)
        self._app.open()

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def hand_over(self, chunks: int) -> None:
        """Have so many chunks embedded by workers."""
        self._defer(EMBED, ceil(chunks / SLICE))

    def hand_over_document(self) -> None:
        """Have a document fetched and read by a worker."""
        self._defer(EXTRACT, 1)

    def hand_over_request(self, queue: str) -> None:
        """Have a request to a service sent by a worker."""
        self._defer(queue, 1)

    def _defer(self, task: str, number: int) -> None:
        try:
            for _ in range(number):
                self._app.tasks[task].defer()
        except ProcrastinateException as error:  # what is to be done is stored: workers find it
            _log.warning("jobs could not be added: %s", error)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the number of jobs by queue and status."""
        found = self._app.job_manager.list_queues()
        statuses = ("todo", "doing", "succeeded", "failed")
        return {row["name"]: {each: row[each] for each in statuses} for row in found}

    def failed(self) -> list[FailedJob]:
        """Return the jobs that failed for good."""
        rows = self._app.job_manager.list_jobs(status="failed")
        # Repairs that failed are none: there is another one each minute.
        found = (job for job in rows if job.queue != _HOUSE)
        return [FailedJob(job.id or 0, job.queue, job.attempts) for job in found]

    def retry(self, job: int, now: datetime) -> None:
        """Retry a job that failed for good. Raises HubError if there is none."""
        if job not in {each.id for each in self.failed()}:
            raise HubError(f"there is no failed job {job}")
        queue = next(each.queue for each in self.failed() if each.id == job)
        with self.database.begin() as connection:
            forget_attempts(connection, queue)
        self._app.job_manager.retry_job_by_id(job, now)


async def work(
    database: Database, tools: Tools, queues: Sequence[str], *, until_done: bool = False
) -> None:
    """Carry out jobs until SIGINT or SIGTERM, or `until_done`; Ctrl-C lets a job end.

    When the database is away, it is tried again. Raises HubVersionError when its tables are not
    those of this version, or not any more: what waits is left to workers of that version.
    """
    while True:
        outdated: asyncio.Future[HubVersionError] = asyncio.get_running_loop().create_future()
        connector = PsycopgConnector(
            conninfo=database.url, min_size=1, max_size=4, kwargs=CONNECTED
        )
        app = _app_on(connector, database, tools, outdated)
        try:
            async with app.open_async():
                database.require_current()
                working = _work_on(app, database, tools, queues, until_done=until_done)
                await _unless(outdated, asyncio.ensure_future(working))
                return
        except HubVersionError:
            raise
        except (ProcrastinateException, HubError) as error:
            if until_done:
                raise
            _log.warning("the database is tried again in %g s: %s", _RECONNECT, error)
            await asyncio.sleep(_RECONNECT)


async def _unless(
    outdated: "asyncio.Future[HubVersionError]", working: "asyncio.Future[None]"
) -> None:
    """Wait until the work is over; when the tables are of another version, its jobs end first.

    Raises HubVersionError, and what the work raises.
    """
    try:
        await asyncio.wait((working, outdated), return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not working.done():
            working.cancel()
    if outdated.done():
        await asyncio.gather(working, return_exceptions=True)
        raise outdated.result()
    await working


async def _work_on(
    app: App, database: Database, tools: Tools, queues: Sequence[str], *, until_done: bool
) -> None:
    """Carry out jobs. Raises ProcrastinateException, HubError if the database is away."""
    offered = {queue: tools.services.get(queue, {}) for queue in _SERVED if queue in queues}
    _offer(database, offered)
    await _repair(app, database)
    announcing = asyncio.create_task(_announce(database, offered))
    try:
        await app.run_worker_async(
            queues=[*queues, _HOUSE],
            wait=not until_done,
            concurrency=1 if set(queues) == {EMBED} else _AT_ONCE,
            update_heartbeat_interval=_BEAT,
            stalled_worker_timeout=_LEASE,
            fetch_job_polling_interval=_POLL,
            delete_jobs="successful",
            install_signal_handlers=not until_done,
        )
    finally:
        announcing.cancel()


async def _announce(database: Database, offered: Services) -> None:
    """Say again and again what this worker offers: a service is one while some worker does."""
    while True:
        await asyncio.sleep(_ANNOUNCE)
        try:
            await asyncio.to_thread(_offer, database, offered)
        except HubError as error:
            _log.warning("the database does not answer: %s", error)


def _offer(database: Database, offered: Services) -> None:
    with database.begin() as connection:
        for queue, found in offered.items():
            Requests(connection).offer(queue, found)


def _app_on(
    connector: PsycopgConnector | SyncPsycopgConnector,
    database: Database,
    tools: Tools | None,
    outdated: "asyncio.Future[HubVersionError] | None" = None,
) -> App:
    app = App(connector=connector)

    carry_out = partial(_carry_out, app, outdated)

    @app.task(name=EMBED, queue=EMBED, retry=_RETRY)
    async def embed() -> None:
        job = partial(embed_some, database, _of_worker(tools))
        await _look_again(app, database, EMBED, await carry_out(EMBED, job))

    @app.task(name=EXTRACT, queue=EXTRACT, retry=_RETRY)
    async def extract() -> None:
        job = partial(extract_one, database, _of_worker(tools))
        await _look_again(app, database, EXTRACT, await carry_out(EXTRACT, job))

    @app.task(name=RESEARCH, queue=RESEARCH, retry=_RETRY)
    async def research() -> None:
        await serve(RESEARCH)

    @app.task(name=MODELS, queue=MODELS, retry=_RETRY)
    async def models() -> None:
        await serve(MODELS)

    async def serve(queue: str) -> None:
        offered = _of_worker(tools).services.get(queue, {})
        job = partial(serve_some, database, queue, offered)
        await _look_again(app, database, queue, await carry_out(queue, job))

    @app.periodic(cron="* * * * *")
    @app.task(name="repair", queue=_HOUSE, queueing_lock="repair")
    async def repair(timestamp: int) -> None:
        del timestamp  # which a periodic task is given
        await _repair(app, database)

    return app


async def _carry_out(
    app: App,
    outdated: "asyncio.Future[HubVersionError] | None",
    queue: str,
    job: Callable[[], T],
) -> T | None:
    """Carry out a job; if the tables are of another version, leave it to another worker."""
    try:
        return await asyncio.to_thread(job)
    except HubVersionError as error:
        await app.tasks[queue].defer_async()
        if outdated is not None and not outdated.done():
            outdated.set_result(error)
        return None


async def _look_again(app: App, database: Database, queue: str, found: Found | None) -> None:
    """Have what waits done by another job: at once from a place that is free now, or later, when a
    site or a service is; None: nothing waits.

    The time is the database's: a worker's clock may be wrong. No lock of Procrastinate keeps such
    jobs from being many: a job that has one cannot be tried again while another one waits.
    """
    freed, later = found or ("", None)
    if later is None:
        return
    at_once, put_off = await asyncio.to_thread(expected, database, queue)
    if freed and at_once < _AT_ONCE:
        await app.tasks[queue].defer_async()
    if not freed and not put_off:
        await app.tasks[queue].configure(schedule_at=later).defer_async()


def _of_worker(tools: Tools | None) -> Tools:
    if tools is None:
        raise HubError("only a worker carries out jobs")
    return tools


async def _repair(app: App, database: Database) -> None:
    """Give the jobs of dead workers to others, and replace jobs that were lost."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=_LEASE):
        try:
            await _take_back(app, job)
        except ConnectorException as error:  # or the database is away, which is raised below
            _log.info("job %s was given to others by another worker: %s", job.id, error)
    with database.begin() as connection:
        connection.execute(_FORGET_REPAIRS, {"queue": _HOUSE})
        connection.execute(_SOON)  # a worker with a wrong clock may have put them off for a day
        documents = Documents(connection)
        documents.tidy()
        requests = Requests(connection)
        requests.tidy()
        forget_old(connection)
        forget_ended(connection)
        forget_spending(connection)
        needed = {
            EMBED: slices_waiting(connection),
            EXTRACT: documents.number_waiting(),
            **{queue: requests.number_waiting(queue) for queue in _SERVED},
        }
    for queue, number in needed.items():
        # A job that failed for good stands for its work until somebody retries it.
        known = [
            job
            for status in ("todo", "doing", "failed")
            for job in await app.job_manager.list_jobs_async(queue=queue, status=status)
        ]
        for _ in range(number - len(known)):
            await app.tasks[queue].defer_async()


async def _take_back(app: App, job: Job) -> None:
    """Give the job of a dead worker to others, or give it up."""
    id_ = job.id or 0
    if job.attempts + 1 >= MOST:  # its workers die of it
        await app.job_manager.finish_job_by_id_async(id_, Status.FAILED, delete_job=False)
    elif job.queueing_lock:  # there will be another one
        await app.job_manager.finish_job_by_id_async(id_, Status.FAILED, delete_job=True)
    else:
        await app.job_manager.retry_job(job)


def schema() -> str:
    """Return the statements that create Procrastinate's tables."""
    return SchemaManager.get_schema()
