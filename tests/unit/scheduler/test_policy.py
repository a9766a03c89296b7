"""Every weekly run happens exactly once, whatever clocks and machines do."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.job import Every, Weekly
from scheduler.policy import believable, due, last_weekly, next_run, next_weekly

VIENNA = ZoneInfo("Europe/Vienna")
ZONES = ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC",
         "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca"]  # fmt: skip
SUNDAY_NINE = Weekly.parse("sun", "09:00")
HOURLY = Every(timedelta(hours=1))


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _next(now: str, day: int, at: str, zone: ZoneInfo = VIENNA) -> str:
    return next_weekly(_utc(now), day, time.fromisoformat(at), zone).strftime("%Y-%m-%d %H:%M")


def test_settings_become_a_schedule() -> None:
    assert Weekly.parse("sun", "9:05") == Weekly(6, time(9, 5))
    for day, at in (("sunday", "09:00"), ("sun", "25:00"), ("sun", "")):
        with pytest.raises(ValueError, match=r".+"):
            Weekly.parse(day, at)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-11-21 12:00", "2026-11-22 08:00"),  # Saturday: tomorrow
        ("2026-11-22 07:59", "2026-11-22 08:00"),  # a minute before
        ("2026-11-22 08:00", "2026-11-29 08:00"),  # at the very moment: the next one
        ("2026-11-22 23:30", "2026-11-29 08:00"),  # already Monday in Vienna
        ("2026-03-23 12:00", "2026-03-29 07:00"),  # summer time begins that very night
        ("2026-10-19 12:00", "2026-10-25 08:00"),  # and ends
    ],
)
def test_nine_o_clock_is_nine_o_clock_all_year(now: str, expected: str) -> None:
    assert _next(now, 6, "09:00") == expected


def test_a_time_that_the_clocks_jump_over_comes_an_hour_later() -> None:
    assert _next("2026-03-28 12:00", 6, "02:30") == "2026-03-29 01:30"  # 03:30 in Vienna
    assert _next("2026-03-29 01:30", 6, "02:30") == "2026-04-05 00:30"


def test_a_time_that_comes_twice_counts_once() -> None:
    assert _next("2026-10-24 12:00", 6, "02:30") == "2026-10-25 00:30"
    assert _next("2026-10-25 00:30", 6, "02:30") == "2026-11-01 01:30"
    assert _next("2026-10-25 01:00", 6, "02:30") == "2026-11-01 01:30"


def test_a_day_that_a_zone_left_out_is_no_trouble() -> None:
    apia = ZoneInfo("Pacific/Apia")  # went from Thursday 29 to Saturday 31 December 2011
    assert _next("2011-12-29 12:00", 4, "09:00", apia).startswith("2011-12-30")


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(0, 6),
    st.times(),
    st.sampled_from(ZONES),
)
def test_the_next_moment_is_the_first_after_now(
    now: datetime, day: int, at: time, name: str
) -> None:
    zone, at = ZoneInfo(name), at.replace(second=0, microsecond=0)
    following, last = next_weekly(now, day, at, zone), last_weekly(now, day, at, zone)
    assert last <= now < following
    assert timedelta(days=6) <= following - last <= timedelta(days=8)
    assert next_weekly(last, day, at, zone) == following
    local = following.astimezone(zone)
    if (local.hour, local.minute) == (at.hour, at.minute) and name != "Pacific/Apia":
        assert local.weekday() == day


def test_a_new_job_has_missed_nothing() -> None:
    known = _utc("2026-11-21 12:00")
    assert due(SUNDAY_NINE, known, known, VIENNA) is None
    assert due(SUNDAY_NINE, known, _utc("2026-11-22 08:00"), VIENNA) == _utc("2026-11-22 08:00")


def test_however_long_a_machine_slept_it_runs_once() -> None:
    last, woke = _utc("2026-08-02 07:00"), _utc("2026-11-21 12:00")
    assert due(SUNDAY_NINE, last, woke, VIENNA) == _utc("2026-11-15 08:00")
    assert next_run(SUNDAY_NINE, last, woke, VIENNA) == woke
    assert due(SUNDAY_NINE, woke, woke, VIENNA) is None
    assert next_run(SUNDAY_NINE, woke, woke, VIENNA) == _utc("2026-11-22 08:00")


def test_a_clock_put_back_an_hour_runs_nothing_twice() -> None:
    ran = _utc("2026-11-22 08:00")
    again = _utc("2026-11-22 07:30")
    for now in (again, again + timedelta(minutes=30), again + timedelta(hours=1)):
        assert due(SUNDAY_NINE, ran, now, VIENNA) is None
        assert next_run(SUNDAY_NINE, ran, now, VIENNA) == _utc("2026-11-29 08:00")


def test_a_last_run_in_the_far_future_does_not_end_all_runs() -> None:
    wrong, now = _utc("2031-01-01 00:00"), _utc("2026-11-21 12:00")
    assert believable(SUNDAY_NINE, wrong, now) == now
    assert due(SUNDAY_NINE, wrong, now, VIENNA) is None
    assert next_run(SUNDAY_NINE, wrong, now, VIENNA) == _utc("2026-11-22 08:00")
    assert next_run(HOURLY, wrong, now, VIENNA) == now + timedelta(hours=1)


def test_an_interval_begins_when_the_job_last_ran() -> None:
    last = _utc("2026-11-21 12:00")
    assert due(HOURLY, last, last + timedelta(minutes=59), VIENNA) is None
    assert next_run(HOURLY, last, last + timedelta(minutes=1), VIENNA) == last + timedelta(hours=1)
    assert due(HOURLY, last, last + timedelta(days=3), VIENNA) == last + timedelta(hours=1)


@given(st.lists(st.integers(1, 60 * 24 * 20), min_size=1, max_size=60), st.sampled_from(ZONES))
def test_looked_at_whenever_each_week_runs_once_or_is_made_up_for(
    pauses: list[int], name: str
) -> None:
    zone, now = ZoneInfo(name), _utc("2026-01-01 00:00")
    last, meant = now, list[datetime]()
    for pause in pauses:
        now += timedelta(minutes=pause)
        moment = due(SUNDAY_NINE, last, now, zone)
        assert (moment is not None) == (next_weekly(last, 6, time(9), zone) <= now)
        if moment is not None:
            last, meant = now, [*meant, moment]
    assert meant == sorted(set(meant))
