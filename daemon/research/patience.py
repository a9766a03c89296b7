"""Wait for a source at most once for its timeout, however often it is queried."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import TypeVar

from daemon.model.errors import LacunaError

Result = TypeVar("Result")


class Patience:
    """Waits for sources. Times are in seconds; `timeouts` are those of single sources.

    While a source answers anything at all, its other queries keep waiting: rate-limited ones queue.
    One that timed out is not waited for again in the same run.
    """

    def __init__(self, timeouts: Mapping[str, float], usual: float) -> None:
        self._timeouts = timeouts
        self._usual = usual
        self._heard: dict[str, float] = {}
        self._silent: set[str] = set()

    def seconds(self, name: str) -> float:
        return self._timeouts.get(name, self._usual)

    def too_late(self, name: str) -> str:
        """Record that it timed out."""
        return f"no answer in {self.seconds(name):g} s"

    def is_over(self, name: str) -> bool:
        """Return whether the source has already timed out."""
        return name in self._silent

    async def wait(self, name: str, asking: Awaitable[Result]) -> Result:
        """Wait for an answer. Raises TimeoutError and the query's own errors."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        work = asyncio.ensure_future(asking)
        try:
            while not work.done():
                left = max(began, self._heard.get(name, began)) + self.seconds(name) - loop.time()
                if left <= 0:
                    self._silent.add(name)
                    raise TimeoutError
                await asyncio.wait({work}, timeout=left)
        finally:
            work.cancel()
        self._heard[name] = loop.time()
        return work.result()


def error_line(error: Exception) -> str:
    """Describe on one line what went wrong with a source or a document."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, LacunaError) and text:
        return text
    return f"failed ({type(error).__name__}{': ' + text if text else ''})"
