"""The watchdog's heartbeats: how often, and for which process."""

import os
import threading

from daemon.host.watchdog import Watchdog, watchdog_seconds
from daemon.model.errors import StoppedError
from daemon.ports import Stop


def test_the_watchdog_is_notified_twice_per_timeout() -> None:
    reported, clock = list[str](), [0.0]
    watchdog = Watchdog(10.0, reported.append, lambda: clock[0])
    for second in range(21):
        clock[0] = float(second)
        watchdog.step()
    assert reported == ["WATCHDOG=1"] * 5  # at 0, 5, 10, 15 and 20


def test_work_in_another_thread_does_not_count_as_progress_of_the_loop() -> None:
    reported = list[str]()
    watchdog = Watchdog(10.0, reported.append)
    other = threading.Thread(target=watchdog.step)
    other.start()
    other.join()
    assert reported == []


def test_work_that_checks_for_a_stop_counts_as_progress() -> None:
    stop, steps = Stop(), list[int]()
    with stop.calling(lambda: steps.append(1)):
        stop.check()
        stop.is_requested = True
        try:
            stop.check()
        except StoppedError:
            steps.append(2)
    stop.is_requested = False
    stop.check()
    assert steps == [1, 1, 2]


def test_how_often_is_what_systemd_says_to_this_very_process() -> None:
    assert watchdog_seconds({}) == 0.0
    assert watchdog_seconds({"WATCHDOG_USEC": "900000000"}) == 900.0
    assert watchdog_seconds({"WATCHDOG_USEC": "900000000", "WATCHDOG_PID": "1"}) == 0.0
    own = {"WATCHDOG_USEC": "900000000", "WATCHDOG_PID": str(os.getpid())}
    assert watchdog_seconds(own) == 900.0
    assert watchdog_seconds({"WATCHDOG_USEC": "often"}) == 0.0


def test_without_a_watchdog_no_notification_is_sent() -> None:
    reported = list[str]()
    Watchdog(0.0, reported.append).step()
    assert reported == []
