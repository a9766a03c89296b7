"""Lines about events: what ended is named as a reader knows it."""

import pytest

from daemon.model.event import Done, Error
from daemon.usecases.event_lines import lines_of_steps
from tests.fakes.asked import NOW


@pytest.mark.parametrize(("request_", "line"), [(-3, "query: done"), (7, "query 7: done")])
def test_a_query_is_not_named_by_its_inner_number(request_: int, line: str) -> None:
    assert lines_of_steps(Done(at=NOW, pid=1, ends="query", request=request_)) == [line]


def test_a_run_that_fails_is_named_by_its_id() -> None:
    event = Error(at=NOW, pid=1, ends="run", run="r-1", message="no network")
    assert lines_of_steps(event) == ["run r-1: no network"]
