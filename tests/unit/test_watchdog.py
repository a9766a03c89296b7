"""The watchdog's signs of life: how often, and of whom."""

import os
import threading

from daemon.host.watchdog import Watchdog, watchdog_seconds
from daemon.model.errors import StoppedError
from daemon.ports import Stop


def test_it_tells_twice_in_the_time_it_was_given_and_not_more_often() -> None:
    told, clock = list[str](), [0.0]
    watchdog = Watchdog(10.0, told.append, lambda: clock[0])
    for second in range(21):
        clock[0] = float(second)
        watchdog.step()
    assert told == ["WATCHDOG=1"] * 5  # at 0, 5, 10, 15 and 20


def test_another_thread_s_work_is_no_sign_of_the_loop_s() -> None:
    told = list[str]()
    watchdog = Watchdog(10.0, told.append)
    other = threading.Thread(target=watchdog.step)
    other.start()
    other.join()
    assert told == []


def test_work_that_asks_whether_to_stop_gets_on() -> None:
    stop, steps = Stop(), list[int]()
    stop.on_check = lambda: steps.append(1)
    stop.check()
    stop.is_requested = True
    try:
        stop.check()
    except StoppedError:
        steps.append(2)
    assert steps == [1, 1, 2]


def test_how_often_is_what_systemd_says_to_this_very_process() -> None:
    assert watchdog_seconds({}) == 0.0
    assert watchdog_seconds({"WATCHDOG_USEC": "900000000"}) == 900.0
    assert watchdog_seconds({"WATCHDOG_USEC": "900000000", "WATCHDOG_PID": "1"}) == 0.0
    own = {"WATCHDOG_USEC": "900000000", "WATCHDOG_PID": str(os.getpid())}
    assert watchdog_seconds(own) == 900.0
    assert watchdog_seconds({"WATCHDOG_USEC": "often"}) == 0.0


def test_without_a_watchdog_nothing_is_told() -> None:
    told = list[str]()
    Watchdog(0.0, told.append).step()
    assert told == []
