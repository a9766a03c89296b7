from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np

from daemon.analysis.anchors import NONE, Ties, grouped

Pair = tuple[str, str]


def any_title(_path: str) -> bool:
    return True


def groups_of(pairs: Iterable[Pair], more: Iterable[str] = ()) -> dict[str, set[str]]:
    return grouped_by_name(pairs, more, any_title)


def grouped_by_name(
    pairs: Iterable[Pair], more: Iterable[str], tells: Callable[[str], bool]
) -> dict[str, set[str]]:
    ties = sorted({(min(pair), max(pair)) for pair in pairs})
    notes = sorted({*more, *(note for pair in ties for note in pair)})
    first = np.array([notes.index(one) for one, _ in ties])
    second = np.array([notes.index(other) for _, other in ties])
    found: defaultdict[str, set[str]] = defaultdict(set)
    homes = grouped(Ties(notes, first, second, np.ones(len(ties))), tells)
    for note, home in zip(notes, homes.tolist(), strict=True):
        if home != NONE:
            found[notes[home]].add(note)
    return dict(found)


def star(middle: str, leaves: str) -> list[Pair]:
    return [(middle, f"{middle}{leaf}") for leaf in leaves]


def test_a_group_gathers_around_the_note_that_most_is_linked_with() -> None:
    found = groups_of([*star("a", "12345678"), *star("b", "12345678"), ("a1", "b1")])

    assert set(found) == {"a", "b"}
    assert found["a"] == {"a", *(f"a{n}" for n in range(1, 9))}


def test_a_small_group_goes_to_a_larger_one_beside_it() -> None:
    small = [("c", "c1"), ("c", "c2"), ("c", "a1")]

    assert set(groups_of([*star("a", "12345678"), *small])) == {"a"}


def test_a_small_group_that_nothing_joins_to_others_stays() -> None:
    found = groups_of([*star("a", "12345678"), *combinations(("x", "y", "z"), 2)])

    assert {"x", "y", "z"} in found.values()


def test_a_note_without_ties_is_in_no_group() -> None:
    assert groups_of(star("a", "123"), more=["lonely"]) == {"a": {"a", "a1", "a2", "a3"}}


def test_a_list_of_contents_does_not_hold_what_is_held_elsewhere() -> None:
    whole = [
        pair for subject in "abcd" for pair in combinations([f"{subject}{n}" for n in range(8)], 2)
    ]
    contents = [("list", note) for note in sorted({note for pair in whole for note in pair})]

    found = groups_of([*whole, *contents])

    of = {note: anchor for anchor, group in found.items() for note in group}
    assert all(len({of[f"{subject}{n}"] for n in range(1, 8)}) == 1 for subject in "abcd")
    assert len({of["a1"], of["b1"], of["c1"], of["d1"], of["list"]}) == 4


def test_a_note_with_an_uninformative_title_is_a_centre_only_as_a_last_resort() -> None:
    pairs = [("2024", "2025"), ("2024", "Bees"), ("2024", "Hive")]

    assert set(grouped_by_name(pairs, (), str.isalpha)) in ({"Bees"}, {"Hive"})
    assert set(grouped_by_name(pairs, (), lambda _: False)) == {"2024"}


def test_what_changes_far_away_moves_nothing_here() -> None:
    here = [*star("a", "123456"), ("a1", "a2"), ("a3", "b"), *star("b", "123456")]
    there = [*star("p", "12345678"), *star("q", "12345678"), ("p1", "q1")]
    between = [("b6", "m"), ("m", "n"), ("n", "p8")]

    before = groups_of([*here, *between, *there])
    after = groups_of([*here, *between, *there[:-1], ("p2", "q7"), ("p3", "new")])

    here_of = [
        {frozenset(g) for g in found.values() if g & {"a", "b"}} for found in (before, after)
    ]
    assert here_of[0] == here_of[1] != set()
