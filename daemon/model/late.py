"""Names and tables that are made when they are first looked at, for what a start can do without."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, overload

Key = TypeVar("Key")
Each = TypeVar("Each")


class LateList(Sequence[Each]):
    """The sequence that `make` returns; it is asked once."""

    def __init__(self, make: Callable[[], Sequence[Each]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[Each]:
        return self._make()

    @overload
    def __getitem__(self, index: int) -> Each: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Each]: ...
    def __getitem__(self, index: int | slice) -> Each | Sequence[Each]:
        return self._made[index]

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[Each]:
        return iter(self._made)


class LateTable(Mapping[Key, Each]):
    """The mapping that `make` returns; it is asked once."""

    def __init__(self, make: Callable[[], Mapping[Key, Each]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[Key, Each]:
        return self._make()

    def __getitem__(self, key: Key) -> Each:
        return self._made[key]

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._made)
