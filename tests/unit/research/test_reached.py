"""Which runs read nothing because nothing could be reached, and which found nothing new."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.model.agenda import Origin
from daemon.model.errors import FetchError, OfflineError, SlowError, SpentError
from daemon.model.evidence import SourceStatus
from daemon.research.pipeline import RunResult
from daemon.research.reached import not_reached, unreached
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory
from tests.fakes.run_parts import (
    BREAD,
    BREAD_QUERY,
    PIANO,
    RUN,
    Pages,
    Surroundings,
    a_hit,
    a_task,
    an_agenda,
)
from tests.fakes.source import FakeSource

TASK = a_task("staling of bread", BREAD_QUERY)
DOWN, EMPTY, PART = SourceStatus.UNAVAILABLE, SourceStatus.EMPTY, SourceStatus.DEGRADED


def _run(
    folder: Path, *sources: FakeSource, pages: Pages | None = None, why: str = ""
) -> RunResult:
    around = Surroundings({each.name: each for each in sources}, pages or Pages({"p": PIANO}))
    if why:
        around.stop.enough, around.stop.why = True, why
    return asyncio.run(around.run(an_agenda(TASK), folder / RUN))


def _why(folder: Path, result: RunResult, local: str = "") -> str:
    return unreached(result, RunFolder(RunDirectory(folder / RUN)), {local})


def test_a_run_of_which_no_source_answered_reached_nothing(tmp_path: Path) -> None:
    one = FakeSource("one", status=DOWN, why="no network")
    result = _run(tmp_path, one, FakeSource("two", status=DOWN, why="no network"))
    assert _why(tmp_path, result) == "could not reach one and two (no network)"


def test_a_rate_limit_is_no_answer_and_each_reason_is_named(tmp_path: Path) -> None:
    one = FakeSource("one", status=PART, why="HTTP 429")
    result = _run(tmp_path, one, FakeSource("two", error=RuntimeError("boom")))
    assert _why(tmp_path, result) == (
        "could not reach one (HTTP 429), two (failed (RuntimeError: boom))"
    )


def test_one_source_that_answers_is_a_result_and_the_others_are_named(tmp_path: Path) -> None:
    result = _run(tmp_path, FakeSource("one"), FakeSource("two", status=DOWN, why="no network"))
    assert result.findings == ()
    assert _why(tmp_path, result) == ""
    assert not_reached(result.answers) == {"two": "no network"}


def test_what_this_machine_holds_is_no_answer_of_the_others(tmp_path: Path) -> None:
    down = FakeSource("two", status=DOWN, why="no network")
    result = _run(tmp_path, FakeSource("one", [a_hit("p")]), down)
    assert result.findings == ()
    assert _why(tmp_path, result, local="one") == "could not reach two (no network)"


def test_a_finding_is_a_result_whatever_was_not_reached(tmp_path: Path) -> None:
    down = FakeSource("two", status=DOWN, why="no network")
    result = _run(tmp_path, FakeSource("one", [a_hit("b")]), down, pages=Pages({"b": BREAD}))
    assert result.findings
    assert _why(tmp_path, result, local="one") == ""


def test_a_question_that_a_finding_answers_already_is_a_result(tmp_path: Path) -> None:
    down = FakeSource("two", status=DOWN, why="no network")
    result = _run(tmp_path, FakeSource("one", [a_hit("p")]), down)
    known = replace(result, answered={TASK.id: "Inbox/Bread.md"})
    assert _why(tmp_path, known, local="one") == ""


def test_beside_the_users_own_questions_what_their_note_suggests_is_extra(tmp_path: Path) -> None:
    around = Surroundings(
        {"one": FakeSource("one", [a_hit("p")]), "two": FakeSource("two", status=DOWN)},
        Pages({"p": PIANO}),
    )
    more = a_task("bread", origin=Origin.NOTE)
    result = asyncio.run(around.run(an_agenda(TASK, more), tmp_path / RUN))
    answered = replace(result, answered={TASK.id: "Inbox/Bread.md"})
    assert _why(tmp_path, answered, local="one") == ""
    answered = replace(result, answered={more.id: "Inbox/Bread.md"})
    assert _why(tmp_path, answered, local="one") == "could not reach two"


@pytest.mark.parametrize("error", [OfflineError("no network"), SlowError("slow"), SpentError("up")])
def test_documents_that_may_be_available_later_are_retried(
    tmp_path: Path, error: Exception
) -> None:
    result = _run(
        tmp_path, FakeSource("one", [a_hit("b")]), FakeSource("two"), pages=_Broken(error)
    )
    assert _why(tmp_path, result) == f"could not read what was found ({error})"


def test_documents_that_are_not_given_out_are_not_tried_again(tmp_path: Path) -> None:
    broken = _Broken(FetchError("HTTP 403"))
    result = _run(tmp_path, FakeSource("one", [a_hit("b")]), FakeSource("two"), pages=broken)
    assert _why(tmp_path, result) == ""


def test_a_time_limit_that_ended_before_anything_was_read_leaves_it_to_be_done(
    tmp_path: Path,
) -> None:
    result = _run(tmp_path, FakeSource("one", [a_hit("b")]), why="its deadline was 06:00")
    assert _why(tmp_path, result) == ("stopped before anything was read: its deadline was 06:00")


class _Broken(Pages):
    """Pages of which none can be had."""

    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self._error = error

    async def get(self, hit: object) -> object:  # type: ignore[override]
        raise self._error
