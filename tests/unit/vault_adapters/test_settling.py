"""A path is reported once it has stopped changing, never before."""

from hypothesis import given
from hypothesis import strategies as st

from vault_adapters.settling import Settling


def test_a_burst_is_reported_once_when_all_paths_are_quiet() -> None:
    settling = Settling(2.0, 30.0)
    for number in range(5000):
        settling.touch(f"{number}.md", now=number / 5000)
    assert settling.take(now=2.5) == {}
    assert len(settling.take(now=3.0)) == 5000
    assert settling.take(now=99.0) == {}
    assert settling.due_at() is None


def test_each_further_change_puts_a_path_off() -> None:
    settling = Settling(2.0, 30.0)
    for second in range(10):
        settling.touch("note.md", now=second)
        assert settling.take(now=second + 0.9) == {}
    assert settling.due_at() == 11.0
    assert set(settling.take(now=11.0)) == {"note.md"}


def test_a_path_that_never_rests_holds_the_others_up_for_a_while_only() -> None:
    settling = Settling(2.0, 30.0)
    settling.touch("quiet.md", now=0)
    reported: list[tuple[float, set[str]]] = []
    for second in range(1, 100):
        settling.touch("storm.log", now=second)
        if taken := settling.take(now=second):
            reported.append((second, set(taken)))
    assert reported == [(30, {"quiet.md"})]
    assert set(settling.take(now=101.0)) == {"storm.log"}


def test_only_the_first_change_wakes_who_waits() -> None:
    settling = Settling(2.0, 30.0)
    assert settling.touch("a.md", now=0)
    assert not settling.touch("b.md", now=1)
    settling.take(now=3.0)
    assert settling.touch("c.md", now=4)


def test_a_path_is_new_when_it_was_made_in_this_window() -> None:
    settling = Settling(1.0, 30.0)
    settling.touch("made.md", now=0, new=True)
    settling.touch("made.md", now=0.1)
    settling.touch("replaced.md", now=0)
    settling.touch("replaced.md", now=0.1, new=True)
    assert settling.take(now=2.0) == {"made.md": True, "replaced.md": False}


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 5)), max_size=60),
    st.integers(0, 4),
    st.integers(0, 20),
)
def test_every_change_is_reported_and_none_too_early(
    changes: list[tuple[str, int]], settle: int, longest: int
) -> None:
    settling, now, last = Settling(settle, longest), 0, dict[str, int]()
    for path, pause in changes:
        now += pause
        for reported in settling.take(now=now):
            assert now - last.pop(reported) >= settle
        settling.touch(path, now=now)
        last[path] = now
    for _ in range(len(last) + 1):
        due_at = settling.due_at()
        if due_at is not None:
            for reported in settling.take(now=due_at):
                assert due_at - last.pop(reported) >= settle
    assert not last
