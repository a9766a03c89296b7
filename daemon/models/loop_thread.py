"""One event loop for all calls of language models, on a thread of its own.

Runs have event loops of their own; caps hold for all of them together because calls meet here.
"""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_MAX_END_SECONDS = 0.5  # that cancelled work may take


class LoopThread:
    """Starts its thread with the first call; ends with the process or by `close`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work that runs in the loop of this thread; a cancelled caller cancels it.

        The caller goes on when the work has ended, or after `_MAX_END_SECONDS`.
        """
        caller, ended = asyncio.get_running_loop(), asyncio.Event()

        async def tracked() -> T:
            try:
                return await work
            finally:
                caller.call_soon_threadsafe(ended.set)

        future = asyncio.run_coroutine_threadsafe(tracked(), self._running())
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            with suppress(TimeoutError):
                async with asyncio.timeout(_MAX_END_SECONDS):
                    await ended.wait()
            raise

    def close(self) -> None:
        """Stop the loop, if it runs."""
        with self._starting:
            if self._loop is None or self._thread is None:
                return
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, daemon=True, name="models"
                )
                self._thread.start()
            return self._loop
