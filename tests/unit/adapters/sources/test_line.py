"""Turns, quotas, retries and a source that is left alone, over tasks, loops and restarts."""

import asyncio
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from daemon.adapters.sources.rate_limiter import (
    ATTEMPTS,
    FAILURES,
    OPEN_SECONDS,
    PATIENCE,
    Memory,
    RateLimiter,
    SourceStates,
)
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.reply import Blame, TroubleError, ask, unavailable
from daemon.ports import Fetched
from daemon.store.db import Database
from daemon.store.uses import UseStore
from tests.fakes.fetcher import NOW, FakeFetcher

URL = "https://api.example/"
NOON = NOW.timestamp()


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = NOON
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Api:
    """Answers with the given statuses in turn, the last of them for ever."""

    def __init__(self, clock: Clock, *statuses: int, takes: float = 0.0, after: str = "") -> None:
        self._clock = clock
        self._statuses = list(statuses) or [200]
        self._takes = takes
        self._after = after
        self.asked: list[float] = []
        self.at_once = self.most_at_once = 0

    async def __call__(self) -> Fetched:
        self.asked.append(self._clock.now - NOON)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self._clock.sleep(self._takes)
        self.at_once -= 1
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        headers = {"retry-after": self._after} if self._after else {}
        answer = Fetched(URL, URL, status, headers, b"{}", NOW)
        return await ask(FakeFetcher({URL: answer}), URL, {}, {})


def line(clock: Clock, uses: SourceStates | None = None, **rate: float) -> RateLimiter:
    limits = Rate.model_validate(rate)
    return RateLimiter("api", limits, uses or Memory(), clock=clock, sleep=clock.sleep)


def send(way: RateLimiter, api: Api, times: int = 1) -> list[object]:
    async def all_of_them() -> list[object]:
        work = (way.send(api) for _ in range(times))
        return list(await asyncio.gather(*work, return_exceptions=True))

    return asyncio.run(all_of_them())


def why(result: object) -> str:
    assert isinstance(result, TroubleError)
    return result.why


def test_the_first_request_is_immediate_and_the_next_wait() -> None:
    clock = Clock()
    api = Api(clock)
    send(line(clock, least_interval_seconds=3), api, 3)
    assert api.asked == [0, 3, 6]


def test_a_limit_by_the_minute_is_an_interval_too() -> None:
    clock = Clock()
    api = Api(clock)
    send(line(clock, minute=20), api, 3)
    assert api.asked == [0, 3, 6]


def test_concurrent_requests_stay_within_the_limit_of_the_source() -> None:
    for most in (1, 2):
        clock = Clock()
        api = Api(clock, takes=5)
        send(line(clock, concurrency=most), api, 6)
        assert (api.most_at_once, len(api.asked)) == (most, 6)


def test_the_interval_outlives_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    api = Api(clock)
    for _ in range(3):
        db = Database(tmp_path / "lacuna.db")
        send(line(clock, UseStore(db), least_interval_seconds=3), api)
        db.close()
    assert api.asked == [0, 3, 6]


def test_no_request_waits_when_the_budget_is_exhausted() -> None:
    def used_up() -> None:
        raise unavailable("today's 3 requests are used up", Blame.NOBODY)

    clock = Clock()
    api = Api(clock)
    limits, uses = Rate(least_interval_seconds=3), Memory()
    send(RateLimiter("api", limits, uses, clock=clock, sleep=clock.sleep), api)
    way = RateLimiter("api", limits, uses, check=used_up, clock=clock, sleep=clock.sleep)
    assert why(send(way, api)[0]) == "today's 3 requests are used up"
    assert (api.asked, clock.slept) == ([0], [0.0])


def test_temporary_errors_are_retried_a_few_times() -> None:
    clock = Clock()
    api = Api(clock, 503, 429, 200)
    assert isinstance(send(line(clock), api)[0], Fetched)
    assert len(api.asked) == 3
    api = Api(clock, 502)
    assert "HTTP 502" in why(send(line(clock), api)[0])
    assert len(api.asked) == ATTEMPTS
    assert sum(clock.slept) <= 2 * PATIENCE


