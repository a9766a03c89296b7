"""A timer whose time has come when it is started."""

from collections.abc import Callable
from typing import Any


class ImpatientTimer:
    """Stands in for `threading.Timer`."""

    def __init__(
        self, _seconds: float, function: Callable[..., object], args: tuple[Any, ...] = ()
    ) -> None:
        self._function, self._args = function, args
        self.daemon = False

    def start(self) -> None:
        self._function(*self._args)

    def cancel(self) -> None:
        """It is too late."""
