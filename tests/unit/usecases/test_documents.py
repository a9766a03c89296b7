"""Requests and documents: each gives the schema that other faces are made of."""

import pkgutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from importlib import import_module
from typing import Any, get_args

import pytest
from pydantic import BaseModel, RootModel, ValidationError

import daemon.usecases
from daemon.usecases.commands import COMMANDS
from daemon.usecases.document import Document, ListDocument, Moment, Number, Request, absent
from daemon.usecases.queries import QUERIES
from daemon.usecases.research import ResearchRequest, RunDocument


def models() -> Iterator[type[BaseModel]]:
    for module in pkgutil.iter_modules(daemon.usecases.__path__, "daemon.usecases."):
        for thing in vars(import_module(module.name)).values():
            is_model = isinstance(thing, type) and issubclass(thing, BaseModel)
            if is_model and thing.__module__ == module.name and "[" not in thing.__name__:
                yield thing


def nested_models() -> Iterator[type[BaseModel]]:
    """Yield the models of every registered query and command, and those inside them."""
    waiting: list[Any] = []
    for query in QUERIES.values():
        waiting += [query.request, query.document]
    for command in COMMANDS.values():
        waiting += [command.request, command.document]
    seen: set[Any] = set()
    while waiting:
        thing = waiting.pop()
        waiting += get_args(thing)
        if isinstance(thing, type) and issubclass(thing, BaseModel) and thing not in seen:
            seen.add(thing)
            waiting += [field.annotation for field in thing.model_fields.values()]
            yield thing


class Sample(Document):
    """One of each kind of value."""

    at: Moment
    number: Number
    why: str | None = absent("Why it is there.")


class Samples(ListDocument[Sample]):
    """Several."""


def test_every_model_says_what_it_is_and_gives_a_schema() -> None:
    found = list(models())
    assert len(found) > 60
    for model in found:
        assert model.__doc__, model
        assert model.model_json_schema(mode="serialization"), model


def test_every_field_of_a_request_or_document_has_a_description() -> None:
    missing = [
        f"{model.__module__}.{model.__name__}.{name}"
        for model in {*models(), *nested_models()}
        if not issubclass(model, RootModel)
        for name, field in model.model_fields.items()
        if not field.description
    ]
    assert sorted(missing) == []


def test_every_command_is_listed_by_its_name_and_answers_with_an_object() -> None:
    for name, command in COMMANDS.items():
        assert command.name == name
        assert issubclass(command.request, Request)
        assert command.document.model_json_schema(mode="serialization")["type"] == "object"


def test_times_keep_their_offset_integers_stay_and_what_is_absent_has_no_key() -> None:
    there = timezone(timedelta(hours=2))
    sample = Sample(at=datetime(2026, 11, 21, 9, 30, tzinfo=there), number=3)
    assert sample.as_json() == {"at": "2026-11-21T09:30:00+02:00", "number": 3}
    assert str(sample.as_json()["number"]) == "3"
    again = Sample.model_validate(sample.as_json())
    assert Samples((again, again)).as_json() == [sample.as_json()] * 2
    schema = Sample.model_json_schema(mode="serialization")
    assert schema["properties"]["at"]["format"] == "date-time"


def test_a_misspelt_request_is_refused_and_an_answer_of_another_version_is_understood() -> None:
    with pytest.raises(ValidationError, match="subject"):
        ResearchRequest.model_validate({"subject": ["bread"]})
    older = {
        "run": "r", "agenda": "a", "digest": "", "findings": [], "skipped": [], "sources": [],
        "seconds": 1.5, "stopped_early": True, "newer": 1,
    }  # fmt: skip
    assert RunDocument.model_validate(older).was_stopped_by_user


def test_every_number_of_a_request_has_a_largest_value() -> None:
    """Others do not fit into a database."""
    uses: list[Any] = [*QUERIES.values(), *COMMANDS.values()]
    unlimited = [
        (use.name, name)
        for use in uses
        for name, field in use.request.model_json_schema().get("properties", {}).items()
        for kind in [field, *field.get("anyOf", ())]
        if kind.get("type") in ("integer", "number") and "maximum" not in kind
    ]
    assert unlimited == []
