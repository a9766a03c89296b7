"""Work on a thread that nobody has to wait for."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from daemon.model.errors import LacunaError

T = TypeVar("T")


class Background(Generic[T]):
    """Work in a thread that nobody has to wait for: if it hangs, it is abandoned."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._result: T | None = None
        self._error: LacunaError | None = None
        self._done = threading.Event()
        threading.Thread(target=self._run, args=(work,), name="background", daemon=True).start()

    def result(self, deadline: float) -> T | None:
        """Return the result; None if it is not ready by then. Raises LacunaError."""
        self._done.wait(max(0.0, deadline - time.monotonic()))
        if self._error is not None:
            raise self._error
        return self._result

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._result = work()
        except LacunaError as error:
            self._error = error
        except Exception as error:  # noqa: BLE001 the waiting thread raises it
            self._error = LacunaError(f"failed ({type(error).__name__})")
        finally:
            self._done.set()
