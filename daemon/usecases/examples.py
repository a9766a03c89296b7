"""Examples of the fields of requests and documents.

`examples.json` has one for each field, by module, model and field; of an inherited field, under the
model that defines it. Fields with examples of their own, points in time, and fields that contain
other models are not in it. It is read when a schema is made, and so by no command that makes none.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

_FILE = Path(__file__).with_name("examples.json")
Examples = Mapping[str, Mapping[str, Mapping[str, Any]]]


@cache
def examples() -> Examples:
    """Return the examples by module, model and field."""
    found: Examples = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def examples_of(model: type[BaseModel], name: str) -> list[Any]:
    """Return the examples of a field; none for one that contains other models."""
    if own := model.model_fields[name].examples:
        return list(own)
    for each in model.__mro__:
        known = examples().get(each.__module__.rpartition(".")[2], {}).get(each.__name__, {})
        if name in known:
            return [known[name]]
    return []


def add_examples(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Add the examples of its fields to the JSON schema of a model."""
    properties = schema.get("properties", {})
    for name, field in model.model_fields.items():
        shown = properties.get(field.alias or name)
        if shown is not None and (found := examples_of(model, name)):
            shown["examples"] = found
