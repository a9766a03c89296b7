"""What the user's hooks take out of a run, and how that is reported when the run is replayed."""

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.model.agenda import Choice, Depth
from daemon.model.errors import StoppedError
from daemon.model.hook_event import HookEvent
from daemon.ports import Stop
from daemon.research.hook_filters import Filters
from daemon.research.replay import replay
from daemon.research.run_record import RunResult
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory
from tests.fakes.hooks import Answering, FakeHook, FakeHooks
from tests.fakes.run_parts import (
    BREAD,
    BREAD_QUERY,
    MITES,
    RUN,
    Pages,
    Surroundings,
    a_hit,
    a_task,
    an_agenda,
)
from tests.fakes.source import FakeSource

BREAD_TASK = a_task("staling of bread", BREAD_QUERY, score=0.9)
MITES_TASK = a_task("varroa mites", "oxalic acid winter varroa mites", note=None, score=0.4)
AGENDA = an_agenda(BREAD_TASK, MITES_TASK)
BOTH = ["Staling of bread: stale bread refrigerator", "Oxalic acid winter varroa mites"]


def _surroundings(
    event: HookEvent, *answering: Callable[[Mapping[str, Any]], dict[str, Any] | None], **how: Any
) -> tuple[Surroundings, list[FakeHook]]:
    hits = {BREAD_TASK.query: [a_hit("bread")], MITES_TASK.query: [a_hit("mites")]}
    sources = {"one": FakeSource("one", by_query=hits), "two": FakeSource("two")}
    hooks = [FakeHook(each) for each in answering]
    around = Surroundings(sources, Pages({"bread": BREAD, "mites": MITES}))
    around.filters = Filters(FakeHooks({event: hooks}), **how)
    return around, hooks


def _run(around: Surroundings, folder: Path) -> RunResult:
    """Run, and see that a replay without any hook comes to the same."""
    result = asyncio.run(around.run(AGENDA, folder / RUN))
    again = replay(RunFolder(RunDirectory(folder / RUN)))
    assert (again.findings, again.skips, again.remarks) == (
        result.findings,
        result.skips,
        result.remarks,
    )
    return result


def _titles(result: RunResult) -> list[str]:
    return [finding.title for finding in result.findings]


def _dropping(kind: str, words: str) -> Answering:
    def answer(body: Mapping[str, Any]) -> dict[str, Any]:
        found = [each for each in body[kind] if words in each["title"]]
        return {"drop": [{"id": each["id"], "why": "no\nsuch [[thing]]"} for each in found]}

    return answer


def _drop_document(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"drop": "varroa" in body["document"]["text"], "why": "bees"}


def test_without_an_answer_nothing_changes(tmp_path: Path) -> None:
    for number, event in enumerate(HookEvent):
        around, _ = _surroundings(event, lambda _: {})
        assert _titles(_run(around, tmp_path / str(number))) == BOTH


def test_a_hit_that_is_excluded_is_never_fetched(tmp_path: Path) -> None:
    around, [hook] = _surroundings(HookEvent.POST_DISCOVER, _dropping("hits", "mites"))
    result = _run(around, tmp_path)
    assert _titles(result) == BOTH[:1]
    assert around.pages.fetched == ["https://example.org/bread"]
    [skip] = [skip for skip in result.skips if "mites" in skip.url]
    assert skip.why == "removed by your hook filter.py: no such [[thing]]"
    assert {body["task"]["query"] for body in hook.asked} == {BREAD_TASK.query, MITES_TASK.query}


def test_a_document_that_is_excluded_makes_no_finding(tmp_path: Path) -> None:
    around, _ = _surroundings(HookEvent.POST_EXTRACT, _drop_document)
    result = _run(around, tmp_path)
    assert _titles(result) == BOTH[:1]
    assert "removed by your hook filter.py: bees" in [skip.why for skip in result.skips]


def test_a_finding_that_is_excluded_is_not_written(tmp_path: Path) -> None:
    around, [hook] = _surroundings(HookEvent.POST_SYNTHESIZE, _dropping("findings", "bread"))
    result = _run(around, tmp_path)
    assert _titles(result) == BOTH[1:]
    [body] = hook.asked
    assert [each["title"] for each in body["findings"]] == BOTH
    assert all(quote in BREAD for quote in body["findings"][0]["quotes"])


def test_a_remark_is_attributed_to_the_hook_and_is_not_evidence(tmp_path: Path) -> None:
    claim = "Bread never goes stale."
    around, _ = _surroundings(HookEvent.POST_EXTRACT, lambda _: {"note": f"{claim}\n# heading"})
    result = _run(around, tmp_path)
    bread = result.findings[0]
    assert bread.document.note == f"your hook filter.py says: {claim} # heading"
    assert claim not in bread.document.text
    assert all(claim not in quote.passage.text for quote in bread.quotes)
    plain, _ = _surroundings(HookEvent.POST_EXTRACT, lambda _: {})
    without = _run(plain, tmp_path / "without").findings[0]
    passages = [quote.passage for quote in without.quotes]
    assert ([quote.passage for quote in bread.quotes], bread.concepts, bread.credibility) == (
        passages,
        without.concepts,
        without.credibility,
    )


