"""The base of requests and documents: frozen pydantic models with units and examples.

They define the output of `--json`. The order of the fields is that of the keys.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    RootModel,
    ValidationError,
    WithJsonSchema,
)

from daemon.model.encodable import encodable_values
from daemon.model.errors import LacunaError
from daemon.model.wording import counted
from daemon.usecases.examples import add_examples

T = TypeVar("T")


def _is_none(value: object) -> bool:
    return value is None


Moment = Annotated[
    datetime,
    PlainSerializer(datetime.isoformat, return_type=str, when_used="json"),
    WithJsonSchema(
        {"type": "string", "format": "date-time", "examples": ["2026-11-21T09:30:00+00:00"]}
    ),
]
"""A point in time with its offset, in JSON as ISO 8601."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _day(given: object) -> object:
    """Return the day that a text names; pydantic would take "0" for seconds since 1970."""
    if not isinstance(given, str):
        return given
    if not _DAY.fullmatch(given):
        raise ValueError("a day is written as 2026-11-21")
    return date.fromisoformat(given)


Day = Annotated[date, BeforeValidator(_day)]
"""A day of a request, in JSON as ISO 8601."""


def _whole(given: object) -> object:
    """Return 3 for 3.0, which JSON does not distinguish."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


Whole = Annotated[int, BeforeValidator(_whole)]
"""An integer in the body of a request."""

Number = int | float
"""A number that stays an integer in JSON where it is one."""


def absent(description: str, examples: list[Any] | None = None) -> Any:
    """Return the default of a field that is absent from JSON, not null, when there is no value."""
    return Field(default=None, exclude_if=_is_none, description=description, examples=examples)


# Building a model takes a millisecond: each is built on first use.
_CONFIG = ConfigDict(
    frozen=True, defer_build=True, populate_by_name=True, json_schema_extra=add_examples
)


class Request(BaseModel):
    """The request of a use case."""

    model_config = ConfigDict(**_CONFIG, extra="forbid")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return a request of these values. Raises LacunaError that names the invalid one."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise LacunaError(why_invalid(error)) from None


def why_invalid(error: ValidationError) -> str:
    """Return in words what is invalid in a request."""
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"]))
    limits = first.get("ctx", {})
    match first["type"]:
        case "string_too_long":
            why = f"at most {limits['max_length']} characters are allowed"
        case "string_too_short":
            why = f"at least {counted(limits['min_length'], 'character')} is needed"
        case "string_unicode":
            why = "this is not valid text"
        case _:
            why = str(first["msg"])
    return f"{name}: {why}" if name else why


class NoRequest(Request):
    """A query without parameters."""


class Document(BaseModel):
    """The result of a use case: an object in JSON."""

    model_config = _CONFIG

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values that UTF-8 can encode."""
        found: dict[str, Any] = encodable_values(self.model_dump(mode="json", by_alias=True))
        return found


class ListDocument(RootModel[tuple[T, ...]]):
    """The result of a use case: a list in JSON."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    def as_json(self) -> list[Any]:
        """Return plain JSON values that UTF-8 can encode."""
        found: list[Any] = encodable_values(self.model_dump(mode="json", by_alias=True))
        return found
