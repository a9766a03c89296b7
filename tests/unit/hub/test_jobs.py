"""The hub's workers: what waits is done once, whoever ends in the middle."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime

import pytest
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from sqlalchemy import select, text

from daemon.hub import worker_jobs
from daemon.hub.attempts import MOST
from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.published import Vault
from daemon.hub.tables import chunks
from daemon.hub.waiting_chunks import EMBED, SLICE, embed_slice, slices_waiting
from daemon.hub.worker_jobs import Jobs, Tools, work
from daemon.hub.workload import by_vault
from daemon.model.errors import ModelError
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from daemon.ports import Vectors
from tests.fakes.hub_work import Model, no_network, publish, waiting

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def jobs(database: Database) -> Iterator[Jobs]:
    with closing(Jobs(database)) as found:
        yield found


def run(database: Database, model: Model) -> None:
    asyncio.run(work(database, Tools(model, no_network), [EMBED], until_done=True))


def test_two_workers_share_what_waits_and_do_it_once(database: Database, jobs: Jobs) -> None:
    publish(database, "A", 3 * SLICE)
    jobs.hand_over(3 * SLICE)
    models = [Model(), Model()]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda model: run(database, model), models))
    seen = [each for model in models for each in model.seen]
    assert len(seen) == len(set(seen)) == 3 * SLICE
    assert waiting(database) == 0


def test_a_worker_takes_what_another_one_has_not_locked(database: Database) -> None:
    publish(database, "A", SLICE + 1)
    slow, fast = Model(), Model()
    slow.goes_on.clear()
    with ThreadPoolExecutor() as pool:
        begun = pool.submit(_embed, database, slow)
        assert slow.begun.wait(30)
        assert _embed(database, fast) == 1
        slow.goes_on.set()
        assert begun.result() == SLICE
    assert not set(slow.seen) & set(fast.seen)


def test_a_worker_finds_the_one_vault_that_others_have_left(database: Database) -> None:
    for at in range(8):
        publish(database, f"vault {at}", 2)
    with database.begin() as connection:
        assert slices_waiting(connection) == 8
        connection.execute(text("SELECT id FROM chunks ORDER BY id LIMIT 14 FOR UPDATE"))
        assert _embed(database, Model()) == 2
        assert _embed(database, Model()) == 0


def _embed(database: Database, model: Model) -> int:
    return embed_slice(database, model)


def test_what_was_done_and_waits_is_counted_by_vault(database: Database) -> None:
    publish(database, "A", SLICE + 1)
    publish(database, "B", 1)
    model = Model()
    while "B 0" not in model.seen:
        _embed(database, model)
    with database.begin() as connection:
        shares = {each.vault: each for each in by_vault(connection)}
    of_a = SLICE + 1 - shares["A"].waiting
    assert of_a == sum(each.startswith("A") for each in model.seen) == shares["A"].day
    of_b = shares["B"]
    assert (of_b.owner, of_b.waiting, of_b.day) == ("owner of B", 0, 1)


def test_a_small_vault_does_not_wait_for_a_large_one(database: Database) -> None:
    publish(database, "large", 8 * SLICE)
    publish(database, "small", 1)
    publish(database, "smaller", 1)
    model = Model()
    for _ in range(7):
        _embed(database, model)
    assert model.seen.index("small 0") < model.seen.index("smaller 0")  # in the order of publishing


def test_jobs_that_shared_the_chunks_of_one_vault_leave_no_other_vault_without_a_job(
    database: Database, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are locked one by one: a second job may lock some of a vault that another one takes."""

    async def not_yet(*_: object) -> None: ...

    monkeypatch.setattr(worker_jobs, "_repair", not_yet)  # the next one is in a minute
    publish(database, "A", 4)
    publish(database, "B", 4)
    model = Model()
    with database.begin() as connection:
        connection.execute(text("SELECT id FROM chunks ORDER BY id LIMIT 2 FOR UPDATE"))
        jobs.hand_over(4)  # the other of the two jobs is the one that has locked half of A
        run(database, model)
        assert model.seen == ["A 2", "A 3", "B 0", "B 1", "B 2", "B 3"]


def kill_worker(database: Database) -> None:
    """Leave all jobs as after `kill -9`: fetched, and no heartbeat since."""
    with database.begin() as connection:
        connection.execute(text("INSERT INTO procrastinate_workers (last_heartbeat) "
                                "VALUES (now() - interval '1 minute')"))  # fmt: skip
        connection.execute(text("UPDATE procrastinate_jobs SET status = 'doing', worker_id = "
                                "(SELECT max(id) FROM procrastinate_workers)"))  # fmt: skip


def test_the_job_of_a_dead_worker_is_done_by_another_one(database: Database, jobs: Jobs) -> None:
    publish(database, "A", 1)
    jobs.hand_over(1)
    kill_worker(database)
    run(database, Model())
    assert waiting(database) == 0
    assert not any(queue["doing"] for queue in jobs.counts().values())


