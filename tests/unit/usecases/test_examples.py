"""Each field of a request or document has an example that is valid, and faces show it."""

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, RootModel, TypeAdapter

from daemon.faces.mcp.tools import tools
from daemon.faces.web.openapi import description
from daemon.usecases.examples import examples, examples_of
from tests.unit.usecases.test_documents import models, nested_models

DOCS = Path(__file__).resolve().parents[3] / "docs"


def documented() -> set[type[BaseModel]]:
    return {each for each in {*models(), *nested_models()} if not issubclass(each, RootModel)}


def parts(annotation: Any) -> set[Any]:
    """Return the types that an annotation consists of."""
    inner = get_args(annotation)
    return {annotation}.union(*map(parts, inner)) if inner else {annotation}


def is_composed(annotation: Any) -> bool:
    """Return whether values contain other models, or points in time: both have their own."""
    kinds = [each for each in parts(annotation) if isinstance(each, type)]
    return any(issubclass(kind, BaseModel | datetime) for kind in kinds)


def test_every_field_has_an_example() -> None:
    missing = [
        f"{model.__module__}.{model.__name__}.{name}"
        for model in documented()
        for name, field in model.model_fields.items()
        if not is_composed(field.annotation) and not examples_of(model, name)
    ]
    assert sorted(missing) == []


def test_every_example_is_a_value_of_its_field() -> None:
    for model in documented():
        for name, field in model.model_fields.items():
            annotation: Any = Annotated[(field.annotation, name, *field.metadata)]
            kind = TypeAdapter[Any](annotation)
            for example in examples_of(model, name):
                kind.validate_json(json.dumps(example))


def test_every_example_is_of_a_field_that_has_no_other() -> None:
    known = {
        (model.__module__.rpartition(".")[2], model.__name__, name)
        for model in documented()
        for name, field in model.model_fields.items()
        if name in vars(model).get("__annotations__", {}) and not field.examples
    }
    stated = {
        (module, model, name)
        for module, of_module in examples().items()
        for model, fields in of_module.items()
        for name in fields
    }
    assert stated - known == set()


def test_every_value_that_openapi_and_the_tools_describe_has_an_example() -> None:
    described = description()
    values = {
        f"{name}.{each}": value
        for name, schema in described["components"]["schemas"].items()
        for each, value in schema.get("properties", {}).items()
    }
    values |= {
        f"{path} {each['name']}": each["schema"]
        for path, methods in described["paths"].items()
        for method in methods.values()
        for each in method.get("parameters", ())
    }
    values |= {
        f"{name}.{each}": value
        for name, tool in tools(allow_actions=True).items()
        for each, value in tool.use.request.model_json_schema().get("properties", {}).items()
    }
    missing = [name for name, value in values.items() if lacks_example(value)]
    assert missing == []


def lacks_example(value: dict[str, Any]) -> bool:
    """Return whether a value has neither an example nor parts or a form that has its own."""
    text = json.dumps(value)
    has_own = any(f'"{key}"' in text for key in ("$ref", "const", "date-time"))
    return "examples" not in value and not has_own


def test_openapi_tools_and_the_reference_show_them() -> None:
    finding = description()["components"]["schemas"]["FindingNote"]["properties"]
    assert finding["title"]["examples"] == ["Starch recrystallises while bread is stored"]
    search = tools(allow_actions=False)["search_notes"].use.request
    shown = search.model_json_schema()["properties"]
    assert shown["like"]["examples"] == ["Sourdough"]
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    assert 'Title of the finding. Example: `"Starch recrystallises while bread is stored"`' in page
