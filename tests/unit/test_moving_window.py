"""How often a sender may do something within a minute."""

from daemon.model.moving_window import MovingWindow


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_what_is_one_too_many_waits_until_the_oldest_is_a_minute_ago() -> None:
    clock = Clock()
    window = MovingWindow(2, clock)
    assert window.wait("ada") == 0
    clock.now += 20
    assert window.wait("ada") == 0
    assert window.wait("ada") == 40
    assert window.wait("bob") == 0
    clock.now += 39.5
    assert window.wait("ada") == 1
    clock.now += 0.5
    assert window.wait("ada") == 0
    assert window.wait("ada") == 20


def test_senders_of_long_ago_are_forgotten() -> None:
    clock = Clock()
    window = MovingWindow(1, clock)
    for number in range(10_000):
        window.wait(str(number))
    clock.now += 61
    window.wait("ada")
    assert window.senders == 1
    assert window.wait("ada") > 0
