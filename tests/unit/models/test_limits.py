"""Never above the caps, never faster than the pace, and no slot is ever lost."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from daemon.models.limits import Lanes, Queued
from tests.fakes.virtual_loop import run

SLACK = 1e-5  # seconds of rounding


@dataclass
class Watch:
    """What was seen of the calls of one lane."""

    most: int
    running: int = 0
    starts: list[float] = field(default_factory=list)
    order: list[int] = field(default_factory=list)

    def begin(self, number: int) -> None:
        self.running += 1
        assert self.running <= self.most
        self.starts.append(asyncio.get_running_loop().time())
        self.order.append(number)


CALLS = st.lists(
    st.tuples(
        st.booleans(),  # heavy
        st.floats(0, 20),  # seconds until it is asked for
        st.floats(0, 30),  # seconds that it takes
        st.sampled_from(["ends", "fails", "is cancelled", "is late"]),
        st.floats(0, 40),  # seconds until it is cancelled
    ),
    max_size=25,
)


async def call(lanes: Lanes, watch: Watch, number: int, seconds: float, how: str) -> None:
    async with lanes.slot("one", is_heavy=watch.most == 1):
        watch.begin(number)
        try:
            async with asyncio.timeout(seconds / 2 if how == "is late" else None):
                await asyncio.sleep(seconds)
            if how == "fails":
                raise ConnectionError
        finally:
            watch.running -= 1


async def all_of(calls: list[tuple[bool, float, float, str, float]]) -> tuple[Watch, Watch]:
    lanes, heavy, light = Lanes(), Watch(1), Watch(5)

    async def one(number: int, spec: tuple[bool, float, float, str, float]) -> None:
        is_heavy, wait, seconds, how, until = spec
        await asyncio.sleep(wait)
        work = asyncio.create_task(call(lanes, heavy if is_heavy else light, number, seconds, how))
        if how == "is cancelled":
            await asyncio.sleep(until)
            work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    await asyncio.gather(*(one(number, spec) for number, spec in enumerate(calls)))
    # Whatever happened before, all slots are free: these start at the pace alone.
    before = asyncio.get_running_loop().time()
    after = [call(lanes, light, 100 + n, 1000, "ends") for n in range(5)]
    await asyncio.gather(*after, call(lanes, heavy, 200, 1000, "ends"))
    assert asyncio.get_running_loop().time() - before <= 1000 + 6 * 0.5 + 100 * SLACK
    return heavy, light


@given(CALLS)
def test_calls_keep_to_caps_and_pace_however_they_end(
    calls: list[tuple[bool, float, float, str, float]],
) -> None:
    heavy, light = run(all_of(calls))

    for watch, pace in ((heavy, 2.0), (light, 0.5)):
        gaps = [b - a for a, b in zip(watch.starts, watch.starts[1:], strict=False)]
        assert all(gap >= pace - SLACK for gap in gaps)


def test_calls_start_in_the_order_in_which_they_came() -> None:
    async def work() -> list[int]:
        lanes, watch = Lanes(), Watch(5)
        calls = (call(lanes, watch, number, 3 + number % 4, "ends") for number in range(20))
        await asyncio.gather(*calls)
        return watch.order

    assert run(work()) == list(range(20))


def test_a_provider_takes_no_more_at_once_than_it_allows() -> None:
    async def work() -> float:
        lanes, watch = Lanes({"one": 2}), Watch(5)
        await asyncio.gather(*(call(lanes, watch, n, 10, "ends") for n in range(4)))
        return asyncio.get_running_loop().time()

    assert run(work()) >= 20


def test_a_call_knows_its_place_in_the_queue() -> None:
    async def work() -> list[Queued]:
        lanes, seen = Lanes(), list[Queued]()

        async def one() -> None:
            async with lanes.slot("one", is_heavy=True, on_state=seen.append):
                await asyncio.sleep(5)

        await asyncio.gather(one(), one(), one())
        return seen

    assert run(work()) == [
        Queued(0),
        Queued(0, is_running=True),
        Queued(0),
        Queued(1),
        *(Queued(0, is_running=True),) * 2,
    ]
