"""Work on a thread that the process does not wait for when it ends."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_background(work: Callable[[], T]) -> "Future[T]":
    """Start work on a thread of its own; the future has its result, or raises its error.

    Unlike the threads of an executor, one that hangs does not keep the process from ending.
    """
    found: Future[T] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 it is raised where the result is asked for
            found.set_exception(error)

    threading.Thread(target=run, name="background", daemon=True).start()
    return found
