"""What takes long is begun first, by all workers."""

from tests.order import dealt

SECONDS = {"year": 9.0, "kill": 5.0, "model": 4.0, "areas": 3.0}


def group_of(test: str) -> tuple[str, float]:
    group = test.partition(" ")[0]
    return group, SECONDS.get(group, 0.0)


def test_each_worker_starts_with_the_longest_remaining_group() -> None:
    short = [f"short {number}" for number in range(16)]
    order = dealt([*short[:8], "areas", "model", "kill", "year", *short[8:]], 2, group_of)
    assert order[:2] == ["year", "areas"]
    assert order[10:12] == ["kill", "model"]
    assert [each for each in order if each in short] == short


def test_tests_that_share_a_fixture_stay_with_one_worker() -> None:
    order = dealt(["kill a", "year", "kill b", "short 1", "short 2", "kill c"], 2, group_of)
    assert order == ["kill a", "kill b", "kill c", "year", "short 1", "short 2"]


def test_a_group_that_is_too_large_for_one_worker_is_divided() -> None:
    tests = [f"kill {number}" for number in range(5)]
    assert dealt([*tests, "year"], 3, group_of) == ["year", *tests]
