"""Notes that Lacuna writes into the inbox, as the store knows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from daemon.model.errors import ReplayError
from daemon.model.finding import FindingStatus


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """A note to be written into the vault. `path` is vault-relative, `id` its `lacuna_id`."""

    id: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class DigestRow:
    """A digest as it was last seen; `shown` is the state of its boxes for each finding, by id.

    `day` is its local day, as `2026-11-21`, and `runs` are those it covers.
    """

    id: str
    path: str
    content_hash: str
    shown: dict[str, FindingStatus]
    day: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunNotes:
    """`paths` are those that links could be confused with; `written` is id → vault path, and
    `hashes` id → sha256 of the text, for findings by their id and for the digest by the run's.
    `names` are the link texts of the notes at these paths, in a tool that does not use file names,
    `titles` their display names (see `vault_adapters.wikilink.Linker`).
    """

    tz: str
    paths: tuple[str, ...]
    written: Mapping[str, str]
    hashes: Mapping[str, str]
    names: Mapping[str, str] | None = None
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def zone(self) -> ZoneInfo:
        try:
            return ZoneInfo(self.tz)
        except (ZoneInfoNotFoundError, ValueError):
            raise ReplayError(f"the run's time zone {self.tz} is not known here") from None

    def with_note(self, id_: str, path: str, hash_: str) -> "RunNotes":
        return replace(
            self, written={**self.written, id_: path}, hashes={**self.hashes, id_: hash_}
        )


ARCHIVE = "Archive"


@dataclass(frozen=True, slots=True)
class SeenNote:
    """The current note of a finding. `hash` is the sha256 of its bytes."""

    path: str
    text: str
    hash: str


def is_inside(path: str, folder: str) -> bool:
    """Return whether `path` is in `folder` or below it."""
    return path.startswith(f"{folder}/")
