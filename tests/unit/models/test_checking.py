"""A second model may refuse sentences, and only that."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.model.errors import OverloadedError
from daemon.model.language_models import ModelCall, Reply, Role, Usage
from daemon.models.limits import Lanes, Limit
from daemon.models.service import ModelService, RoleModel
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


def written(folder: Path, checker: Checker) -> tuple[list[str], list[str]]:
    """Return the sentences that were kept, and why others were removed."""
    quick = Limit(1, 0.001)
    roles = {
        Role.WRITER: RoleModel(FakeModel(writes=writes_two), "fake"),
        Role.CHECKER: RoleModel(checker, "fake"),
    }
    service = ModelService(roles, a_ledger(folder), Lanes(heavy=quick, light=quick))
    run = RunFolder(RunDirectory(folder / "run"))
    finding = a_finding()
    try:
        asyncio.run(Writing(service, no_scores, OPTIONS)([finding], run, Stop(), SILENT))
    finally:
        asyncio.run(service.close())
    kept = run.models.written()[finding.id]
    return [each["text"] for each in kept["sentences"]], [each["why"] for each in kept["removed"]]


def test_a_sentence_that_the_checker_refuses_is_removed(tmp_path: Path) -> None:
    first, _ = written(tmp_path / "all", Checker(word=" "))
    word = next(word for word in first[0].split() if word not in first[1])

    kept, why = written(tmp_path / "one", Checker(word=word))

    assert len(first) == 2
    assert kept == first[:1]
    assert "checker" in why[0]


@pytest.mark.parametrize("word", ["", "nowhere"])
def test_without_a_good_verdict_nothing_is_kept(tmp_path: Path, word: str) -> None:
    checker = Checker(word=word)

    kept, why = written(tmp_path, checker)

    assert kept == []
    assert len(why) == 2
    assert len(checker.calls) == 1