@pytest.mark.parametrize("status", [400, 401, 403, 404, 414, 418])
def test_permanent_errors_are_not_retried(status: int) -> None:
    clock = Clock()
    api = Api(clock, status)
    assert f"HTTP {status}" in why(send(line(clock), api)[0])
    assert len(api.asked) == 1


@pytest.mark.parametrize("after", ["4", format_datetime(NOW + timedelta(seconds=4))])
def test_a_requested_wait_is_respected(after: str) -> None:
    clock = Clock()
    api = Api(clock, 429, 200, after=after)
    assert isinstance(send(line(clock), api)[0], Fetched)
    assert api.asked == [0, 4]


def test_a_long_requested_wait_fails_at_once_and_is_remembered() -> None:
    clock = Clock()
    way, api = line(clock), Api(clock, 429, 200, after="600")
    assert "asks to wait 600 s" in why(send(way, api)[0])
    assert "left alone for 10 min" in why(send(way, api)[0])
    assert (api.asked, clock.slept) == ([0], [0.0])
    clock.now += 601
    assert isinstance(send(way, api)[0], Fetched)


def test_an_invalid_wait_is_ignored() -> None:
    clock = Clock()
    api = Api(clock, 429, 200, after="soon")
    assert isinstance(send(line(clock), api)[0], Fetched)


def fail(way: RateLimiter, api: Api, times: int) -> None:
    for _ in range(times):
        assert "HTTP" in why(send(way, api)[0])


def test_repeated_failures_open_the_circuit_breaker_until_one_trial_request() -> None:
    clock = Clock()
    way, bad = line(clock), Api(clock, 401)
    fail(way, bad, FAILURES)
    assert "left alone for 1 min" in why(send(way, bad)[0])
    assert len(bad.asked) == FAILURES
    clock.now += OPEN_SECONDS
    slow = Api(clock, takes=1)
    first, second = send(line_with(way, 2), slow, 2)
    assert isinstance(first, Fetched)
    assert "left alone" in why(second)
    assert isinstance(send(way, slow)[0], Fetched)


def line_with(way: RateLimiter, concurrency: int) -> RateLimiter:
    """The same line, taking several questions at once."""
    rate = way._rate.model_copy(update={"concurrency": concurrency})
    return RateLimiter(way._name, rate, way._uses, clock=way._clock, sleep=way._sleep)


def test_each_further_failure_doubles_the_pause_up_to_an_hour() -> None:
    clock = Clock()
    way, bad = line(clock), Api(clock, 401)
    fail(way, bad, FAILURES)
    clock.now += OPEN_SECONDS
    fail(way, bad, 1)
    clock.now += OPEN_SECONDS
    assert "left alone" in why(send(way, bad)[0])
    clock.now += OPEN_SECONDS
    for _ in range(10):
        fail(way, bad, 1)
        clock.now += 3600
    assert isinstance(send(way, Api(clock))[0], Fetched)


def test_an_open_circuit_breaker_survives_a_restart(tmp_path: Path) -> None:
    clock, db = Clock(), Database(tmp_path / "lacuna.db")
    fail(line(clock, UseStore(db)), Api(clock, 401), FAILURES)
    db.close()
    db = Database(tmp_path / "lacuna.db")
    assert "left alone" in why(send(line(clock, UseStore(db)), Api(clock))[0])
    db.close()


def test_bad_queries_and_missing_networks_do_not_open_the_circuit_breaker() -> None:
    clock = Clock()
    way, bad = line(clock), Api(clock, 400)
    fail(way, bad, 3 * FAILURES)
    assert isinstance(send(way, Api(clock))[0], Fetched)


def test_a_cancelled_wait_releases_its_slot() -> None:
    clock = Clock()
    way, api = line(clock, least_interval_seconds=3), Api(clock)

    async def cancelled() -> None:
        waiting = asyncio.create_task(way.send(Api(clock, takes=1)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(60):
            await way.send(api)

    asyncio.run(cancelled())
    assert len(api.asked) == 1
