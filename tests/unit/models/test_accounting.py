"""Each answer is counted once, usable or not; what was never sent is not."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.model.errors import (
    DeclinedError,
    InvalidReplyError,
    KeyRefusedError,
    LanguageModelError,
    ModelUnavailableError,
    SpentError,
    UnreachableModelError,
)
from daemon.model.language_models import Connection, ModelCall, ProviderKind, Reply, Role, Usage
from daemon.model.spending import MICROS, Amounts, Cap, Measure, Span
from daemon.models.answers import text_form
from daemon.models.service import ModelService, RoleModel, estimate
from daemon.ports import LanguageModel
from daemon.store.model_calls import CallRecord, NoRecord
from daemon.store.run_files import RunDirectory
from tests.fakes import virtual_loop
from tests.fakes.language_model import FakeModel
from tests.unit.models.test_orchestration import SameLoop
from tests.unit.models.test_writing import a_ledger

CALL = ModelCall("Be brief.", "Why?", text_form(["a1"]), max_tokens=300)
ANSWER = Reply("no object", Usage(90, 10), "tiny")


@dataclass
class Failing(FakeModel):
    """Fails with an error."""

    error: Exception | None = None

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        self.calls.append(call)
        await asyncio.sleep(self.seconds)
        assert self.error is not None
        raise self.error


def a_service(folder: Path, model: LanguageModel, *caps: Cap) -> ModelService:
    role = RoleModel(model, "fake", (MICROS, 2 * MICROS), caps=caps)
    return ModelService({Role.WRITER: role}, a_ledger(folder), thread=SameLoop())


def spent(folder: Path) -> Amounts:
    ((_, spent),) = a_ledger(folder).used([Cap(Span.DAY, Measure.TOKENS, 1_000_000)])
    return spent


def fail(folder: Path, model: LanguageModel) -> LanguageModelError:
    async def work() -> None:
        await a_service(folder, model).ask(Role.WRITER, CALL, NoRecord())

    with pytest.raises(LanguageModelError) as caught:
        virtual_loop.run(work())
    return caught.value


MOST = estimate(CALL) + CALL.max_tokens


@pytest.mark.parametrize(
    ("error", "tokens"),
    [
        (InvalidReplyError("not this form", ANSWER), 100),
        (DeclinedError("nothing", Reply("", Usage(90, 0), "tiny")), 90),
        (DeclinedError("the provider's filter"), MOST),
        (InvalidReplyError("it calls a tool"), MOST),
        (ModelUnavailableError("the answer broke off"), MOST),
        (KeyRefusedError("no"), 0),
        (UnreachableModelError("nobody there"), 0),
    ],
)
def test_what_a_failed_call_took_is_counted(
    tmp_path: Path, error: LanguageModelError, tokens: int
) -> None:
    assert fail(tmp_path, Failing(error=error)) is error
    assert spent(tmp_path).tokens == tokens


def test_a_model_that_never_answers_in_the_form_ends_with_its_budget(tmp_path: Path) -> None:
    model = Failing(error=InvalidReplyError("not this form", ANSWER))
    service = a_service(tmp_path, model, Cap(Span.DAY, Measure.TOKENS, 2 * MOST))

    async def work() -> None:
        for _ in range(20):
            with pytest.raises(InvalidReplyError):
                await service.ask(Role.WRITER, CALL, NoRecord())

    with pytest.raises(SpentError):
        virtual_loop.run(work())

    assert len(model.calls) < 20


def test_an_unusable_answer_is_kept_and_not_paid_for_again(tmp_path: Path) -> None:
    model = Failing(error=InvalidReplyError("not this form", ANSWER))
    record = CallRecord(RunDirectory(tmp_path / "run"))

    async def work() -> None:
        for _ in range(2):
            with pytest.raises(InvalidReplyError):
                await a_service(tmp_path, model).ask(Role.WRITER, CALL, record)

    virtual_loop.run(work())

    assert len(model.calls) == 1
    assert spent(tmp_path).requests == 1
    (kept,) = (tmp_path / "run" / "models" / "calls").iterdir()
    assert ANSWER.text in kept.read_text()


def test_a_server_that_is_not_there_uses_up_no_budget(tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        process = ProviderProcess("ollama", Connection(ProviderKind.OLLAMA, address))

        async def work() -> None:
            service = a_service(tmp_path, ChildLanguageModel("ollama", "m", process))
            try:
                await service.ask(Role.WRITER, CALL, NoRecord())
            finally:
                await process.close()

        with pytest.raises(UnreachableModelError, match=f"{address}: start it"):
            asyncio.run(work())

    assert spent(tmp_path) == Amounts()


def test_only_what_was_cancelled_in_flight_stays_counted(tmp_path: Path) -> None:
    model = Failing(seconds=60)
    service = a_service(tmp_path, model)

    async def work() -> None:
        calls = [asyncio.create_task(service.ask(Role.WRITER, CALL, NoRecord())) for _ in range(4)]
        await asyncio.sleep(10)  # one runs, the others wait
        for each in calls:
            each.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    virtual_loop.run(work())

    assert len(model.calls) == 1
    assert spent(tmp_path) == Amounts(requests=1, tokens=MOST, money=estimate(CALL) + 600)


def test_tokens_that_a_provider_does_not_report_are_estimated(tmp_path: Path) -> None:
    @dataclass
    class Half(FakeModel):
        """Reports what it read only."""

        async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
            return Reply("word " * 30, Usage(90, 0), "half")

    async def work() -> None:
        await a_service(tmp_path, Half()).ask(Role.WRITER, ModelCall("", "Why?"), NoRecord())

    virtual_loop.run(work())

    assert spent(tmp_path).tokens == 90 + 50
