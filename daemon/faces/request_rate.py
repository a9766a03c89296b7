"""How many requests each program and each browser may send: a sliding window of a minute.

Who sends is known by the token or the session, never by what a header claims.
"""

from daemon.model.moving_window import MovingWindow

PER_MINUTE = 1200


class RequestRate(MovingWindow):
    """Counts the requests of each sender."""

    def __init__(self, per_minute: int = PER_MINUTE) -> None:
        super().__init__(per_minute)
