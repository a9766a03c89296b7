"""Each client of the daemon may ask so many questions a minute, and no client another's."""

import pytest

from daemon.host.rate_limits import RateLimits, TooManyError


def test_a_client_that_asks_too_much_learns_when_to_try_again() -> None:
    limits = RateLimits(2)
    limits.hit("assistant")
    limits.hit("assistant")
    with pytest.raises(TooManyError, match=r"more than 2 questions .* try again in \d+ s"):
        limits.hit("assistant")
    limits.hit("lacuna")


def test_without_a_limit_everybody_may_ask() -> None:
    limits = RateLimits(0)
    for _ in range(200):
        limits.hit("assistant")
