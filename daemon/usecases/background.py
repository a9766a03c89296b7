"""Work for which a use case waits until a deadline, and no longer."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from daemon.model.background import in_background
from daemon.model.errors import LacunaError

T = TypeVar("T")


class Background(Generic[T]):
    """Work in a thread that nobody has to wait for: if it hangs, it is abandoned."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = in_background(work)

    def result(self, deadline: float) -> T | None:
        """Return the result; None if it is not ready by then. Raises LacunaError."""
        try:
            return self._work.result(max(0.0, deadline - time.monotonic()))
        except LacunaError:
            raise
        except Exception as error:
            if not self._work.done():
                return None
            raise LacunaError(f"failed ({type(error).__name__})") from error