def test_a_task_is_dropped_narrowed_and_made_shallower_before_it_is_asked(tmp_path: Path) -> None:
    def answer(body: Mapping[str, Any]) -> dict[str, Any]:
        bread, mites = body["tasks"]
        change = {"id": bread["id"], "query": "Bread refrigerator", "sources": ["one"]}
        return {
            "depth": "quick",
            "drop": [{"id": mites["id"], "why": "bees are private"}],
            "change": [change],
        }

    around, _ = _surroundings(HookEvent.PRE_RESEARCH, answer)
    result = _run(around, tmp_path)
    kept = RunFolder(RunDirectory(tmp_path / RUN)).agenda
    assert kept.depth is Depth.QUICK
    assert [(task.query, task.sources) for task in kept.tasks] == [("Bread refrigerator", ("one",))]
    assert {answer.query for answer in result.answers} == {"Bread refrigerator"}
    assert result.remarks == (
        "pre_research filter.py shortened “stale bread refrigerator” to “Bread refrigerator”",
        "pre_research filter.py kept “staling of bread” from two",
        "pre_research: removed by your hook filter.py: bees are private: “varroa mites”",
        "pre_research filter.py made it quick, not standard",
    )


def test_an_agenda_of_which_nothing_is_left_ends_with_nothing(tmp_path: Path) -> None:
    def answer(body: Mapping[str, Any]) -> dict[str, Any]:
        return {"drop": [{"id": task["id"]} for task in body["tasks"]]}

    around, _ = _surroundings(HookEvent.PRE_RESEARCH, answer)
    result = _run(around, tmp_path)
    assert (result.findings, result.requests) == ((), 0)


def test_what_the_user_turned_down_is_not_shown_and_stays_turned_down(tmp_path: Path) -> None:
    around, [hook] = _surroundings(HookEvent.PRE_RESEARCH, lambda _: {})
    no = replace(MITES_TASK, choice=Choice.VETOED)
    asyncio.run(around.run(an_agenda(BREAD_TASK, no), tmp_path / RUN))
    assert [task["topic"] for task in hook.asked[0]["tasks"]] == ["staling of bread"]
    assert RunFolder(RunDirectory(tmp_path / RUN)).agenda.tasks == (BREAD_TASK, no)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            {"change": [{"id": "t-varroa-mites", "query": "my diary"}]},
            "must shorten the query",
        ),
        ({"change": [{"id": "t-varroa-mites", "query": " "}]}, "must shorten the query"),
        ({"change": [{"id": "t-varroa-mites", "sources": ["three"]}]}, "sources that were not"),
        ({"change": [{"id": "t-varroa-mites", "sources": []}]}, "sources that were not"),
        ({"change": [{"id": "t-9", "query": "x"}]}, "names 't-9', which it was not asked about"),
        ({"depth": "deep"}, "asks for depth deep; standard was approved"),
        ({"depth": "abyss"}, "is invalid: depth"),
        ({"tasks": []}, "is invalid: tasks: extra inputs"),
        ({"drop": ["t-varroa-mites"]}, "is invalid: drop.0"),
        (None, "it broke"),
    ],
)
def test_changes_that_were_not_approved_are_refused_and_reported(
    tmp_path: Path, answer: dict[str, Any] | None, why: str
) -> None:
    failures: list[tuple[str, str]] = []
    around, _ = _surroundings(
        HookEvent.PRE_RESEARCH, lambda _: answer, failed=lambda *reported: failures.append(reported)
    )
    result = _run(around, tmp_path)
    assert _titles(result) == BOTH
    assert RunFolder(RunDirectory(tmp_path / RUN)).agenda.tasks == AGENDA.tasks
    [remark] = result.remarks
    assert remark.startswith("pre_research filter.py failed: ")
    assert why in remark
    assert remark.endswith("; it had no say")
    assert [hook for hook, _ in failures] == ["pre_research filter.py"]


@pytest.mark.parametrize(
    "event",
    [
        HookEvent.PRE_RESEARCH,
        HookEvent.POST_DISCOVER,
        HookEvent.POST_EXTRACT,
        HookEvent.POST_SYNTHESIZE,
    ],
)
def test_results_are_dropped_when_a_hook_fails_if_so_configured(
    tmp_path: Path, event: HookEvent
) -> None:
    around, _ = _surroundings(event, lambda _: None, leaves_out=True)
    result = _run(around, tmp_path)
    assert result.findings == ()
    assert any("what it was asked about was excluded" in line for line in result.remarks)


