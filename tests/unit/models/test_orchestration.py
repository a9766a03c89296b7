"""A run with many sources, in virtual time: side by side, ended at once, and paid for once."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from daemon.config.models_section import ModelSettings
from daemon.model.errors import StoppedError
from daemon.model.finding import Finding
from daemon.model.language_models import ModelCall, Reply, Role, Usage
from daemon.model.spending import Amounts, Cap, Measure, Span
from daemon.models.barrier import Line
from daemon.models.loop_thread import LoopThread
from daemon.models.reading import MAX_READERS, shards
from daemon.models.service import ModelService, RoleModel, estimate
from daemon.models.source_passages import SourcePassages, passages_of, reading_form
from daemon.models.writing import Writing
from daemon.ports import Stop
from daemon.store.evidence import RunFolder
from daemon.store.model_calls import NoRecord
from daemon.store.reporter import SILENT
from daemon.store.run_files import RunDirectory
from daemon.writers import build_service
from tests.fakes import virtual_loop
from tests.fakes.language_model import OPTIONS, FakeModel
from tests.fakes.values import a_document, a_finding, a_source
from tests.unit.models.test_writing import a_ledger, no_scores
from tests.unit.test_writers import Keys

# Seconds that a hosted model took to read ten sources, and to write one text.
READING = (4.1, 3.2, 6.8, 2.9, 5.5, 3.7, 7.4, 4.6, 3.1, 5.0)
WRITING = 11.3
SOURCES = len(READING)
IDS = "abcdefghij"
ROOT = Path(__file__).resolve().parents[3]
T = TypeVar("T")


class SameLoop(LoopThread):
    """Runs calls in the loop of the test, whose time is virtual."""

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        return await work


@dataclass
class Timed(FakeModel):
    """A model that takes as long as was recorded."""

    ended: list[str] = field(default_factory=list)

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        source = call.user.partition("<<<SOURCE ")[2][:1]
        is_reader = call.schema is not None and "contribution" in call.schema.model_fields
        self.seconds = READING[IDS.index(source)] if is_reader else WRITING
        reply = await super().ask(call, on_text)
        self.ended.append(source if is_reader else "writer")
        return reply


def finding_of_ten() -> Finding:
    documents = [
        a_document(
            f"Cooperative scheduling of kind {number} bounds the tail latency of {name} workers.",
            id=f"{number:016x}",
            key=f"url:example.org/{name}",
        )
        for number, name in enumerate(("oak", "elm", "ash", "fir", "yew", "box", "bay", "fig",
                                       "plum", "pear"))
    ]  # fmt: skip
    sources = tuple(map(a_source, documents))
    return replace(a_finding(), single=(), sources=sources)


def texts_of(finding: Finding) -> list[SourcePassages]:
    pairs = zip(IDS, finding.sources, strict=True)
    return [passages_of(id_, each, finding) for id_, each in pairs]


def written_in(
    folder: Path,
    model: FakeModel,
    *,
    stop: Stop | None = None,
    caps: Sequence[Cap] = (),
) -> tuple[float, dict[str, Any]]:
    """Have the finding written; return the virtual seconds, and what was kept."""
    role = RoleModel(model, "fake", caps=caps)
    service = ModelService(
        {Role.READER: role, Role.WRITER: role}, a_ledger(folder), thread=SameLoop()
    )
    run = RunFolder(RunDirectory(folder / "run"))
    writing = Writing(service, no_scores, OPTIONS)

    async def work() -> float:
        await writing([finding_of_ten()], run, stop or Stop(), SILENT)
        return asyncio.get_running_loop().time()

    seconds = virtual_loop.run(work())
    return seconds, next(iter(run.models.written().values()))


def test_a_run_takes_hardly_longer_than_its_critical_path(tmp_path: Path) -> None:
    model = Timed()

    seconds, kept = written_in(tmp_path, model)

    dealt = shards(texts_of(finding_of_ten()))
    longest = max(sum(READING[IDS.index(each.id)] for each in shard) for shard in dealt)
    assert [len(shard) for shard in dealt] == [2] * MAX_READERS
    assert len(model.calls) == SOURCES + 1
    assert longest + WRITING <= seconds <= 1.15 * (longest + WRITING)
    assert kept["sentences"]


def test_the_same_sources_are_dealt_to_the_same_readers(tmp_path: Path) -> None:
    notes = []
    for name in ("one", "two"):
        written_in(tmp_path / name, Timed())
        files = sorted((tmp_path / name / "run" / "models").glob("notes-reader-*.md"))
        notes.append([each.read_text() for each in files])

    assert notes[0] == notes[1]
    assert len(notes[0]) == MAX_READERS


def test_a_reader_gets_the_best_source_left_and_what_is_most_similar() -> None:
    about = ("bread starch", "bees mites", "bread crust", "clocks leaps", "bees queens", "paint")
    texts = [
        SourcePassages(id_, "", "", (Line(f"{id_}1", text),), {}, ())
        for id_, text in zip(IDS, about, strict=False)
    ]

    dealt = [[each.id for each in shard] for shard in shards(texts)]
    assert dealt == [["a", "c"], ["b"], ["d"], ["e"], ["f"]]
    few = [[each.id for each in shard] for shard in shards(texts[:3])]
    assert few == [["a"], ["b"], ["c"]]
    assert shards([]) == []


def test_a_stop_ends_all_calls_within_a_second(tmp_path: Path) -> None:
    model = Timed()
    asked_at: list[float] = []

    class StopLater(Stop):
        """Asks for a stop once five readers work."""

        def check(self) -> None:
            if model.running == MAX_READERS and not asked_at:
                asked_at.append(asyncio.get_running_loop().time())
                self.is_requested = True
            super().check()

    ended_at: list[float] = []

    async def work() -> None:
        role = RoleModel(model, "fake")
        roles = {Role.READER: role, Role.WRITER: role}
        service = ModelService(roles, a_ledger(tmp_path), thread=SameLoop())
        run = RunFolder(RunDirectory(tmp_path / "run"))
        try:
            await Writing(service, no_scores, OPTIONS)([finding_of_ten()], run, StopLater(), SILENT)
        finally:
            ended_at.append(asyncio.get_running_loop().time())

    with pytest.raises(StoppedError):
        virtual_loop.run(work())

    assert ended_at[0] - asked_at[0] <= 1
    assert model.running == 0


class Killed(Timed):
    """Has its process killed when three answers were given."""

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        if len(self.ended) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().ask(call, on_text)


def spent_in(folder: Path) -> Amounts:
    ((_, spent),) = a_ledger(folder).used([Cap(Span.DAY, Measure.TOKENS, 1_000_000)])
    return spent


def test_a_killed_run_pays_for_no_answer_twice(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from tests.unit.models.test_orchestration import *;"
        "written_in(pathlib.Path(sys.argv[1]), Killed())"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    answered = len(list((tmp_path / "run" / "models" / "calls").iterdir()))
    in_flight = spent_in(tmp_path).requests - answered
    again = Timed()

    _, kept = written_in(tmp_path, again)

    assert kept["sentences"]
    assert answered == 3
    assert answered + len(again.ended) == SOURCES + 1
    # What was in flight stays counted, as it may have been answered; nothing is counted less.
    assert 0 < in_flight <= MAX_READERS
    assert spent_in(tmp_path).requests == SOURCES + 1 + in_flight


class Costly(Timed):
    """Takes as many tokens as a call may take at most."""

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        reply = await super().ask(call, on_text)
        return replace(reply, usage=Usage(estimate(call), call.max_tokens))


def test_a_budget_that_ends_early_leaves_the_writer_its_share(tmp_path: Path) -> None:
    model = Costly()

    _, kept = written_in(tmp_path, model, caps=[Cap(Span.DAY, Measure.TOKENS, 6500)])

    read = len(model.calls) - 1
    assert model.ended[-1] == "writer"
    assert 0 < read < SOURCES
    assert kept["sentences"]
    assert kept["partial"].endswith(f"ended after {read} of {SOURCES} sources")
    assert len(kept["unread"]) == SOURCES - read
    assert {each["why"] for each in kept["unread"]} == {"the token budget of today ended"}


def test_the_title_of_a_finding_names_no_address_in_notes_of_readers(tmp_path: Path) -> None:
    role = RoleModel(Timed(), "fake")
    service = ModelService(
        {Role.READER: role, Role.WRITER: role}, a_ledger(tmp_path), thread=SameLoop()
    )
    finding = replace(finding_of_ten(), title="Ask bob@example.org")
    run = RunFolder(RunDirectory(tmp_path / "run"))

    virtual_loop.run(Writing(service, no_scores, OPTIONS)([finding], run, Stop(), SILENT))

    notes = [each.read_text() for each in (tmp_path / "run" / "models").glob("notes-reader-*.md")]
    assert len(notes) == MAX_READERS
    assert all(each.startswith("# Ask [MAIL] (") for each in notes)


def test_two_providers_of_one_server_share_what_it_takes_at_once(tmp_path: Path) -> None:
    model = FakeModel(seconds=5)
    settings = ModelSettings.model_validate(
        {
            "reader": "lab/tiny",
            "checker": "lmstudio/tiny",
            "providers": {"lab": {"base_url": "http://localhost:1234/v1"}},
        }
    )
    service = build_service(settings, Keys(), a_ledger(tmp_path))
    assert service is not None
    roles = {role: replace(each, model=model) for role, each in service._roles.items()}
    shared = ModelService(roles, a_ledger(tmp_path), service._lanes, thread=SameLoop())
    call, most = ModelCall("", "", reading_form(["a1"])), list[int]()

    async def watch() -> None:
        while True:
            most.append(model.running)
            await asyncio.sleep(1)

    async def work() -> None:
        watching = asyncio.create_task(watch())
        asked = (shared.ask(role, call, NoRecord()) for role in roles)
        await asyncio.gather(*asked, return_exceptions=True)
        watching.cancel()

    virtual_loop.run(work())

    assert len(model.calls) == 2
    assert max(most) == 1
