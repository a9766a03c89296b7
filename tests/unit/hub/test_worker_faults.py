"""Workers in processes of their own, disturbed in the middle of a slice, a page and two requests.

`python -m bench hub_faults` does it 200 times, at random moments.
"""

import asyncio
import signal
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from bench.hub_faults import Effects, Work, effects
from bench.hub_server import wait_until
from bench.hub_tools import slow_tools
from daemon.hub.database import Database
from daemon.hub.waiting_chunks import SLICE
from daemon.hub.worker_jobs import QUEUES, work
from tests.fakes.hub_worker import HeldWorker
from tests.fakes.postgres import database, server

__all__ = ["database", "server"]  # fixtures

JOBS = len(QUEUES)
TASKS = SLICE + JOBS - 1  # passages, a page, a query and a call
# The lease of every worker has run out, and what was put off is due.
LATER = (
    "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'",
    "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE scheduled_at > now()",
)


def work_until(database: Database, sent: Path, left: int) -> Effects:
    """Have another worker do what it can, until so much is left."""
    found = Effects()

    def is_done() -> bool:
        nonlocal found
        with database.begin() as connection:
            for statement in LATER:
                connection.execute(text(statement))
        tools = slow_tools(database, sent, lambda: None)
        asyncio.run(work(database, tools, QUEUES, until_done=True))
        found = effects(database, sent, Counter())
        return found.never <= left

    wait_until(is_done, 60)
    return found


@pytest.mark.long(12)
def test_workers_that_are_killed_paused_and_cut_off_leave_each_effect_once(
    database: Database, tmp_path: Path
) -> None:
    arriving, sent = Work(database), tmp_path / "sent.txt"
    with ExitStack() as stack:
        workers = [HeldWorker(database, sent) for _ in range(3)]
        for worker in workers:
            stack.callback(worker.end)
        for at, worker in enumerate(workers):
            arriving.arrives(at)
            worker.begin(JOBS)
        killed, paused, cut = workers
        killed.process.kill()
        paused.process.send_signal(signal.SIGSTOP)
        cut.network.close()

        found = work_until(database, sent, left=TASKS)

        assert (found.never, found.twice) == (TASKS, 0)  # nobody takes what the paused one has
        assert found.sent_again == 4  # by those that were killed and cut off
    found = effects(database, sent, Counter())  # two of them went on, and ended
    assert found.tasks == 3 * TASKS
    assert found.is_exact, found
