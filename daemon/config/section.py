"""Common parts of the settings' sections."""

from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

_Kind = TypeVar("_Kind")
_ON_PAGE = "on page"
# A setting that `lacuna web --settings` may change; each other one is protected. It runs no
# program, widens no access, sends nothing out, spends nothing, deletes no record, and names no
# file, folder, model or address.
OnPage = Annotated[_Kind, _ON_PAGE]


def is_on_page(info: FieldInfo) -> bool:
    """Return whether `lacuna web --settings` may change a setting."""
    return _ON_PAGE in info.metadata


class Section(BaseModel):
    """A table of the settings file: each key, its type, its default and its meaning in one line."""

    # Building a model takes a millisecond: the sections are built as parts of the whole.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_not_boolean(cls, value: object, info: ValidationInfo) -> object:
        kind = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and kind in (int, float):
            raise ValueError("must be a whole number" if kind is int else "must be a number")
        return value


def require_path(value: object) -> object:
    """Return `value` unless it is an empty path. Raises ValueError."""
    if isinstance(value, str) and (not value.strip() or "\0" in value):
        raise ValueError("must be the path of a folder")
    return value


def absolute(value: Path | None) -> Path | None:
    """Return an absolute path, with `~` and `..` resolved. Raises ValueError."""
    if value is None:
        return None
    path = at_home(value).absolute()
    return path.resolve() if ".." in path.parts else path


def at_home(path: Path) -> Path:
    """Expand `~`. Raises ValueError for an unknown user."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError(str(error).lower()) from None
