"""What a run's notes depend on besides its evidence: names in the vault, time zone, file names.

`notes.json` in the run's folder. It is created before the first note is written, so that a resumed
run, and a replay, write the same bytes.
"""

from collections.abc import Iterable, Mapping

from daemon.model.errors import ReplayError
from daemon.model.own_notes import RunNotes
from daemon.ports import RunFiles
from daemon.store.run_files import read_json, write_json

NOTES = "notes.json"


def begin_notes(
    files: RunFiles,
    *,
    tz: str,
    paths: Iterable[str],
    names: Mapping[str, str] | None = None,
    titles: Mapping[str, str],
) -> RunNotes:
    """Return the stored values of a resumed run, or store these."""
    if files.has(NOTES):
        return read_notes(files)
    begun = RunNotes(tz, tuple(sorted(paths)), {}, {}, names, titles)
    save_notes(files, begun)
    return begun


def save_notes(files: RunFiles, notes: RunNotes) -> None:
    """Raises StoreError."""
    body = {
        "tz": notes.tz,
        "paths": list(notes.paths),
        "written": dict(notes.written),
        "hashes": dict(notes.hashes),
        **({"names": dict(notes.names)} if notes.names is not None else {}),
        "titles": dict(notes.titles),
    }
    write_json(files, NOTES, body)


def read_notes(files: RunFiles) -> RunNotes:
    """Raises ReplayError if the run never began to write notes."""
    body = read_json(files, NOTES)
    try:
        paths, names = tuple(body["paths"]), body.get("names")
        titles = body.get("titles", {})  # runs of earlier versions have none
        return RunNotes(body["tz"], paths, body["written"], body["hashes"], names, titles)
    except KeyError as error:
        raise ReplayError(f"{files.locate(NOTES)} lacks {error}") from None
