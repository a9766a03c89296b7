"""Embedding the same passages by 1, 2 and 4 workers of a hub, each a process with one thread."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from sqlalchemy import text

from bench.hub_faults import COUNTING
from bench.hub_server import new_database, server, wait_until, workers
from bench.places import Places
from bench.table import Row
from bench.words import Language
from daemon.config import Settings
from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.published import Vault
from daemon.hub.waiting_chunks import SLICE, number_waiting
from daemon.hub.worker_jobs import Jobs
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from daemon.model_files import find_model

SHARE = 0.85
_NUMBERS = (1, 2, 4)
_SLICES = 48  # each number of workers has as many for each of them, and so they end together
_WORDS = 120  # of a passage
_MOST_SECONDS = 1_800.0


def rows(places: Places) -> Iterator[Row]:
    if find_model(Settings().embedding.model, None) is None:
        return
    passages = _passages(SLICE * (_SLICES // 6 if places.quick else _SLICES))
    cores = len(os.sched_getaffinity(0))
    speeds: dict[int, float] = {}
    with TemporaryDirectory(prefix="lacuna-pg-") as folder, server(Path(folder)) as url:
        for number in _NUMBERS:
            with (
                new_database(url, f"workers{number}") as database,
                TemporaryDirectory() as logs,
                workers(database, Path(logs), number, "model"),
            ):
                speeds[number] = len(passages) / _embedded(database, passages)
    for number, speed in speeds.items():
        linear = speeds[1] * min(number, cores)
        yield Row(
            f"hub: embedding {len(passages):,} passages by {number} workers, {cores} cores",
            f"{speed:.1f} passages/s",
            f"linear up to the cores: {linear:.1f}",
            f"{speed / linear:.2f}",
            f"≥ {SHARE}" if 1 < number <= cores else "",
            speed >= SHARE * linear if 1 < number <= cores else None,
        )


def _passages(number: int) -> list[str]:
    """Return different passages of equal length."""
    language, chance = Language(1), Random("passages")
    subject = language.subject(chance)
    return [" ".join(language.draw(chance, subject, _WORDS)) for _ in range(number)]


def _embedded(database: Database, passages: list[str]) -> float:
    """Have the workers that wait embed passages; return the seconds until the last is stored."""
    notes = tuple(
        SharedNote(
            path=f"{at}.md",
            hash="1",
            chunks=tuple(SharedChunk(text=each) for each in passages[at : at + SLICE]),
        )
        for at in range(0, len(passages), SLICE)
    )
    with database.begin() as connection:
        people = People(connection, "bench")
        owner = people.add("owner")
        people.add_vault("vault", "owner")
        for line in COUNTING:
            connection.execute(text(line))
        Vault(connection, "vault", owner).apply(Batch(revision=0, notes=notes))
    with database.begin() as connection:
        began = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    jobs = Jobs(database)
    jobs.hand_over(len(passages))
    jobs.close()

    def is_done() -> bool:
        with database.begin() as connection:
            return number_waiting(connection) == 0

    wait_until(is_done, _MOST_SECONDS)
    with database.begin() as connection:
        last, stored = connection.execute(text("SELECT max(at), count(*) FROM stored")).one()
    if stored != len(passages):
        raise RuntimeError(f"{stored} of {len(passages)} passages were stored")
    return float((last - began).total_seconds())
