"""What a job that is due waits for, and what it does not."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.conditions import Network, Rules, Surroundings, quiet_until, waits, waits_to_compute

VIENNA = ZoneInfo("Europe/Vienna")
NOON = datetime(2026, 11, 22, 11, tzinfo=UTC)
NIGHT = Rules(quiet_from=time(22), quiet_to=time(7), battery_min_percent=30)


def _why(
    surroundings: Surroundings,
    now: datetime = NOON,
    rules: Rules = NIGHT,
    *,
    needs_network: bool = True,
    is_asked: bool = False,
) -> str | None:
    found = waits(rules, surroundings, now, VIENNA, needs_network=needs_network, is_asked=is_asked)
    return found.why if found else None


@pytest.mark.parametrize(
    ("surroundings", "why"),
    [
        (Surroundings(), None),
        (Surroundings(Network.FREE, 30), None),
        (Surroundings(Network.FREE, 29), "the battery is at 29 %, less than 30 %"),
        (Surroundings(Network.METERED), "the network is metered"),
        (Surroundings(Network.ABSENT), "there is no network"),
        (Surroundings(Network.PORTAL), "the network wants you to log in first"),
    ],
)
def test_a_job_waits_for_what_is_known_to_stand_against_it(
    surroundings: Surroundings, why: str | None
) -> None:
    assert _why(surroundings) == why


def test_what_needs_no_network_does_not_wait_for_one() -> None:
    for network in Network:
        assert _why(Surroundings(network), needs_network=False) is None


def test_what_the_user_asks_for_waits_for_nothing_but_a_network() -> None:
    midnight = datetime(2026, 11, 22, 23, tzinfo=UTC)
    assert _why(Surroundings(Network.METERED, 3), midnight, is_asked=True) is None
    assert _why(Surroundings(Network.ABSENT), is_asked=True) == "there is no network"


def test_each_condition_can_be_turned_off() -> None:
    off = Rules(battery_min_percent=0, waits_when_metered=False, waits_when_offline=False)
    for network in Network:
        assert _why(Surroundings(network, 1), rules=off) is None


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-11-22 20:59", None),  # 21:59 in Vienna
        ("2026-11-22 21:00", "2026-11-23 06:00"),
        ("2026-11-23 05:59", "2026-11-23 06:00"),
        ("2026-11-23 06:00", None),
        ("2026-03-29 00:30", "2026-03-29 05:00"),  # summer time begins in between
        ("2026-10-24 23:30", "2026-10-25 06:00"),  # and ends
    ],
)
def test_quiet_hours_go_over_midnight_and_by_local_time(now: str, until: str | None) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    found = quiet_until(at, VIENNA, time(22), time(7))
    assert (f"{found:%Y-%m-%d %H:%M}" if found else None) == until


def test_quiet_hours_by_day_and_no_quiet_hours() -> None:
    assert quiet_until(NOON, VIENNA, time(9), time(17)) == datetime(2026, 11, 22, 16, tzinfo=UTC)
    for begin, end in ((None, None), (time(9), None), (None, time(9)), (time(9), time(9))):
        assert quiet_until(NOON, VIENNA, begin, end) is None
    found = waits(NIGHT, Surroundings(), NOON + timedelta(hours=12), VIENNA, needs_network=False)
    assert found is not None
    assert found.why == "quiet hours until 07:00"


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    st.times(),
    st.times(),
    st.sampled_from(["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"]),
)
def test_quiet_hours_always_end(now: datetime, begin: time, end: time, name: str) -> None:
    until = quiet_until(now, ZoneInfo(name), begin, end)
    assert until is None or now < until <= now + timedelta(hours=26)


@pytest.mark.parametrize(
    ("surroundings", "why"),
    [
        (Surroundings(), None),
        (Surroundings(load=1.5), None),
        (Surroundings(load=3.2), "the machine is busy (load 3.2 per core)"),
        (Surroundings(battery_percent=90), "the machine runs on its battery (90 %)"),
    ],
)
def test_long_work_waits_for_a_charger_and_for_other_work(
    surroundings: Surroundings, why: str | None
) -> None:
    found = waits_to_compute(NIGHT, surroundings)
    assert (found.why if found else None) == why


def test_long_work_waits_for_other_work_only_a_few_minutes() -> None:
    busy = Surroundings(load=9.0)
    assert waits_to_compute(NIGHT, busy, timedelta(minutes=4)) is not None
    assert waits_to_compute(NIGHT, busy, timedelta(minutes=5)) is None


def test_long_work_waits_for_no_charger_where_nothing_shall() -> None:
    assert waits_to_compute(Rules(), Surroundings(battery_percent=5)) is None
