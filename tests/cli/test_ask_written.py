"""`lacuna ask` with a writer: what it adds, and every rung below it."""

import asyncio
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any, cast

import pytest

from daemon import composition
from daemon.model.errors import LacunaError
from daemon.model.language_models import Role
from daemon.models.limits import Lanes, Limit
from daemon.models.service import ModelService, RoleModel
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from tests.cli.test_ask import followed
from tests.fakes.cli import Cli
from tests.fakes.language_model import FakeModel
from tests.fakes.run_parts import NOW

QUESTION = "What are the pros and cons of a rye starter?"


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


@pytest.fixture
def writing(
    ready: Cli, vault: Path, tmp_path: Path, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cli]:
    """A vault with three statements on rye starters, and a writer on this machine."""
    for name, text in (
        ("Rye one.md", "A rye starter is effective because it keeps its acid in the cold."),
        ("Rye two.md", "A rye starter is hard to stretch if the flour is coarse."),
        ("Rye three.md", "A rye starter improves the crumb of every loaf."),
    ):
        (vault / name).write_text(f"# {name[:-3]}\n\n{text}\n", encoding="utf-8")
    ready.config.write_text(ready.config.read_text() + '\nmodels.writer = "ollama/tiny"\n')
    ledger = Ledger(Database(tmp_path / "ledger.db"), clock=lambda: NOW, zone=lambda: UTC)
    limit = Limit(1, 0.001)
    service = ModelService(
        {Role.WRITER: RoleModel(model, "fake")}, ledger, Lanes(heavy=limit, light=limit)
    )
    monkeypatch.setattr("daemon.composition.models_of", lambda _ground: service)
    yield ready
    asyncio.run(service.close())


def weighed(lacuna: Cli) -> dict[str, Any]:
    found: dict[str, Any] = lacuna("ask", QUESTION, "--json").json
    return found


def test_the_writer_writes_the_summary_with_a_citation_for_each_sentence(writing: Cli) -> None:
    found = weighed(writing)
    oracle = found["oracle"]
    assert (oracle["written_by"], oracle["failed"]) == ("fake/tiny", {})
    for sentence in oracle["summary"]:
        cited = [found["citations"][number - 1] for number in sentence["citations"]]
        assert any(sentence["text"] == each["statement"] for each in cited)
    assert "(written by fake/tiny, every sentence checked)" in writing("ask", QUESTION).out


def test_without_the_writer_the_perspectives_stand_as_they_are(
    writing: Cli, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.seconds = 60
    monkeypatch.setattr("daemon.usecases.synthesising.SECONDS", 0.01)
    oracle = weighed(writing)["oracle"]
    assert oracle["failed"] == {"writer": "no text within 0.01 seconds"}
    assert "written_by" not in oracle
    assert all(each["text"].startswith(("For: “", "Against: “")) for each in oracle["summary"])


def test_a_writer_on_another_machine_gets_no_note(writing: Cli, model: FakeModel) -> None:
    config = writing.config.read_text().replace("ollama/tiny", "far/tiny")
    far = '\n[models.providers.far]\nkind = "openai"\nbase_url = "https://far.example/v1"\n'
    writing.config.write_text(f'{config}models.remote = ["far"]\n{far}')
    assert weighed(writing)["oracle"]["failed"] == {"writer": "no model may write it"}
    assert not model.calls
    received = {each["role"]: each["receives"] for each in writing("models", "--json").json}
    assert "passages of notes" not in received["writer"]
    allowed = "asking.remote_writer = true\n[models.providers.far]"
    writing.config.write_text(writing.config.read_text().replace("[models.providers.far]", allowed))
    assert weighed(writing)["oracle"]["written_by"] == "fake/tiny"
    received = {each["role"]: each["receives"] for each in writing("models", "--json").json}
    assert received["writer"].endswith("; for `lacuna ask`, passages of notes")


def test_a_perspective_that_fails_leaves_two(writing: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise LacunaError("no luck")

    monkeypatch.setattr("daemon.usecases.oracle._strategic", fail)
    oracle = weighed(writing)["oracle"]
    assert (oracle["strategic"], oracle["failed"]) == (None, {"strategic": "no luck"})
    assert oracle["deep"]["in_favour"]
    assert oracle["quick"] is not None


def test_a_vector_search_that_takes_long_is_replaced_by_words(
    writing: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert writing("index").code == 0
    monkeypatch.setattr("daemon.usecases.asking.PROMPT", 0.0)
    found = weighed(writing)
    assert found["oracle"]["deep"]["in_favour"]
    assert found["remarks"][0].startswith("answered by words alone")


def test_if_all_perspectives_fail_the_question_is_a_look_up(
    writing: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.usecases.oracle._begun", lambda *_given: lambda: None)
    events = followed(writing, QUESTION)
    handed = [(each["giver"], each["taker"]) for each in events if each["type"] == "handoff"]
    assert handed[0] == ("oracle", "direct")
    found = events[-1]["document"]
    assert "oracle" not in found
    assert found["citations"] or found["nearest"]


@pytest.fixture
def classifying(writing: Cli, model: FakeModel, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The same vault with a classifier only, which is asked for a mode."""
    config = writing.config.read_text().replace("models.writer", "models.classifier")
    writing.config.write_text(config)
    service = cast(Any, composition).models_of(None)
    assert service is not None
    service._roles = {Role.CLASSIFIER: RoleModel(model, "fake")}
    return writing


def test_a_classifier_chooses_the_mode_if_it_knows_better(
    classifying: Cli, model: FakeModel
) -> None:
    model.writes = lambda _call, _lines: {"mode": "direct"}
    route = weighed(classifying)["route"]
    assert (route["mode"], route["reason"]) == (
        "direct",
        "fake/tiny chose it; by rules it is oracle",
    )
    assert QUESTION in model.calls[0].user
    assert (
        classifying("ask", QUESTION, "--as", "oracle", "--json").json["route"]["mode"] == "oracle"
    )
    assert len(model.calls) == 1


def test_rules_choose_the_mode_if_the_classifier_is_late_or_wrong(
    classifying: Cli, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.writes = lambda _call, _lines: {"mode": "guess"}
    assert weighed(classifying)["route"]["mode"] == "oracle"
    model.writes = lambda _call, _lines: {"mode": "playbook"}  # of nobody
    assert weighed(classifying)["route"]["mode"] == "oracle"
    model.seconds = 60
    monkeypatch.setattr("daemon.models.classifying.Classifying.__init__.__defaults__", (0.01,))
    assert weighed(classifying)["route"]["reason"] == "it asks for a comparison"
