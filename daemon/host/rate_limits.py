"""How many questions a client of the daemon may ask: a sliding window for each client."""

from threading import Lock

from daemon.model.errors import LacunaError
from daemon.model.moving_window import MovingWindow


class TooManyError(LacunaError):
    """A client has asked too many questions within a minute."""


class RateLimits:
    """Counts the questions of each client; `per_minute` 0 means no limit."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._window, self._guard = MovingWindow(per_minute), Lock()

    def hit(self, client: str) -> None:
        """Count a question. Raises TooManyError if it is one too many; that one does not count."""
        if not self._per_minute:
            return
        with self._guard:
            seconds = self._window.wait(client)
        if seconds:
            raise TooManyError(
                f"more than {self._per_minute} questions within a minute: try again in {seconds} s,"
                " or change asking.per_minute"
            )
