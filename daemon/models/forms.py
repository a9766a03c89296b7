"""Types of fields that accept only some values."""

from collections.abc import Iterable
from types import GenericAlias
from typing import Any, Literal


def one_of(values: Iterable[str]) -> Any:
    """Return the type of any one of `values`; a JSON schema lists them."""
    literal: Any = Literal
    return literal[tuple(values)]


def list_of(values: Iterable[str]) -> Any:
    """Return the type of a list of `values`."""
    return GenericAlias(list, (one_of(values),))
