"""The sources that can be queried: by name, from the registry."""

from collections.abc import Sequence
from pathlib import Path

from daemon.adapters.sources.registry import (
    Entry,
    Registry,
    check_names,
    key_names,
    profiles,
    read_registry,
)
from daemon.model.late import LateList

__all__ = [
    "Entry",
    "Registry",
    "check_names",
    "is_asked",
    "is_researched",
    "key_names",
    "load_registry",
    "profiles",
]


def load_registry(users: Path | None = None) -> dict[str, Entry]:
    """Read our sources merged with the user's. Raises SourceError naming file, entry and key."""
    return read_registry(LateList(_kinds), users)


def is_asked(entry: Entry) -> bool:
    """Return whether queries go to this source: look-ups by identifier are for gathering only."""
    return "research" in entry.layers or "search" in entry.layers


def is_researched(entry: Entry) -> bool:
    """Return whether research asks this source when none is named."""
    return "research" in entry.layers


def _kinds() -> Sequence[str]:
    """Return the adapters' names; our own sources can be known without loading the adapters."""
    from daemon.adapters.sources.build import SOURCES  # noqa: PLC0415 a twentieth of a second of CPU

    return [source.kind for source in SOURCES]
