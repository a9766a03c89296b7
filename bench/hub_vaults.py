"""200 vaults of a hub that each get a tagged note within one minute: four workers do the work.

A tagged note makes a vault publish it without vectors, ask a source two queries, and ask for a
page. The model and the source of these workers are slow, and answer after 0.2 s. The source takes
four queries at once, and is busy for a third of the time. Beside the waits is what they would be if
it only took each query in the order of asking, and nothing else took any time: the more it is busy,
the longer is the longest wait beside the median must be.
"""

import heapq
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from sqlalchemy import text

from bench.hub_faults import COUNTING, Effects, effects
from bench.hub_server import new_database, server, wait_until, workers
from bench.hub_tools import PLACES, SERVICE, SLOW
from bench.places import Places
from bench.table import Row
from daemon.hub.database import Database
from daemon.hub.members import People, Person
from daemon.hub.published import Vault
from daemon.hub.service_requests import Requests
from daemon.hub.waiting_chunks import number_waiting
from daemon.hub.web_documents import Documents
from daemon.hub.worker_jobs import Jobs
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from daemon.model.shared_requests import RESEARCH

FAIR = 3  # times the median, which no vault waits longer than
_VAULTS, _SECONDS = 200, 60.0
_WORKERS, _OF_PERSON = 4, 5  # vaults
_CHUNKS, _QUERIES = 4, 2  # of a note
_MOST_SECONDS = 600.0


def rows(places: Places) -> Iterator[Row]:
    share = 0.2 if places.quick else 1.0
    number = int(_VAULTS * share)
    with (
        TemporaryDirectory(prefix="lacuna-pg-") as folder,
        server(Path(folder)) as url,
        new_database(url, "vaults") as database,
    ):
        minute = Minute(database, number)
        with workers(database, Path(folder), _WORKERS) as sent:
            minute.run(_SECONDS * share)
            found = effects(database, sent, Counter())
        waited = minute.waited()
    what = f"hub: {number} vaults with a tagged note each in {_SECONDS * share:.0f} s"
    yield Row(
        f"{what}, {_WORKERS} workers: not done once",
        f"{found.never} never, {found.twice} twice of {found.tasks:,} tasks;"
        f" {found.sent_again} of {found.sent} queries sent again",
        f"{minute.tasks:,} tasks handed over",
        "",
        "0",
        _is_once(found, minute.tasks) and len(waited) == number,
    )
    middle, longest = median(waited), max(waited)
    least = minute.least_waits()
    yield Row(
        f"{what}: time of a vault, to its last result",
        f"median {middle:.2f} s, at most {longest:.2f} s",
        f"in order of asking: {median(least):.2f} s, {max(least):.2f} s",
        f"{longest / middle:.2f}",
        f"≤ {FAIR}",
        longest <= FAIR * middle,
    )


def _is_once(found: Effects, tasks: int) -> bool:
    return found.is_exact and not found.sent_again and found.tasks == tasks


@dataclass(slots=True)
class Minute:
    """The vaults of a hub, and when each handed its work over."""

    database: Database
    number: int
    tasks: int = 0
    _people: list[Person] = field(default_factory=list, init=False)
    _began: dict[int, datetime] = field(default_factory=dict, init=False)  # by vault
    _of_page: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        with self.database.begin() as connection:
            people = People(connection, "bench")
            for at in range(self.number):
                if at % _OF_PERSON == 0:
                    self._people.append(people.add(f"person {at // _OF_PERSON}"))
                people.add_vault(f"vault {at}", self._people[-1].name)
            for line in COUNTING:
                connection.execute(text(line))

    def run(self, seconds: float) -> None:
        """Hand over the work of all vaults, spread over the seconds at random; wait for its end."""
        drawn = Random(5)
        moments = sorted(drawn.uniform(0, seconds) for _ in range(self.number))
        vaults = drawn.sample(range(self.number), self.number)
        began = time.monotonic()
        with closing(Jobs(self.database)) as jobs:
            for moment, vault in zip(moments, vaults, strict=True):
                time.sleep(max(0.0, began + moment - time.monotonic()))
                self._tag(vault, jobs)
        wait_until(self._is_done, _MOST_SECONDS)

    def _tag(self, at: int, jobs: Jobs) -> None:
        chunks = tuple(SharedChunk(text=f"rye {at} {each}") for each in range(_CHUNKS))
        batch = Batch(revision=0, notes=(SharedNote(path="Rye.md", hash="1", chunks=chunks),))
        person, page = self._people[at // _OF_PERSON], f"https://site{at}.example/"
        with self.database.begin() as connection:
            vault = Vault(connection, f"vault {at}", person)
            vault.apply(batch)
            for each in range(_QUERIES):
                question = f"query {each} of {at}".encode()
                Requests(connection).ask(RESEARCH, SERVICE, vault.id, question, apart=False)
            Documents(connection).ask(person.id, page, f"site{at}.example")
            self._began[vault.id] = connection.execute(text("SELECT now()")).scalar_one()
            self._of_page[page] = vault.id
        self.tasks += _CHUNKS + _QUERIES + 1
        jobs.hand_over(_CHUNKS)
        for _ in range(_QUERIES):
            jobs.hand_over_request(RESEARCH)
        jobs.hand_over_document()

    def _is_done(self) -> bool:
        with self.database.begin() as connection:
            documents = Documents(connection).number_waiting()
            requests = Requests(connection).number_waiting(RESEARCH)
            return not (number_waiting(connection) + documents + requests)

    def least_waits(self) -> list[float]:
        """Return the seconds of each vault's queries in the order of asking, without any work."""
        free, found = [0.0] * PLACES, []
        for began in sorted(each.timestamp() for each in self._began.values()):
            for _ in range(_QUERIES):
                ends = max(heapq.heappop(free), began) + SLOW
                heapq.heappush(free, ends)
            found.append(ends - began)
        return found

    def waited(self) -> list[float]:
        """Return the seconds from a vault's note to its last result, of each vault."""
        with self.database.begin() as connection:
            found = connection.execute(text(_STORED)).all()
            pages = connection.execute(text(_PAGES)).all()
        last: dict[int, datetime] = {}
        for vault, at in [*found, *((self._of_page[url], at) for url, at in pages)]:
            last[vault] = max(last.get(vault, at), at)
        return [(at - self._began[vault]).total_seconds() for vault, at in last.items()]


_STORED = """
SELECT c.vault_id, s.at FROM stored s JOIN chunks c ON s.what = 'chunks' AND c.id = s.id
UNION ALL
SELECT r.vault_id, s.at FROM stored s JOIN requests r ON s.what = 'requests' AND r.id = s.id
"""
_PAGES = """
SELECT d.url, s.at FROM stored s JOIN documents d ON s.what = 'documents' AND d.id = s.id
"""
