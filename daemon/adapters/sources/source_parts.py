"""The parts that a source is built from."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol, Self

from daemon.adapters.meter import Meter
from daemon.adapters.sources.rate_limiter import Memory, Sleep, SourceStates
from daemon.adapters.sources.registry import Entry
from daemon.library.library import Library
from daemon.ports import Embedder, Extractor, Fetcher, Source


@dataclass(frozen=True, slots=True)
class Parts:
    """A source's environment.

    `key` is its API key, or ""; `keys` are all that its entry names, by name. `contact` is the
    user's email address for services that require one, or "". `meter` counts what is sent.
    """

    name: str
    entry: Entry
    fetcher: Fetcher
    extractor: Extractor
    embedder: Embedder | None
    library: Library | None
    cache_dir: Path
    key: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    contact: str = ""
    uses: SourceStates = field(default_factory=Memory)
    meter: Meter | None = None
    clock: Callable[[], float] = time.time
    sleep: Sleep = asyncio.sleep


class Buildable(Source, Protocol):
    """A source class, which the registry builds by its `kind`."""

    kind: ClassVar[str]
    needs_key: ClassVar[bool]

    @classmethod
    def build(cls, parts: Parts) -> Self: ...
