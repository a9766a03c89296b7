"""Every weekly run happens exactly once, whatever clocks and machines do."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.cron import after as cron_after
from scheduler.job import Cron, Daily, Every, Jitter, Schedule, Weekly
from scheduler.policy import deadline, due, following, latest, next_run, plausible_last_run

VIENNA = ZoneInfo("Europe/Vienna")
ZONES = ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC",
         "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca"]  # fmt: skip
SUNDAY_NINE = Weekly.parse("sun", "09:00")
HOURLY = Every(timedelta(hours=1))


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _next(now: str, day: int, at: str, zone: ZoneInfo = VIENNA) -> str:
    return following(Weekly(day, time.fromisoformat(at)), _utc(now), zone).strftime(
        "%Y-%m-%d %H:%M"
    )


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


def test_a_day_skipped_by_a_time_zone_is_handled() -> None:
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
    schedule = Weekly(day, at)
    coming, last = following(schedule, now, zone), latest(schedule, now, zone)
    assert last <= now < coming
    assert timedelta(days=6) <= coming - last <= timedelta(days=8)
    assert following(schedule, last, zone) == coming
    local = coming.astimezone(zone)
    if (local.hour, local.minute) == (at.hour, at.minute) and name != "Pacific/Apia":
        assert local.weekday() == day


def test_a_new_job_has_missed_nothing() -> None:
    known = _utc("2026-11-21 12:00")
    assert due(SUNDAY_NINE, known, known, VIENNA) is None
    assert due(SUNDAY_NINE, known, _utc("2026-11-22 08:00"), VIENNA) == _utc("2026-11-22 08:00")


def test_a_missed_job_runs_once_however_long_the_machine_slept() -> None:
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
    assert plausible_last_run(SUNDAY_NINE, wrong, now) == now
    assert due(SUNDAY_NINE, wrong, now, VIENNA) is None
    assert next_run(SUNDAY_NINE, wrong, now, VIENNA) == _utc("2026-11-22 08:00")
    assert next_run(HOURLY, wrong, now, VIENNA) == now + timedelta(hours=1)


def test_an_interval_begins_when_the_job_last_ran() -> None:
    last = _utc("2026-11-21 12:00")
    assert due(HOURLY, last, last + timedelta(minutes=59), VIENNA) is None
    assert next_run(HOURLY, last, last + timedelta(minutes=1), VIENNA) == last + timedelta(hours=1)
    assert due(HOURLY, last, last + timedelta(days=3), VIENNA) == last + timedelta(hours=1)


@given(st.lists(st.integers(1, 60 * 24 * 20), min_size=1, max_size=60), st.sampled_from(ZONES))
def test_checked_at_any_time_each_week_runs_once_or_is_made_up_for(
    pauses: list[int], name: str
) -> None:
    zone, now = ZoneInfo(name), _utc("2026-01-01 00:00")
    last, meant = now, list[datetime]()
    for pause in pauses:
        now += timedelta(minutes=pause)
        moment = due(SUNDAY_NINE, last, now, zone)
        assert (moment is not None) == (following(SUNDAY_NINE, last, zone) <= now)
        if moment is not None:
            last, meant = now, [*meant, moment]
    assert meant == sorted(set(meant))


NIGHTLY = Daily(time(2, 30), until=time(6))
AUCKLAND, NEW_YORK, LONDON, TOKYO = map(
    ZoneInfo, ("Pacific/Auckland", "America/New_York", "Europe/London", "Asia/Tokyo")
)


def _looked_at(
    schedule: Schedule, begin: str, end: str, *places: tuple[str, ZoneInfo]
) -> list[datetime]:
    """When a job runs that is looked at every ten minutes, where the machine is by then."""
    now, ran = _utc(begin), list[datetime]()
    last = now.astimezone(places[0][1])
    while now < _utc(end):
        zone = next(place for since, place in reversed(places) if _utc(since) <= now)
        if due(schedule, last, now, zone) is not None:
            last = now.astimezone(zone)
            ran.append(last)
        now += timedelta(minutes=10)
    return ran


def _reported(moments: list[datetime]) -> list[str]:
    return [f"{moment:%d %H:%M}" for moment in moments]


def test_nightly_work_runs_once_in_the_nights_in_which_the_clocks_change() -> None:
    spring = _looked_at(NIGHTLY, "2026-03-27 12:00", "2026-03-30 12:00", ("2026-01-01", VIENNA))
    assert _reported(spring) == ["28 02:30", "29 03:30", "30 02:30"]
    autumn = _looked_at(NIGHTLY, "2026-10-23 12:00", "2026-10-26 12:00", ("2026-01-01", VIENNA))
    assert _reported(autumn) == ["24 02:30", "25 02:30", "26 02:30"]


def test_travelling_west_on_the_day_of_a_run_does_not_repeat_it() -> None:
    flight = ("2026-01-01", VIENNA), ("2026-11-22 10:00", NEW_YORK)  # 05:00 there, again
    ran = _looked_at(SUNDAY_NINE, "2026-11-20 00:00", "2026-11-30 00:00", *flight)
    assert [f"{at:%a %d %H:%M %Z}" for at in ran] == ["Sun 22 09:00 CET", "Sun 29 09:00 EST"]
    flight = ("2026-01-01", LONDON), ("2026-11-22 10:00", NEW_YORK)  # from where the offset is 0
    last = datetime(2026, 11, 22, 9, 0, 5, tzinfo=LONDON)
    assert due(SUNDAY_NINE, last, _utc("2026-11-22 14:30"), NEW_YORK) is None


def test_travelling_east_before_a_run_runs_it_once() -> None:
    flight = ("2026-01-01", VIENNA), ("2026-11-22 03:00", TOKYO)  # 04:00, and it is noon there
    ran = _looked_at(SUNDAY_NINE, "2026-11-20 00:00", "2026-11-30 00:00", *flight)
    assert [f"{at:%a %d %H:%M %Z}" for at in ran] == ["Sun 22 12:00 JST", "Sun 29 09:00 JST"]


def test_a_date_that_comes_twice_over_the_date_line_has_one_run() -> None:
    honolulu = ZoneInfo("Pacific/Honolulu")
    flight = ("2026-01-01", AUCKLAND), ("2026-11-22 00:00", honolulu)
    ran = _looked_at(Daily(time(9)), "2026-11-20 00:00", "2026-11-24 00:00", *flight)
    assert _reported(ran) == ["21 09:00", "22 09:00", "23 09:00"]


def test_a_clock_put_back_by_days_runs_no_week_twice() -> None:
    ran = datetime(2026, 11, 22, 9, tzinfo=VIENNA)
    for days in range(7):
        now = _utc("2026-11-16 09:00") + timedelta(days=days)
        assert due(SUNDAY_NINE, ran, now, VIENNA) is None
        assert next_run(SUNDAY_NINE, ran, now, VIENNA) == _utc("2026-11-29 08:00")


def test_a_run_in_utc_counts_as_one_here() -> None:
    in_new_york = _utc("2026-11-22 14:00")
    evening = Daily(time(12))
    assert due(evening, in_new_york, _utc("2026-11-22 17:00"), NEW_YORK) is not None


@pytest.mark.parametrize(
    ("expression", "now", "expected"),
    [
        ("30 2 * * *", "2026-03-28 12:00", "2026-03-29 01:30"),  # skipped: an hour later
        ("30 2 * * *", "2026-03-29 01:10", "2026-03-29 01:30"),  # asked for while it is late
        ("0 * * * *", "2026-03-29 00:30", "2026-03-29 01:00"),  # 02:00 and 03:00 are one moment
        ("0 * * * *", "2026-03-29 01:00", "2026-03-29 02:00"),
        ("30 2 * * *", "2026-10-24 12:00", "2026-10-25 00:30"),  # comes twice: the first
        ("30 2 * * *", "2026-10-25 01:00", "2026-10-26 01:30"),
        ("15 9 * * 0", "2026-11-21 12:00", "2026-11-22 08:15"),  # 0 is Sunday
        ("15 9 * * 7", "2026-11-21 12:00", "2026-11-22 08:15"),  # and so is 7
        ("15 9 * * mon-fri", "2026-11-21 12:00", "2026-11-23 08:15"),
        ("0 9 1 * 1", "2026-11-21 12:00", "2026-11-23 08:00"),  # the first, or a Monday
        ("0 9 29 2 *", "2026-11-21 12:00", "2028-02-29 08:00"),
    ],
)
def test_cron_uses_local_wall_clock_time(expression: str, now: str, expected: str) -> None:
    moment = following(Cron.parse(expression), _utc(now), VIENNA)
    assert moment.strftime("%Y-%m-%d %H:%M") == expected


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("0 9 * *", "five fields"),
        ("0 0 9 * * *", "five fields"),
        ("60 9 * * *", "at the minute"),
        ("0 9 * * sonntag", "at the day of the week"),
        ("0 9 31 2 *", "day of the month"),
        ("@weekly", "five fields"),
        ("", "five fields"),
    ],
)
def test_an_invalid_expression_names_the_field(expression: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Cron.parse(expression)


@given(
    st.datetimes(datetime(2011, 12, 1), datetime(2012, 1, 31), timezones=st.just(UTC))  # noqa: DTZ001
    | st.datetimes(datetime(2026, 3, 1), datetime(2026, 4, 30), timezones=st.just(UTC))  # noqa: DTZ001
    | st.datetimes(datetime(2026, 10, 1), datetime(2026, 11, 30), timezones=st.just(UTC)),  # noqa: DTZ001
    st.sampled_from([
        "30 2 * * *", "10,50 2 * * *", "0 */3 * * *", "15 1-4 * * *", "0 0 * * 6,0", "45 23 30 * *"
    ]),
    st.sampled_from(ZONES),
)  # fmt: skip
def test_no_moment_of_a_cron_is_excluded_and_none_comes_before_its_time(
    now: datetime, expression: str, name: str
) -> None:
    """Against all its moments of four months, each named time taken for itself."""
    zone, schedule = ZoneInfo(name), Cron.parse(expression)
    begin = now.replace(tzinfo=None) - timedelta(days=65)
    all_of_them = set[datetime]()
    for named in cron_after(expression, begin):
        if named > begin + timedelta(days=130):
            break
        all_of_them.add(named.replace(tzinfo=zone).astimezone(UTC))
    assert following(schedule, now, zone) == min(each for each in all_of_them if each > now)
    assert latest(schedule, now, zone) == max(each for each in all_of_them if each <= now)


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
       st.sampled_from(ZONES), st.text(max_size=8))  # fmt: skip
def test_jitter_is_the_same_for_a_day_however_often_it_is_asked(
    now: datetime, name: str, seed: str
) -> None:
    zone, plain = ZoneInfo(name), Weekly.parse("sun", "09:00")
    late = Weekly.parse("sun", "09:00", Jitter(seed, timedelta(minutes=45)))
    at = following(late, now, zone)
    asked_earlier = following(late, at - timedelta(hours=3), zone)
    assert at == asked_earlier == latest(late, at, zone)
    assert timedelta(0) <= at - latest(plain, at, zone) <= timedelta(minutes=45)


def test_jitter_differs_from_week_to_week_and_from_vault_to_vault() -> None:
    def minutes(seed: str) -> list[datetime]:
        moments, now = list[datetime](), _utc("2026-01-01 00:00")
        for _ in range(8):
            now = following(
                Weekly.parse("sun", "09:00", Jitter(seed, timedelta(hours=1))), now, UTC
            )
            moments.append(now)
        return moments

    assert len({at.time() for at in minutes("notes")}) > 4
    assert minutes("notes") == minutes("notes") != minutes("work")


@given(
    st.lists(st.integers(1, 60 * 50), min_size=5, max_size=80),
    st.sampled_from([SUNDAY_NINE, NIGHTLY, Cron("0 9,18 * * *"), Cron("30 2 * * 0")]),
    st.lists(st.sampled_from(ZONES), min_size=1, max_size=3),
)
def test_wherever_a_machine_goes_it_runs_in_time_and_no_local_time_twice(
    pauses: list[int], schedule: Schedule, names: list[str]
) -> None:
    now = _utc("2026-03-10 00:00")
    last, shown = now.astimezone(ZoneInfo(names[0])), list[datetime]()
    for number, pause in enumerate(pauses):
        now += timedelta(minutes=pause)
        zone = ZoneInfo(names[number * len(names) // len(pauses)])
        foretold = next_run(schedule, last, now, zone)
        moment = due(schedule, last, now, zone)
        assert (moment is not None) == (foretold == now)
        if moment is None:
            assert due(schedule, last, foretold - timedelta(seconds=1), zone) is None
            assert due(schedule, last, foretold, zone) == foretold
        else:
            last = now.astimezone(zone)
            shown.append(moment.astimezone(zone).replace(tzinfo=None))
    assert shown == sorted(set(shown))


@pytest.mark.parametrize(
    ("schedule", "meant", "now", "done"),
    [
        (NIGHTLY, "2026-11-21 01:30", "2026-11-21 01:40", "2026-11-21 05:00"),
        (NIGHTLY, "2026-11-21 01:30", "2026-11-21 12:00", "2026-11-21 15:30"),  # slept through
        (NIGHTLY, "2026-03-29 01:30", "2026-03-29 01:30", "2026-03-29 04:00"),  # an hour shorter
        (Daily(time(22), time(5)), "2026-11-21 21:00", "2026-11-21 23:00", "2026-11-22 04:00"),
        (Daily(time(2)), "2026-11-21 01:00", "2026-11-21 01:05", "2026-11-22 01:00"),
    ],
)
def test_nightly_work_is_done_by_its_hour(schedule: Daily, meant: str, now: str, done: str) -> None:
    found = deadline(schedule, _utc(meant), _utc(now), VIENNA)
    assert found.strftime("%Y-%m-%d %H:%M") == done
