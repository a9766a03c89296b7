"""An event loop whose clock jumps to the next timer: hours pass in milliseconds."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_TICK = 1e-9  # seconds


class _NoWait(selectors.SelectSelector):
    """Never waits; tells the loop to move its clock instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += max(timeout or 0.0, _TICK)  # no clock stands still
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual time, which begins at 0 s."""

    def __init__(self) -> None:
        self._clock = _NoWait()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
