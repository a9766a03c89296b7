"""Workers of a hub that are killed, paused and cut off: `python -m bench hub_faults` in short."""

import asyncio
import random
from pathlib import Path

import pytest
from sqlalchemy import text

from bench.hub_faults import Faults, Work, effects
from bench.hub_worker import SERVICE, SlowModel, SlowService, slow_page
from daemon.hub.database import Database
from daemon.hub.night_budget import HubLedger
from daemon.hub.worker_jobs import QUEUES, Tools, work
from daemon.model.shared_requests import MODELS, RESEARCH
from tests.fakes.postgres import database, server

__all__ = ["database", "server"]  # fixtures
_AGED = (
    "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'",
    "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE scheduled_at > now()",
)


class ShortFaults(Faults):
    """After the last fault, the lease of every worker has run out, and one is left that works."""

    def _finish(self, work_: Work) -> None:
        service = SlowService(HubLedger(self.database), self.sent)
        services = {queue: {SERVICE: service} for queue in (RESEARCH, MODELS)}
        tools = Tools(SlowModel(), slow_page, services)
        for _ in range(20):
            self._wake()
            with self.database.begin() as connection:
                for statement in _AGED:
                    connection.execute(text(statement))
            asyncio.run(work(self.database, tools, QUEUES, until_done=True))
            if not work_.is_left() and not any(each.wakes_at for each in self.workers):
                return


@pytest.mark.long(20)
def test_workers_that_are_killed_paused_and_cut_off_leave_each_effect_once(
    database: Database, tmp_path: Path
) -> None:
    faults = ShortFaults(database, tmp_path / "sent.txt", random.Random(3), pause=1.0, most=0.3)
    faults.run(4)
    found = effects(database, faults.sent, faults.done)
    assert all(faults.done[name] == 1 for name in ("kill", "stop", "cut", "swallow"))
    assert found.tasks == 4 * 67
    assert found.is_exact, found
