"""Calls that end when a stop is requested."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from daemon.ports import Stop

_POLL_SECONDS = 0.1
T = TypeVar("T")


async def until_stopped(work: Coroutine[Any, Any, T], stop: Stop) -> T:
    """Return the result of the work; cancel it with all its calls if a stop is requested.

    Raises StoppedError.
    """
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait([task], timeout=_POLL_SECONDS))[0]:
            stop.check()
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])
