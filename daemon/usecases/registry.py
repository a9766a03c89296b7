"""Use cases by name. The module of each is imported when the use case is first needed.

A daemon that is never asked for a report does not load what reports need.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

Use = TypeVar("Use")


class Registry(Mapping[str, Use]):
    """Use cases by name; `places` has the place of each in this package, as `module.CONSTANT`."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Use:
        module, _, constant = self._places[name].partition(".")
        found: Use = getattr(import_module(f"{__package__}.{module}"), constant)
        return found

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)
