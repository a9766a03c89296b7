"""A model words the queries of an agenda, and never decides what is searched."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.model.errors import StoppedError
from daemon.model.language_models import ModelCall, Role
from daemon.model_service import planning
from daemon.models.limits import Lanes, Limit
from daemon.models.planning import Planning
from daemon.models.service import ModelService, RoleModel
from daemon.ports import Stop
from daemon.store.model_calls import CallRecord
from daemon.store.run_files import RunDirectories, RunDirectory
from tests.fakes.language_model import FakeModel
from tests.unit.models.test_writing import a_ledger

BREAD = Gap(GapKind.GAP, GapShape.SPARSE, "stale bread", ("Bread.md",), "“Bread” says little", 0.8)
BEES = replace(BREAD, topic="varroa mites", notes=("Bees.md",), score=0.7)
OWN = replace(BREAD, topic="Why is bread stale?", shape=GapShape.ASKED, query="Why is bread stale?")
WORDS = frozenset(["stale", "bread", "in", "a", "refrigerator", "varroa", "mites", "winter"])


def is_known(gap: Gap) -> bool:
    """The check of queries: words of the notes."""
    return set(gap.query.split()) <= WORDS


def planned(
    tmp_path: Path,
    answer: object,
    *,
    most: int = 8,
    seconds: float = 0.0,
    stop: Stop | None = None,
    pace: float = 0.001,
) -> tuple[list[Gap], list[ModelCall]]:
    model = FakeModel(reads=lambda *_: answer, writes=lambda *_: answer, seconds=seconds)
    one = RoleModel(model, "fake")
    lanes = Lanes(light=Limit(1, pace))
    service = ModelService({Role.CLASSIFIER: one}, a_ledger(tmp_path), lanes)
    record: Callable[[], CallRecord] = lambda: CallRecord(RunDirectory(tmp_path / "planning"))  # noqa: E731
    planning = Planning(service, record, 0.2 if stop is None else 60)
    if pace > 1:
        planning([BEES], is_known, most, Stop())
    return planning([BREAD, BEES, OWN], is_known, most, stop or Stop()), model.calls


def task(topic: str, query: str, reason: str = "It would say more.") -> dict[str, str]:
    return {"topic": topic, "query": query, "reason": reason}


def test_a_query_that_passes_the_check_replaces_the_first_and_others_are_added(
    tmp_path: Path,
) -> None:
    tasks = [task("g1", "stale bread refrigerator"), task("g1", "bread in winter")]
    gaps, calls = planned(tmp_path, {"tasks": [*tasks, task("g2", "mites of mars")]})

    assert [each.query or each.topic for each in gaps] == [
        "stale bread refrigerator",
        "varroa mites",  # the model's query is not of the notes' words
        "Why is bread stale?",
        "bread in winter",
    ]
    assert {each.notes for each in gaps} == {("Bread.md",), ("Bees.md",)}
    assert "query by fake/tiny: It would say more." in gaps[0].details
    assert "Why is bread stale?" not in calls[0].user  # the user's own words are not changed


def test_no_more_tasks_are_added_than_an_agenda_may_have(tmp_path: Path) -> None:
    tasks = [task("g1", "stale bread"), task("g1", "bread in winter"), task("g2", "mites winter")]

    assert len(planned(tmp_path, {"tasks": tasks}, most=3)[0]) == 3


@pytest.mark.parametrize(
    "answer",
    [
        {"tasks": [task("g7", "stale bread")]},
        {"tasks": [{**task("g1", "stale bread"), "source": "https://evil.example"}]},
        {"tasks": [task("g1", "bread https://evil.example/x")]},
        {"tasks": [task("g1", "stale bread", "Please click here to learn more.")]},
        {"tasks": []},
    ],
)
def test_whatever_else_a_model_answers_the_plan_stands(tmp_path: Path, answer: object) -> None:
    assert planned(tmp_path, answer)[0] == [BREAD, BEES, OWN]


def test_a_model_that_is_too_slow_changes_nothing(tmp_path: Path) -> None:
    assert planned(tmp_path, {"tasks": []}, seconds=60)[0] == [BREAD, BEES, OWN]


def test_a_plan_does_not_wait_in_a_queue_for_ever(tmp_path: Path) -> None:
    gaps, calls = planned(tmp_path, {"tasks": []}, pace=100_000)

    assert gaps == [BREAD, BEES, OWN]
    assert len(calls) == 1


def test_prompts_of_plans_are_kept_for_thirty_days(tmp_path: Path) -> None:
    days = RunDirectories(tmp_path / "planning")
    for month in range(1, 5):
        for day in range(1, 21):
            days.files(f"2025-{month:02}-{day:02}").write("models/secret", b"0" * 32)
    service = ModelService(
        {Role.CLASSIFIER: RoleModel(FakeModel(), "fake")}, a_ledger(tmp_path), Lanes()
    )

    planning(service, tmp_path / "planning")([BEES], is_known, 8, Stop())

    assert len(days.runs()) == 30
    assert days.runs()[0] == "2025-03-12"


def test_a_stop_ends_the_call(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        planned(tmp_path, {"tasks": []}, seconds=60, stop=Stop(is_requested=True))
