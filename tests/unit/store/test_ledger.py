"""The ledger: counted before it is spent, by run, day and month, over crashes and midnights."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from daemon.model.errors import SpentError
from daemon.model.sources import SourceUse
from daemon.model.spending import Amounts, Cap, Measure, Sending, Span, caps_of
from daemon.store import db as database
from daemon.store.db import PAGE, Database
from daemon.store.ledger import Ledger
from daemon.store.salvage import SUMMED
from daemon.store.schema import _LEDGER, MIGRATIONS
from daemon.store.spent import Spent
from daemon.store.uses import UseStore

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
AUCKLAND = ZoneInfo("Pacific/Auckland")  # 13 hours before UTC in November


class World:
    """A ledger whose clock and zone a test may move."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.now = NOON
        self.zone: tzinfo = UTC
        self.db = Database(file)

    def ledger(self, *caps: Cap) -> Ledger:
        return Ledger(self.db, clock=lambda: self.now, zone=lambda: self.zone, caps=caps)

    def killed(self) -> None:
        """Go on as a new process does after the old one had no time to say anything."""
        self.db.close()
        self.db = Database(self.file)

    def total(self) -> Amounts:
        return sum((each.amounts for each in Spent(self.db).sums()), Amounts())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "lacuna.db")
    yield world
    world.db.close()


def question(source: str = "arxiv", bytes_: int = 1000, money: int = 0) -> Sending:
    return Sending(source, "question", "api.example", amounts=Amounts(1, bytes_, money))


def test_what_was_reserved_counts_until_the_actual_use_is_known(world: World) -> None:
    ledger = world.ledger()
    id_, room = ledger.reserve(question())
    assert (room, world.total()) == (1000, Amounts(1, 1000))
    assert ledger.extend(id_, 500) == 500
    assert world.total() == Amounts(1, 1500)
    ledger.settle(id_, 1200)
    assert world.total() == Amounts(1, 1200)


def test_a_process_that_is_killed_before_the_actual_cost_has_counted_the_reserved_one(
    world: World,
) -> None:
    world.ledger().reserve(question(bytes_=5000, money=7))
    world.killed()
    assert world.total() == Amounts(1, 5000, 7)
    (entry,) = Spent(world.db).entries()
    assert not entry.is_settled


def test_what_was_not_sent_is_not_counted(world: World) -> None:
    ledger = world.ledger()
    id_, _ = ledger.reserve(question(money=7))
    ledger.release(id_)
    assert world.total() == Amounts()
    assert list(Spent(world.db).entries()) == []


def test_ever_so_small_a_budget_is_not_without_a_limit() -> None:
    caps = caps_of(Span.RUN, mb=0.000_000_1, money=0.000_000_1)
    assert caps == [Cap(Span.RUN, Measure.BYTES, 1), Cap(Span.RUN, Measure.MONEY, 1)]
    assert caps_of(Span.RUN, mb=0, money=0) == []


def test_a_days_budget_ends_and_begins_again_at_the_users_midnight(world: World) -> None:
    world.zone = AUCKLAND
    world.now = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)  # 23:00 there
    ledger = world.ledger(*caps_of(Span.DAY, requests=2))
    ledger.reserve(question())
    ledger.reserve(question("openalex"))
    with pytest.raises(SpentError, match="today's 2 requests are used up"):
        ledger.reserve(question())
    assert ledger.resets_at(Span.DAY, world.now) == datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
    world.now += timedelta(hours=1)
    ledger.reserve(question())
    assert {each.day for each in Spent(world.db).sums()} == {"2026-11-21", "2026-11-22"}


def test_a_months_budget_holds_over_days_and_ends_with_the_month(world: World) -> None:
    ledger = world.ledger(*caps_of(Span.MONTH, money=0.01))
    ledger.reserve(question(money=6000))
    world.now = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    with pytest.raises(SpentError, match=r"this month's \$0.01 is used up"):
        ledger.reserve(question(money=6000))
    ledger.reserve(question())  # what costs nothing is not held up
    assert ledger.resets_at(Span.MONTH, world.now) == datetime(2026, 12, 1, tzinfo=UTC)
    world.now += timedelta(minutes=1)
    ledger.reserve(question(money=6000))


def test_a_runs_budget_is_that_of_one_run_and_holds_when_it_is_taken_up_again(
    world: World,
) -> None:
    caps = caps_of(Span.RUN, requests=1)
    ledger = world.ledger(*caps)
    with ledger.running("one"):
        ledger.reserve(question())
    world.killed()
    ledger = world.ledger(*caps)
    with ledger.running("one"), pytest.raises(SpentError, match="this run's 1 request is used up"):
        ledger.reserve(question())
    assert ledger.finish("one") == "this run's 1 request is used up"
    with ledger.running("two"):
        ledger.reserve(question())
    assert (ledger.finish("two"), ledger.spent_by("two")) == ("", Amounts(1, 1000))
    for _ in range(3):
        ledger.reserve(question())


def test_a_run_may_have_a_budget_of_its_own_in_addition_to_that_of_every_run(world: World) -> None:
    ledger = world.ledger(*caps_of(Span.RUN, requests=3))
    with ledger.running("one", caps_of(Span.RUN, requests=1)):
        ledger.reserve(question())
        with pytest.raises(SpentError, match="this run's 1 request is used up"):
            ledger.reserve(question())
    with ledger.running("two"):
        for _ in range(3):
            ledger.reserve(question())
        with pytest.raises(SpentError, match="this run's 3 requests are used up"):
            ledger.reserve(question())