def test_the_locks_of_a_process_that_is_stopped_are_free_after_two_minutes(
    database: Database,
) -> None:
    with database.begin() as connection:
        found = connection.scalar(text("SHOW idle_in_transaction_session_timeout"))
    assert found == "2min"


def test_two_workers_that_find_the_job_of_a_dead_one_at_the_same_moment_both_go_on(
    database: Database, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    retry = JobManager.retry_job

    async def retry_second(manager: JobManager, job: Job) -> None:
        await retry(manager, job)  # by the other one
        await retry(manager, job)

    monkeypatch.setattr(JobManager, "retry_job", retry_second)
    publish(database, "A", 1)
    jobs.hand_over(1)
    kill_worker(database)
    run(database, Model())
    assert waiting(database) == 0


def test_a_repair_whose_worker_died_keeps_no_other_worker_from_repairing(
    database: Database, jobs: Jobs
) -> None:
    publish(database, "A", 1)
    run(database, Model())
    publish(database, "B", 1)
    with database.begin() as connection:
        connection.execute(text("INSERT INTO procrastinate_workers (last_heartbeat) "
                                "VALUES (now() - interval '1 minute')"))  # fmt: skip
        for status in ("doing", "todo"):
            connection.execute(
                text(
                    "INSERT INTO procrastinate_jobs (task_name, queue_name, args, queueing_lock,"
                    " status, worker_id) SELECT 'repair', 'house', '{\"timestamp\": 1}', 'repair',"
                    " CAST(:status AS procrastinate_job_status), max(id) FROM procrastinate_workers"
                ),
                {"status": status},
            )
    run(database, Model())
    assert waiting(database) == 0
    assert not any(queue["doing"] for queue in jobs.counts().values())


def test_work_whose_job_was_lost_is_found(database: Database) -> None:
    publish(database, "A", 1)
    run(database, Model())
    assert waiting(database) == 0


def test_a_job_that_always_fails_is_given_up_shown_and_tried_again(
    database: Database, jobs: Jobs
) -> None:
    publish(database, "A", 1)
    jobs.hand_over(1)
    with database.begin() as connection:
        connection.execute(text("UPDATE procrastinate_jobs SET attempts = 4"))
    run(database, Model(fails=True))
    run(database, Model(fails=True))  # which looks for lost work, and adds no job for this
    [failed] = jobs.failed()
    assert (failed.queue, failed.attempts) == (EMBED, 5)
    assert waiting(database) == 1
    jobs.retry(failed.id, NOW)
    run(database, Model())
    assert waiting(database) == 0
    assert jobs.failed() == []


def test_a_passage_that_cannot_be_embedded_is_given_up_and_keeps_no_other_waiting(
    database: Database,
) -> None:
    publish(database, "A", 12)

    class Choosy(Model):
        def embed(self, texts: Sequence[str], progress: object = None) -> Vectors:
            if "A 7" in texts:
                raise ModelError("not a text")
            return super().embed(texts, progress)

    model, failures = Choosy(), 0
    for _ in range(36):
        try:
            if not _embed(database, model):
                break
        except ModelError:
            failures += 1
    assert len(model.seen) == len(set(model.seen)) == 11
    assert failures == MOST
    assert waiting(database) == 0  # nothing that a worker would take


def test_a_job_whose_workers_die_of_it_is_given_up(database: Database, jobs: Jobs) -> None:
    jobs.hand_over(1)
    with database.begin() as connection:
        connection.execute(text("INSERT INTO procrastinate_workers (last_heartbeat) "
                                "VALUES (now() - interval '1 minute')"))  # fmt: skip
        connection.execute(
            text(
                "UPDATE procrastinate_jobs SET status = 'doing', attempts = 4, worker_id = "
                "(SELECT max(id) FROM procrastinate_workers)"
            )
        )
    run(database, Model())
    [failed] = jobs.failed()
    assert failed.queue == EMBED


def test_a_job_that_a_wrong_clock_put_off_for_a_day_is_carried_out(
    database: Database, jobs: Jobs
) -> None:
    publish(database, "A", 1)
    jobs.hand_over(1)
    with database.begin() as connection:
        later = "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 day'"
        connection.execute(text(later))
    run(database, Model())
    assert waiting(database) == 0


def test_an_embedding_is_that_of_heading_and_text(database: Database) -> None:
    note = SharedNote(path="A.md", hash="1", chunks=(SharedChunk(heading="Rye", text="Sour."),))
    with database.begin() as connection:
        people = People(connection, "test")
        people.add("ada")
        people.add_vault("A", "ada")
        Vault(connection, "A", people.find("ada")).apply(Batch(revision=0, notes=(note,)))
    model = Model()
    run(database, model)
    assert model.seen == ["Rye Sour."]
    with database.begin() as connection:
        [vector] = connection.scalars(select(chunks.c.embedding))
    assert vector[0] == 1
