"""Names, tables and modules that are created or loaded on first use.

For everything that a start does not need.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar, overload

Key = TypeVar("Key")
Each = TypeVar("Each")
Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """Return what calls `make` at its first call, and returns the same ever after.

    `functools.cache` would call it twice for two threads that come at the same time.
    """
    lock, made = threading.RLock(), list[Made]()

    def get() -> Made:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


class LateList(Sequence[Each]):
    """The sequence that `make` returns; it is called once."""

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
    """The mapping that `make` returns; it is called once."""

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


class LateModule:
    """A module that is loaded on first use, such as numpy, which takes a twentieth of a second of
    CPU. Use it with `if TYPE_CHECKING: import numpy as np`.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)  # the next access finds it directly
        return found
