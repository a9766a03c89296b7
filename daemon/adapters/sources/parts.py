"""What a source is made of."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol, Self

from daemon.adapters.meter import Meter
from daemon.adapters.sources.line import Memory, Sleep, Uses
from daemon.adapters.sources.registry import Entry
from daemon.library.library import Library
from daemon.ports import Embedder, Extractor, Fetcher, Source


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a source may need of what surrounds it.

    `key` is its API key, or ""; `keys` are all that its entry names, by name. `contact` is the
    user's mail address for services that ask whom to write to, or "". `meter` counts what is sent.
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
    uses: Uses = field(default_factory=Memory)
    meter: Meter | None = None
    clock: Callable[[], float] = time.time
    sleep: Sleep = asyncio.sleep


class Buildable(Source, Protocol):
    """A source as the registry builds it: by the name that its class carries."""

    kind: ClassVar[str]
    needs_key: ClassVar[bool]

    @classmethod
    def build(cls, parts: Parts) -> Self: ...
