"""Valid answers of a filtering hook: less than its input, and never additional evidence."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from daemon.model.agenda import Depth
from daemon.model.errors import HookError

_MAX_ENTRIES = 10_000  # entries of a list
_Id = Annotated[str, StringConstraints(min_length=1, max_length=5000)]
_Reason = Annotated[str, StringConstraints(max_length=1000)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Drop(_Answer):
    """One item to remove, and why."""

    id: _Id
    why: _Reason = ""


class Dropping(_Answer):
    """The answer to `post_discover` and `post_synthesize`."""

    drop: Annotated[list[Drop], Field(max_length=_MAX_ENTRIES)] = []


class Change(_Answer):
    """A reduced task: fewer sources, or a query of fewer of its words."""

    id: _Id
    query: _Reason | None = None
    sources: Annotated[list[str], Field(max_length=100)] | None = None


class Planning(Dropping):
    """The answer to `pre_research`."""

    change: Annotated[list[Change], Field(max_length=_MAX_ENTRIES)] = []
    depth: Annotated[Depth, Field(strict=False)] | None = None


class Reading(_Answer):
    """The answer to `post_extract`: about one document. `note` is shown as the hook's own words."""

    drop: bool = False
    why: _Reason = ""
    note: _Reason = ""


_T = TypeVar("_T", bound=_Answer)


def understood(shape: type[_T], answer: object) -> _T:
    """Parse an answer. Raises HookError that names the error."""
    try:
        return shape.model_validate(answer)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the answer"
        raise HookError(f"its answer is invalid: {place}: {first['msg'].lower()}") from None


def line(text: str, longest: int = 200) -> str:
    """Return a hook's text as one printable line."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(plain.split())[:longest]
