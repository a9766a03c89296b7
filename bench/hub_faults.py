"""Workers of a hub that are killed, paused, cut off, or have a wrong clock: what they leave.

While work arrives, one worker after the other is disturbed: `kill -9`; SIGSTOP for longer than the
lease; a proxy that resets its connections, or passes nothing on for some seconds and then resets
them. Every worker that is started has a clock of its own, up to a day wrong, if libfaketime is
installed. Triggers count in the database what is stored.

The faults come in rounds, each with workers, work and a database of its own, two at a time. What a
round left is kept until all are done: a run that was ended goes on with the next round.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import make_url, text

from bench.cut_network import Proxy
from bench.hub_server import new_database, server
from bench.hub_tools import SERVICE, SlowService
from bench.places import Places
from bench.table import Row
from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.night_budget import HubLedger
from daemon.hub.published import Vault
from daemon.hub.service_requests import Requests
from daemon.hub.waiting_chunks import SLICE, number_waiting
from daemon.hub.web_documents import Documents
from daemon.hub.worker_jobs import Jobs
from daemon.model.clock import now
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from daemon.model.shared_requests import MODELS, RESEARCH

_LEASE = 30.0  # seconds, after which a job is given to another worker
_LOOK = 0.02  # seconds
_WORKERS = 3
_ROUNDS, _OF_ROUND = 8, 25  # faults
_AT_ONCE = 2  # rounds
_MOST_SECONDS = 900.0  # for what is left when nobody is disturbed any more
_FAKETIME = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1")


@dataclass(slots=True)
class Effects:
    """What was stored: more than once, and never; and requests that the ledger does not have."""

    faults: Counter[str] = field(default_factory=Counter)
    tasks: int = 0
    twice: int = 0
    never: int = 0
    sent: int = 0
    sent_again: int = 0
    uncounted: int = 0
    failed: int = 0

    @property
    def is_exact(self) -> bool:
        return self.twice == self.never == self.uncounted == self.failed == 0

    def add(self, other: "Effects") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def rows(places: Places) -> Iterator[Row]:
    """Disturb workers at random moments; count what was stored twice or not at all."""
    kept = places.cache / "hub_faults.json"
    number = 1 if places.quick else _ROUNDS
    total = Effects()
    with TemporaryDirectory(prefix="lacuna-pg-") as folder, server(Path(folder)) as url:
        for found in _rounds(url, Path(folder), kept, number):
            total.add(found)
    kept.unlink(missing_ok=True)
    how = ", ".join(f"{number} {kind}" for kind, number in sorted(total.faults.items()))
    yield Row(
        f"hub: effects not there once, of {total.tasks:,} tasks ({how})",
        f"{total.never} never, {total.twice} twice, {total.failed} failed; {total.sent_again} of"
        f" {total.sent} requests sent again, {total.uncounted} of them not in the ledger",
        "limit 0",
        "",
        "0",
        total.is_exact,
    )


def _rounds(url: str, folder: Path, kept: Path, number: int) -> Iterator[Effects]:
    """Yield what each round left: of those that this code did before, and of the others."""
    code = sha256(b"".join(path.read_bytes() for path in _code())).hexdigest()
    known = json.loads(kept.read_text()) if kept.exists() else {}
    known = known if known.get("code") == code else {"code": code, "rounds": {}}

    def play(seed: int) -> tuple[int, Effects]:
        place = folder / f"round{seed}"
        place.mkdir()
        with new_database(url, f"round{seed}") as database:
            return seed, disturbed(database, place, _OF_ROUND, seed=seed)

    for found in known["rounds"].values():
        yield Effects(**{**found, "faults": Counter(found["faults"])})
    left = [seed for seed in range(number) if str(seed) not in known["rounds"]]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for seed, effects_ in pool.map(play, left):
            known["rounds"][str(seed)] = {
                each.name: getattr(effects_, each.name) for each in fields(effects_)
            }
            kept.write_text(json.dumps(known))
            print(f"  round {seed}: {effects_}", file=sys.stderr)
            yield effects_


def _code() -> list[Path]:
    here = Path(__file__).parent
    return sorted([*here.glob("hub*.py"), *(here.parent / "daemon" / "hub").rglob("*.py")])


@dataclass(slots=True)
class Worker:
    """A process behind a proxy of its own; `wakes_at` of one that is paused."""

    process: "subprocess.Popen[bytes]"
    proxy: Proxy
    wakes_at: float = 0.0


@dataclass(slots=True)
class Faults:
    """Disturbs workers at random moments. `pause` is how long one is stopped, in seconds."""

    database: Database
    sent: Path
    drawn: random.Random
    pause: float = _LEASE + 3
    most: float = 0.8  # seconds between faults
    workers: list[Worker] = field(default_factory=list)
    leaving: list[Worker] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def run(self, number: int, kinds: tuple[str, ...] = ("kill", "stop", "cut", "swallow")) -> None:
        """Disturb so often, one kind after the other, while work arrives; then wait for its end."""
        work = Work(self.database)
        self.workers = [self._begin() for _ in range(_WORKERS)]
        try:
            for at in range(number):
                work.arrives(at)
                time.sleep(self.drawn.uniform(0.05, self.most))
                self._wake()
                self._disturb(kinds[at % len(kinds)])
            self._finish(work)
        finally:
            for worker in (*self.workers, *self.leaving):
                _end(worker)

    def _disturb(self, kind: str) -> None:
        awake = [each for each in self.workers if not each.wakes_at]
        while len(awake) < _WORKERS:
            awake.append(self._begin())
            self.workers.append(awake[-1])
        while not (at_work := [each for each in awake if each.proxy.is_used]):
            time.sleep(_LOOK)  # nothing is disturbed by the end of a worker that has not begun
        worker = self.drawn.choice(at_work)
        self.done[kind] += 1
        if kind == "kill":
            worker.process.kill()
            worker.process.wait()
            worker.proxy.close()
            self.workers.remove(worker)
        elif kind == "stop":
            os.kill(worker.process.pid, signal.SIGSTOP)
            worker.wakes_at = time.monotonic() + self.pause
        else:
            getattr(worker.proxy, kind)()

    def _wake(self) -> None:
        for worker in self.workers:
            if worker.wakes_at and worker.wakes_at < time.monotonic():
                os.kill(worker.process.pid, signal.SIGCONT)
                worker.wakes_at = 0.0
        while len(awake := [each for each in self.workers if not each.wakes_at]) > _WORKERS + 1:
            self.workers.remove(awake[0])
            self.leaving.append(awake[0])  # it ends its jobs first
            awake[0].process.send_signal(signal.SIGINT)

    def _begin(self) -> Worker:
        url = make_url(self.database.url)
        proxy = Proxy(f"{url.query['host']}/.s.PGSQL.{url.port or 5432}")
        through = f"postgresql://postgres:@127.0.0.1:{proxy.port}/{url.database}"
        command = [sys.executable, "-m", "bench.hub_worker", through, str(self.sent)]
        log = self.sent.with_name(f"worker-{proxy.port}.log").open("wb")
        process = subprocess.Popen(command, env=self._environment(), stderr=log)
        log.close()
        return Worker(process, proxy)

    def _environment(self) -> dict[str, str]:
        found = next((path for each in _FAKETIME for path in Path("/").glob(each[1:])), None)
        if found is None:
            return dict(os.environ)
        wrong = self.drawn.choice((0, 3_600, -3_600, 86_400, -86_400))
        self.done["wrong clock"] += bool(wrong)
        fake = {"LD_PRELOAD": str(found), "FAKETIME": f"{wrong:+d}s"}
        return {**os.environ, **fake, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def _finish(self, work: "Work") -> None:
        """Wait until nothing is left; who is paused wakes in its time."""
        ends = time.monotonic() + _MOST_SECONDS
        while (work.is_left() or any(each.wakes_at for each in self.workers)) and (
            time.monotonic() < ends
        ):
            time.sleep(0.5)
            self._wake()


def _end(worker: Worker) -> None:
    if worker.process.poll() is not None:
        worker.proxy.close()
        return
    if worker.wakes_at:
        os.kill(worker.process.pid, signal.SIGCONT)
    worker.process.send_signal(signal.SIGINT)
    try:
        worker.process.wait(20)
    except subprocess.TimeoutExpired:
        worker.process.kill()
        worker.process.wait()
    worker.proxy.close()


class Work:
    """What arrives: passages, pages, queries and calls."""

    def __init__(self, database: Database) -> None:
        self._database, self._revision = database, 0
        with database.begin() as connection:
            people = People(connection, "bench")
            self._owner = people.add("owner")
            people.add_vault("vault", "owner")
            for line in COUNTING:
                connection.execute(text(line))
            for queue in (RESEARCH, MODELS):  # before the first worker has begun
                service = SlowService(HubLedger(database), Path())
                Requests(connection).offer(queue, {SERVICE: service})

    def arrives(self, at: int) -> None:
        chunks = tuple(SharedChunk(text=f"starch {at} {each}") for each in range(SLICE))
        notes = (SharedNote(path=f"{at}.md", hash="1", chunks=chunks),)
        with self._database.begin() as connection:
            vault = Vault(connection, "vault", self._owner)
            self._revision = vault.apply(Batch(revision=self._revision, notes=notes))
            documents, requests = Documents(connection), Requests(connection)
            documents.ask(self._owner.id, f"https://site{at}.example/", f"site{at}.example")
            for queue in (RESEARCH, MODELS):
                requests.ask(queue, SERVICE, vault.id, f"{queue} {at}".encode(), apart=False)
        with closing(Jobs(self._database)) as jobs:
            jobs.hand_over(SLICE)
            jobs.hand_over_document()
            jobs.hand_over_request(RESEARCH)
            jobs.hand_over_request(MODELS)

    def is_left(self) -> bool:
        with closing(Jobs(self._database)) as jobs:
            for job in jobs.failed():  # as somebody does who has looked at it
                jobs.retry(job.id, now())
        with self._database.begin() as connection:
            requests = Requests(connection)
            waiting = (requests.number_waiting(queue) for queue in (RESEARCH, MODELS))
            documents = Documents(connection).number_waiting()
            return bool(number_waiting(connection) + documents + sum(waiting))


COUNTING = (
    "CREATE TABLE stored (what text, id bigint, at timestamptz DEFAULT clock_timestamp())",
    """
    CREATE FUNCTION count_stored() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN INSERT INTO stored VALUES (TG_TABLE_NAME, NEW.id); RETURN NEW; END $$
    """,
    """
    CREATE TRIGGER stored AFTER UPDATE OF embedding ON chunks
    FOR EACH ROW EXECUTE FUNCTION count_stored()
    """,
    *(
        f"""
        CREATE TRIGGER stored AFTER UPDATE OF state ON {table}
        FOR EACH ROW WHEN (NEW.state <> 'waiting') EXECUTE FUNCTION count_stored()
        """
        for table in ("documents", "requests")
    ),
)


def effects(database: Database, sent: Path, faults: Counter[str]) -> Effects:
    """Return what the work left."""
    found = Effects(faults)
    lines = Counter(sent.read_text().splitlines() if sent.exists() else ())
    with database.begin() as connection:
        for table in ("chunks", "documents", "requests"):
            all_, stored, different = connection.execute(
                text(f"""
                SELECT (SELECT count(*) FROM {table}), count(*), count(DISTINCT id)
                FROM stored WHERE what = '{table}'
                """)
            ).one()
            found.tasks += all_
            found.never += all_ - different
            found.twice += stored - different
        counted = {
            bytes(question).decode(): number
            for question, number in connection.execute(
                text("""
                SELECT r.question, count(s.id) FROM requests r
                LEFT JOIN spending s ON s.request_id = r.id GROUP BY r.question
                """)
            )
        }
        not_done = text("SELECT count(*) FROM requests WHERE state <> 'done'")
        found.failed = connection.execute(not_done).scalar_one()
    found.sent = lines.total()
    found.sent_again = found.sent - len(lines)
    found.uncounted = sum(max(0, number - counted.get(what, 0)) for what, number in lines.items())
    return found


def disturbed(
    database: Database, folder: Path, number: int, *, seed: int = 4, pause: float = _LEASE + 3
) -> Effects:
    """Disturb workers so often; return what they left."""
    sent = folder / "sent.txt"
    faults = Faults(database, sent, random.Random(seed), pause)
    faults.run(number)
    return effects(database, sent, faults.done)
