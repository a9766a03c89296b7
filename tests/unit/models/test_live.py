"""Whoever watches sees where each call is, for how long, and what it has written."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.model.errors import ContextTooLongError, LanguageModelError, RateLimitError
from daemon.model.language_models import ModelCall, Reply, Role, Usage
from daemon.models.answers import text_form
from daemon.models.service import ModelService, RoleModel
from daemon.store.model_calls import NoRecord
from tests.fakes import virtual_loop
from tests.fakes.language_model import FakeModel
from tests.unit.models.test_orchestration import SameLoop
from tests.unit.models.test_writing import a_ledger


class Slow(FakeModel):
    """Writes a word every four seconds."""

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        self.calls.append(call)
        for word in ("Bread ", "is ", "stale."):
            await asyncio.sleep(4)
            if on_text is not None:
                on_text(word)
        return Reply("Bread is stale.", Usage(90, 10), "slow")


CALL = ModelCall("Be brief.", "Why?")


def test_the_lines_of_two_calls(tmp_path: Path) -> None:
    service = ModelService(
        {Role.WRITER: RoleModel(Slow(), "fake")}, a_ledger(tmp_path), thread=SameLoop()
    )
    lines: list[str] = []

    async def work() -> None:
        for _ in range(2):
            await service.ask(
                Role.WRITER, CALL, NoRecord(), on_event=lines.append, on_text=lambda _piece: None
            )

    virtual_loop.run(work())

    assert lines[:5] == [
        "writer (fake/tiny) is next",
        "writer (fake/tiny) is running",
        "writer (fake/tiny) has run for 5 s, about 1 token: … Bread",
        "writer (fake/tiny) has run for 10 s, about 2 tokens: … Bread is",
        "writer (fake/tiny) took 12.0 s and 100 tokens",
    ]


class Limiting(FakeModel):
    """Limits requests; asks to wait for `retry_after` seconds."""

    retry_after: float | None = None

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        self.calls.append(call)
        raise RateLimitError("too many", self.retry_after)


class Silent(FakeModel):
    """Never answers, whatever the deadline."""

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError


def failing(
    tmp_path: Path, model: FakeModel, lines: list[str] | None = None
) -> tuple[LanguageModelError, float]:
    """Return how a call fails, and after how many virtual seconds."""
    show = ([] if lines is None else lines).append
    service = ModelService(
        {Role.READER: RoleModel(model, "fake")}, a_ledger(tmp_path), thread=SameLoop()
    )

    async def work() -> tuple[LanguageModelError, float]:
        with pytest.raises(LanguageModelError) as caught:
            await service.ask(Role.READER, CALL, NoRecord(), on_event=show)
        return caught.value, asyncio.get_running_loop().time()

    return virtual_loop.run(work())


def test_a_model_that_never_answers_is_given_up(tmp_path: Path) -> None:
    lines = list[str]()
    error, seconds = failing(tmp_path, Silent(), lines)

    assert lines[-1] == f"reader failed: {error}"
    assert "did not answer within 120 s" in str(error)
    assert CALL.seconds <= seconds <= CALL.seconds + 15


@pytest.mark.parametrize(
    ("retry_after", "calls", "least"), [(20.0, 2, 20.0), (None, 1, 0.0), (3600.0, 1, 0.0)]
)
def test_a_limited_call_is_tried_again_once_if_the_wait_is_short(
    tmp_path: Path, retry_after: float | None, calls: int, least: float
) -> None:
    model = Limiting()
    model.retry_after = retry_after

    error, seconds = failing(tmp_path, model)

    assert isinstance(error, RateLimitError)
    assert len(model.calls) == calls
    assert least <= seconds <= least + 1


def test_a_call_that_the_pace_holds_back_says_for_how_long(tmp_path: Path) -> None:
    role = RoleModel(FakeModel(), "fake")
    service = ModelService({Role.WRITER: role}, a_ledger(tmp_path), thread=SameLoop())
    lines: list[str] = []
    call = ModelCall("Be brief.", "[a1] Bread is stale.", text_form(["a1"]))

    async def work() -> None:
        for _ in range(2):
            await service.ask(Role.WRITER, call, NoRecord(), on_event=lines.append)

    virtual_loop.run(work())

    assert "writer (fake/tiny) in 2 s" in lines


def test_a_prompt_that_is_too_long_for_the_model_is_not_sent(tmp_path: Path) -> None:
    model = FakeModel()
    role = RoleModel(model, "fake", context=500)
    service = ModelService({Role.WRITER: role}, a_ledger(tmp_path), thread=SameLoop())

    with pytest.raises(ContextTooLongError, match="of 500; choose a model with a larger context"):
        virtual_loop.run(
            service.ask(Role.WRITER, ModelCall("Be brief.", "word " * 400), NoRecord())
        )

    assert model.calls == []
