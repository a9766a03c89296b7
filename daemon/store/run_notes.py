"""What a run's notes depend on besides its evidence: names in the vault, time zone, file names.

`notes.json` in the run's folder. It is begun before the first note is written, so that a run that
is taken up again, and a replay, write the same bytes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from daemon.model.errors import ReplayError
from daemon.store.files import read_json, write_json


@dataclass(frozen=True, slots=True)
class RunNotes:
    """`paths` are those that links could be confused with; `written` is id → vault path, and
    `hashes` id → sha256 of the text, for findings by their id and for the digest by the run's.
    `names` are what links call the notes at these paths, in a tool that does not call them by
    their files, `titles` what readers call them (see `vault_adapters.wikilink.Linker`)."""

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


def begin_notes(
    folder: Path,
    *,
    tz: str,
    paths: Iterable[str],
    names: Mapping[str, str] | None = None,
    titles: Mapping[str, str],
) -> RunNotes:
    """Return what the run began with, or begin with these."""
    if (folder / "notes.json").is_file():
        return read_notes(folder)
    begun = RunNotes(tz, tuple(sorted(paths)), {}, {}, names, titles)
    save_notes(folder, begun)
    return begun


def save_notes(folder: Path, notes: RunNotes) -> None:
    """Raises StoreError."""
    body = {
        "tz": notes.tz,
        "paths": list(notes.paths),
        "written": dict(notes.written),
        "hashes": dict(notes.hashes),
        **({"names": dict(notes.names)} if notes.names is not None else {}),
        "titles": dict(notes.titles),
    }
    write_json(folder / "notes.json", body)


def read_notes(folder: Path) -> RunNotes:
    """Raises ReplayError when the run never came to writing notes."""
    body = read_json(folder / "notes.json")
    try:
        paths, names = tuple(body["paths"]), body.get("names")
        titles = body.get("titles", {})  # runs of earlier versions have none
        return RunNotes(body["tz"], paths, body["written"], body["hashes"], names, titles)
    except KeyError as error:
        raise ReplayError(f"{folder / 'notes.json'} lacks {error}") from None