def test_each_hook_sees_what_the_one_before_left(tmp_path: Path) -> None:
    around, [first, second] = _surroundings(
        HookEvent.POST_SYNTHESIZE, _dropping("findings", "bread"), lambda _: {}
    )
    _run(around, tmp_path)
    assert len(first.asked[0]["findings"]) == 2
    assert [each["title"] for each in second.asked[0]["findings"]] == BOTH[1:]


def test_a_run_that_is_taken_up_again_asks_no_hook_twice(tmp_path: Path) -> None:
    around, [hook] = _surroundings(HookEvent.POST_EXTRACT, _drop_document)
    first = _run(around, tmp_path)
    asked = len(hook.asked)
    again = _run(around, tmp_path)
    assert (len(hook.asked), again.findings) == (asked, first.findings)


def test_a_stop_while_a_hook_works_keeps_nothing_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    around, [hook] = _surroundings(HookEvent.POST_DISCOVER, lambda _: None)

    def stop(_body: Mapping[str, Any]) -> None:
        around.stop.is_requested = True

    hook.answering = stop
    with pytest.raises(StoppedError):
        asyncio.run(around.run(AGENDA, tmp_path / RUN))
    assert not (tmp_path / RUN / "hooks.json").exists()
    gc.collect()  # a task whose failure nobody looked at says so now
    assert "never retrieved" not in caplog.text
    around.stop = Stop()
    hook.answering = _dropping("hits", "mites")
    assert _titles(_run(around, tmp_path)) == BOTH[:1]


def test_a_run_without_hooks_leaves_no_file_of_them(tmp_path: Path) -> None:
    around, _ = _surroundings(HookEvent.RESEARCH_COMPLETE, lambda _: {})
    _run(around, tmp_path)
    assert not (tmp_path / RUN / "hooks.json").exists()


def test_the_input_of_a_hook_is_plain_json(tmp_path: Path) -> None:
    for number, event in enumerate(HookEvent):
        around, [hook] = _surroundings(event, lambda _: {})
        _run(around, tmp_path / str(number))
        for body in hook.asked:
            assert json.loads(json.dumps(body)) == body
            assert body["run"] == RUN


def test_a_run_that_ends_early_waits_for_no_hook_and_ignores_late_answers(
    tmp_path: Path,
) -> None:
    around, [hook] = _surroundings(HookEvent.POST_EXTRACT, lambda _: {})
    over = threading.Event()

    class Slow(FakeHook):
        def ask(
            self,
            body: Mapping[str, Any],
            is_over: Callable[[], bool] = lambda: False,
            *,
            starting: AbstractContextManager[None] | None = None,
        ) -> dict[str, Any]:
            around.stop.enough = True
            while not is_over():
                time.sleep(0.01)  # how often it looks
            over.set()
            return {"note": "too late"}

    slow = Slow(hook.answering)
    around.filters = Filters(FakeHooks({HookEvent.POST_EXTRACT: [slow]}))
    result = _run(around, tmp_path)
    assert result.stopped_early
    assert over.wait(60)
    assert not (tmp_path / RUN / "hooks.json").exists()


def test_hooks_work_side_by_side_but_only_a_few(tmp_path: Path) -> None:
    at_once: list[int] = []
    working: set[int] = set()

    def answer(_body: Mapping[str, Any]) -> dict[str, Any]:
        working.add(threading.get_ident())
        at_once.append(len(working))
        working.discard(threading.get_ident())
        return {}

    names = [f"bread-{number}" for number in range(12)]
    hits = {BREAD_TASK.query: [a_hit(name) for name in names]}
    around, _ = _surroundings(HookEvent.POST_EXTRACT, answer)
    around.sources = {"one": FakeSource("one", by_query=hits)}
    around.pages = Pages({name: f"{BREAD}\nNumber {name}.\n" for name in names})
    asyncio.run(around.run(an_agenda(BREAD_TASK), tmp_path / RUN))
    assert len(at_once) > 2
    assert max(at_once) <= 2


def test_what_is_excluded_makes_room_for_what_came_after_it(tmp_path: Path) -> None:
    names = [f"bread-{number}" for number in range(5)]
    hits = {BREAD_TASK.query: [a_hit(name) for name in names]}

    def answer(body: Mapping[str, Any]) -> dict[str, Any]:
        return {"drop": [{"id": hit["id"]} for hit in body["hits"][:3]]}

    around, _ = _surroundings(HookEvent.POST_DISCOVER, answer)
    around.sources = {"one": FakeSource("one", by_query=hits)}
    around.pages = Pages({name: f"{name}\n\n{BREAD}" for name in names})
    agenda = an_agenda(BREAD_TASK, depth=Depth.QUICK)  # which reads three documents
    result = asyncio.run(around.run(agenda, tmp_path / RUN))
    assert around.pages.fetched == [f"https://example.org/{name}" for name in names[3:]]
    kept = {finding.document.hit.url for finding in result.findings}
    assert kept
    assert kept <= set(around.pages.fetched)