def test_runs_at_the_same_time_are_counted_each_for_itself(world: World) -> None:
    ledger = world.ledger(*caps_of(Span.RUN, requests=3))

    async def ask(times: int) -> None:
        for _ in range(times):
            await asyncio.to_thread(ledger.reserve, question())
            await asyncio.sleep(0)

    async def run(name: str, caps: Sequence[Cap], times: int) -> None:
        with ledger.running(name, caps):
            await asyncio.gather(ask(times), ask(1))

    async def both() -> None:
        small = run("one", caps_of(Span.RUN, requests=2), 2)
        await asyncio.gather(small, run("two", (), 2), return_exceptions=True)

    asyncio.run(both())
    assert ledger.spent_by("one").requests == 2
    assert ledger.spent_by("two").requests == 3
    assert ledger.finish("one") == "this run's 2 requests are used up"
    assert (ledger.finish("two"), ledger.run) == ("", "")


def test_one_sources_cap_stops_that_source_and_not_the_run(world: World) -> None:
    caps = [Cap(Span.QUOTA, Measure.REQUESTS, 1, "arxiv")]
    ledger = world.ledger()
    with ledger.running("one"):
        ledger.reserve(question(), caps)
        with pytest.raises(SpentError):
            ledger.check(Amounts(requests=1), caps)
    assert ledger.finish("one") == ""
    ledger.reserve(question("openalex"), [Cap(Span.QUOTA, Measure.REQUESTS, 1, "openalex")])


def test_a_services_own_day_is_that_of_utc_wherever_the_user_is(world: World) -> None:
    world.zone = AUCKLAND
    world.now = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    caps = [Cap(Span.QUOTA, Measure.REQUESTS, 1, "arxiv")]
    ledger = world.ledger()
    ledger.reserve(question(), caps)
    with pytest.raises(SpentError):
        ledger.reserve(question(), caps)
    world.now += timedelta(minutes=30)
    ledger.reserve(question(), caps)


def test_of_bytes_there_is_room_for_what_is_left_and_then_for_none(world: World) -> None:
    ledger = world.ledger(*caps_of(Span.DAY, mb=0.0015))
    _, room = ledger.reserve(question())
    assert room == 1000
    id_, room = ledger.reserve(question())
    assert room == 500
    with pytest.raises(SpentError, match=r"today's 1\.5 kB is used up"):
        ledger.extend(id_, 1)
    ledger.settle(id_, 100)
    assert ledger.extend(id_, 1000) == 400


def test_a_finding_is_counted_once_however_often_it_is_written(world: World) -> None:
    ledger = world.ledger()
    with ledger.running("one"):
        for id_ in ("f-1", "f-2", "f-1"):
            ledger.count_finding(id_, "arxiv")
    assert world.total() == Amounts(findings=2)
    assert list(Spent(world.db).entries()) == []  # nothing of it left the machine


def test_sums_outlive_what_they_are_made_of(world: World) -> None:
    ledger = world.ledger()
    ledger.reserve(question())
    world.now += timedelta(days=100)
    ledger.reserve(question())
    assert Spent(world.db).prune(world.now - timedelta(days=30), date(2020, 1, 1)) == 1
    assert world.total() == Amounts(2, 2000)
    assert Spent(world.db).oldest() == world.now


def test_lost_sums_are_made_again_of_the_rows(world: World) -> None:
    ledger = world.ledger()
    for source in ("arxiv", "arxiv", "openalex"):
        ledger.reserve(question(source))
    before = list(Spent(world.db).sums())
    world.db.execute("DELETE FROM ledger_sums")
    world.db.execute(SUMMED)
    assert list(Spent(world.db).sums()) == before


def test_text_that_is_no_valid_unicode_is_kept_as_well_as_may_be(world: World) -> None:
    world.ledger().record(Sending("webhook", "notification", "x", "half a \ud83d letter" * 200))
    (entry,) = Spent(world.db).entries()
    assert entry.sending.what.startswith("half a ? letter")
    assert entry.sending.what.endswith("…")


@pytest.mark.parametrize("table", ["ledger", "ledger_sums"])
def test_of_a_corrupt_database_the_sums_are_saved_or_made_again(
    world: World, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = world.ledger()
    with world.db.transaction():
        for number in range(300):
            ledger.record(question(f"source-{number % 3}"))
    before = list(Spent(world.db).sums())
    page = world.db.value("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,))
    world.db.close()
    data = bytearray(world.file.read_bytes())
    data[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    world.file.write_bytes(data)
    world.file.with_name("lacuna.db.closed").unlink()  # as after a crash: it is looked through
    world.db = Database(world.file)
    assert "was corrupt" in caplog.text
    assert list(Spent(world.db).sums()) == before


def test_what_sources_were_asked_before_there_was_a_ledger_counts_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "older.db"
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", MIGRATIONS[: MIGRATIONS.index(_LEDGER)])
        with closing(Database(file)) as older:
            older.execute(
                "INSERT INTO source_uses (name, next_at, day, count, failures, shut_until)"
                " VALUES ('semanticscholar', 5.0, '2026-11-21', 80, 2, 7.0)"
            )
    with closing(Database(file)) as newer:
        assert UseStore(newer).get("semanticscholar") == SourceUse(5.0, 2, 7.0)
        ledger = Ledger(newer, clock=lambda: NOON, zone=lambda: UTC)
        caps = [Cap(Span.QUOTA, Measure.REQUESTS, 80, "semanticscholar")]
        with pytest.raises(SpentError, match="today's 80 requests are used up"):
            ledger.reserve(question("semanticscholar"), caps)
