"""What is created on first use is created once, whoever comes first."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from daemon.model.late import once

THREADS = 8


def test_threads_that_come_at_the_same_time_get_one_and_the_same() -> None:
    everybody, made = Barrier(THREADS), list[object]()

    def make() -> object:
        made.append(object())
        Event().wait(0.05)  # as long as loading may take
        return made[-1]

    get = once(make)

    def come(_number: int) -> object:
        everybody.wait(60)
        return get()

    with ThreadPoolExecutor(THREADS) as pool:
        found = set(pool.map(come, range(THREADS)))

    assert len(made) == 1
    assert found == set(made)


def test_what_failed_is_tried_again() -> None:
    answers = iter((ValueError, 7))

    def make() -> int:
        answer = next(answers)
        if answer is ValueError:
            raise ValueError("not yet")
        return 7

    get = once(make)

    with pytest.raises(ValueError, match="not yet"):
        get()
    assert get() == 7
