"""Work for which a use case waits until a deadline, and no longer."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import wait
from typing import Generic, TypeVar

from daemon.model.background import in_background
from daemon.model.errors import LacunaError

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Background(Generic[T]):
    """Work in a thread that nobody has to wait for: if it hangs, it is abandoned."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = in_background(work)

    def result(self, deadline: float) -> T | None:
        """Return the result; None if it is not ready by then. Raises LacunaError."""
        wait([self._work], max(0.0, deadline - time.monotonic()))
        if not self._work.done():
            return None
        try:
            return self._work.result()
        except LacunaError:
            raise
        except Exception as error:
            _log.error("work in the background failed", exc_info=error)
            raise LacunaError(f"internal error ({type(error).__name__}): see the log") from error
