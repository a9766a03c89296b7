"""In which order several workers take the tests: what takes long begins first, on all of them.

xdist's worksteal gives each worker one run of neighbours from the list of tests. What lies together
would be done by one worker, and a test of a minute that begins last leaves the others idle.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Test = TypeVar("Test")


def dealt(
    tests: Sequence[Test], workers: int, group_of: Callable[[Test], tuple[Hashable, float]]
) -> list[Test]:
    """Return the tests in the order in which to hand them out to `workers`.

    `group_of` says what a test belongs to, and its seconds; those of a group stay together, and
    groups without seconds keep their order. The longest group goes first, to the worker that has
    the least to do.
    """
    groups: dict[Hashable, list[Test]] = {}
    seconds: dict[Hashable, float] = {}
    for test in tests:
        name, cost = group_of(test)
        groups.setdefault(name, []).append(test)
        seconds[name] = seconds.get(name, 0.0) + cost
    hands: list[list[Test]] = [[] for _ in range(workers)]
    loads = [0.0] * workers
    sizes = _shares(len(tests), workers)
    for name in sorted((name for name in groups if seconds[name]), key=lambda n: -seconds[n]):
        room = [at for at in range(workers) if len(hands[at]) + len(groups[name]) <= sizes[at]]
        if not room:
            continue
        least = min(room, key=lambda at: loads[at])
        hands[least].extend(groups.pop(name))
        loads[least] += seconds[name]
    short = [test for group in groups.values() for test in group]
    for hand, size in zip(hands, sizes, strict=True):
        missing = size - len(hand)
        hand.extend(short[:missing])
        del short[:missing]
    return [test for hand in hands for test in hand]


def _shares(tests: int, workers: int) -> list[int]:
    """Return how many tests each worker is given at first, as xdist's worksteal divides them."""
    shares: list[int] = []
    for left in range(workers, 0, -1):
        shares.append((tests - sum(shares)) // left)
    return shares
