"""A second model may refuse sentences, and only that."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from daemon.model.errors import OverloadedError
from daemon.model.language_models import ModelCall, Reply, Role, Usage
from daemon.model.spending import Cap, Measure, Span
from daemon.models.checking import FAILED, REFUSED, UNREAD
from daemon.models.limits import Lanes, Limit
from daemon.models.service import ModelService, RoleModel, estimate
from daemon.models.writing import Writing
from daemon.ports import Stop
from daemon.store.evidence import RunFolder
from daemon.store.reporter import SILENT
from daemon.store.run_files import RunDirectory
from tests.fakes.language_model import OPTIONS, FakeModel
from tests.fakes.values import a_finding
from tests.unit.models.test_writing import a_ledger, no_scores


@dataclass
class Checker(FakeModel):
    """Answers each statement by whether it has a word; fails where there is none."""

    word: str = ""

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        self.calls.append(call)
        if not self.word:
            raise OverloadedError("fake is overloaded")
        assert call.schema is not None
        lines = dict(line[1:].split("] ", 1) for line in call.user.splitlines() if line[:1] == "[")
        verdicts = {id_: self.word in lines[id_] for id_ in call.schema.model_fields}
        value = call.schema.model_validate(verdicts)
        return Reply(json.dumps(verdicts), Usage(9, 9), "tiny", value)


def writes_two(_call: ModelCall, lines: Mapping[str, str]) -> object:
    id_, text = next(iter(lines.items()))
    texts = (text, text.replace("worst-case ", ""))
    return {"sentences": [{"text": each, "cites": [id_]} for each in texts], "concepts": []}


def written(
    folder: Path, checker: Checker, *, writer: FakeModel | None = None, tokens: int = 1_000_000
) -> dict[str, Any]:
    """Return what was kept of two sentences, with a budget of so many tokens."""
    quick, caps = Limit(1, 0.001), [Cap(Span.DAY, Measure.TOKENS, tokens)]
    models = {Role.WRITER: writer or FakeModel(writes=writes_two), Role.CHECKER: checker}
    roles = {role: RoleModel(model, "fake", caps=caps) for role, model in models.items()}
    service = ModelService(roles, a_ledger(folder), Lanes(heavy=quick, light=quick))
    run = RunFolder(RunDirectory(folder / "run"))
    finding = a_finding()
    try:
        asyncio.run(Writing(service, no_scores, OPTIONS)([finding], run, Stop(), SILENT))
    finally:
        asyncio.run(service.close())
    kept: dict[str, Any] = run.models.written()[finding.id]
    return kept


def texts(kept: Mapping[str, Any]) -> list[str]:
    return [each["text"] for each in kept["sentences"]]


def why(kept: Mapping[str, Any]) -> set[str]:
    return {each["why"] for each in kept["removed"]}


def test_a_sentence_that_the_checker_refuses_is_removed(tmp_path: Path) -> None:
    first = texts(written(tmp_path / "all", Checker(word=" ")))
    word = next(word for word in first[0].split() if word not in first[1])

    kept = written(tmp_path / "one", Checker(word=word))

    assert len(first) == 2
    assert texts(kept) == first[:1]
    assert why(kept) == {REFUSED}


@pytest.mark.parametrize(("word", "reason"), [("", FAILED), ("nowhere", REFUSED)])
def test_without_a_good_verdict_nothing_is_kept(tmp_path: Path, word: str, reason: str) -> None:
    checker = Checker(word=word)

    kept = written(tmp_path, checker)

    assert texts(kept) == []
    assert len(kept["removed"]) == 2
    assert why(kept) == {reason}
    assert len(checker.calls) == 1


def test_nothing_is_written_that_could_not_be_checked(tmp_path: Path) -> None:
    writer, checker = FakeModel(writes=writes_two), Checker(word=" ")
    written(tmp_path / "all", checker, writer=writer)
    ((write,), (check,)) = writer.calls, checker.calls
    for_writer, for_both = most_of(write) + 10, most_of(write) + 2 * most_of(check)

    none = written(tmp_path / "little", checker, writer=writer, tokens=for_writer)
    assert len(writer.calls) == 1
    assert none["partial"].endswith("ended after 0 of 1 sources")
    assert len(texts(written(tmp_path / "more", checker, tokens=for_both))) == 2


class Greedy(FakeModel):
    """Takes more tokens than a call may take."""

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        return replace(await super().ask(call, on_text), usage=Usage(9000, 0))


def test_a_note_says_that_the_budget_ended_before_the_check(tmp_path: Path) -> None:
    checker = Checker(word=" ")

    kept = written(tmp_path, checker, writer=Greedy(writes=writes_two), tokens=9000)

    assert not checker.calls
    assert texts(kept) == []
    (reason,) = why(kept)
    assert reason.endswith(UNREAD)
    budget = reason.removesuffix(f" {UNREAD}")
    assert kept["partial"] == f"partial: {budget} ended before the text was checked"


def most_of(call: ModelCall) -> int:
    return estimate(call) + call.max_tokens
