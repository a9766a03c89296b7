"""One file with a vault's state and its settings, and a checksum of everything in it.

A gzipped tar: `about.json` first, the database, the folders of runs, the settings files, and
`manifest.json` last, which lists each file with its size and sha256. No keys, and nothing that can
be rebuilt: no vector index, no cache, no logs.
"""

import json
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import BufferedReader, BytesIO, FileIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from daemon.model.errors import LacunaError
from daemon.model.progress import Progress, no_progress
from daemon.store.copies import copy_database
from daemon.store.migrations import schema_of
from daemon.store.private import make_folder

FORMAT = 1
ABOUT, MANIFEST = "about.json", "manifest.json"
DATABASE, RUNS = "state/lacuna.db", "state/runs"
SETTINGS = ("config.toml", "sources.yaml", "credibility.toml")
_KNOWN = re.compile(
    rf"{re.escape(ABOUT)}|{re.escape(DATABASE)}|{RUNS}/[^/]+/.+"
    rf"|settings/(?:{'|'.join(map(re.escape, SETTINGS))})"
)
_MEGA = 1_000_000
_BLOCK = 1 << 20  # bytes that are read at once
_MAX_LIST_BYTES = 64 * 1024 * 1024  # largest accepted `about.json` or `manifest.json` in bytes


class BackupError(LacunaError):
    """A backup cannot be written, or was not made by `lacuna backup`."""


@dataclass(frozen=True, slots=True)
class About:
    """A backup's description of itself."""

    vault: Path
    made_at: datetime
    program: str  # the version of Lacuna
    schema: int


@dataclass(frozen=True, slots=True)
class Written:
    """The content of an archive."""

    about: About
    runs: int
    size: int  # bytes of the archive


def write_archive(
    target: Path,
    *,
    state: Path,
    vault: Path,
    settings: Mapping[str, bytes],
    program: str,
    now: datetime,
    progress: Progress = no_progress,
) -> Written:
    """Back up `state` into `target`, which must not exist yet.

    `progress` gets megabytes. A daemon may be running: the database is a consistent snapshot, and
    each file of a run is complete. Raises BackupError, StoreError.
    """
    if target.exists():
        raise BackupError(f"{target} already exists: choose another file name")
    draft = target.with_name(f".{target.name}.tmp")
    with TemporaryDirectory(dir=state, prefix=".backup-") as folder, _translated(target):
        database = Path(folder) / "lacuna.db"
        copy_database(state / "lacuna.db", database, draft=Path(folder) / "draft")
        about = About(vault, now, program, schema_of(database))
        try:
            draft.touch(0o600)
            with draft.open("r+b") as file:
                file.truncate()
                with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
                    _fill(tar, about, database, state / "runs", settings, progress)
            if target.exists():
                raise BackupError(f"{target} already exists: choose another file name")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    runs = sum(1 for run in _folders(state / "runs"))
    return Written(about, runs, target.stat().st_size)


def read_about(archive: Path) -> About:
    """Return a backup's description of itself. Raises BackupError."""
    with _opened(archive) as tar:
        first = tar.next()
        if first is None or first.name != ABOUT or not first.isreg():
            raise BackupError(f"{archive} was not made by `lacuna backup`")
        return _about(_json(tar, first, archive), archive)


def extract(archive: Path, folder: Path, progress: Progress = no_progress) -> About:
    """Unpack a backup into an empty folder, and check that it is complete and unchanged.

    `progress` gets megabytes of the archive. Accepts only what `lacuna backup` writes: plain files
    with the expected names. Raises BackupError, StoreError.
    """
    found: dict[str, Path] = {}
    manifest: dict[str, Any] = {}
    with _opened(archive, progress) as tar:
        for member in tar:
            if member.name == MANIFEST and member.isreg():
                manifest = _json(tar, member, archive)
                continue
            if not member.isreg() or not _KNOWN.fullmatch(member.name) or member.name in found:
                raise BackupError(f"{archive} contains {member.name!r}, which no backup does")
            if member.size > shutil.disk_usage(folder).free:
                raise BackupError(f"{archive}: not enough space for {member.name} in {folder}")
            tar.extract(member, folder, filter="data")
            found[member.name] = folder / member.name
    listed = manifest.get("files")
    if not isinstance(listed, dict) or ABOUT not in found or DATABASE not in found:
        raise BackupError(
            f"{archive} is incomplete: it was truncated, or not made by `lacuna backup`"
        )
    for name in listed.keys() | found.keys():
        if name not in found or _sum(found[name]) != listed.get(name):
            raise BackupError(f"{archive} is damaged: {name} differs from the original")
    about = _about(json.loads(found[ABOUT].read_bytes()), archive)
    make_folder(folder / RUNS)
    return about


def _fill(
    tar: tarfile.TarFile,
    about: About,
    database: Path,
    runs: Path,
    settings: Mapping[str, bytes],
    progress: Progress,
) -> None:
    files: dict[str, dict[str, Any]] = {}
    total = sum(map(_bytes_of, (database, *runs.rglob("*"))))
    read = _Megabytes(total, "saving (MB)", progress)
    values = {
        "format": FORMAT,
        "vault": str(about.vault),
        "made_at": about.made_at.isoformat(),
        "program": about.program,
        "schema": about.schema,
    }

    def add(name: str, file: IO[bytes], size: int) -> None:
        counted = _Counted(file, read)
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.mtime = size, 0o600, int(about.made_at.timestamp())
        tar.addfile(member, counted)
        files[name] = {"size": size, "sha256": counted.digest.hexdigest()}

    def add_json(name: str, document: Mapping[str, Any]) -> None:
        data = json.dumps(document, ensure_ascii=True, indent=1, sort_keys=True).encode()
        add(name, BytesIO(data), len(data))

    add_json(ABOUT, values)
    for name, path in chain([(DATABASE, database)], _files_of(runs)):  # listed while walking
        try:
            file = path.open("rb")
        except FileNotFoundError:
            continue  # the run was deleted meanwhile
        with file:
            add(name, file, path.stat().st_size if path == database else _size(file))
    for name, data in settings.items():
        add(f"settings/{name}", BytesIO(data), len(data))
    add_json(MANIFEST, {"files": files})


def _files_of(runs: Path) -> Iterator[tuple[str, Path]]:
    """Yield each run's files, those that refer to others first.

    A run may be adding documents: it writes them before the files that refer to them, so the
    documents found afterwards are complete.
    """
    for folder in _folders(runs):
        own = sorted(path for path in folder.iterdir() if not path.is_dir())
        yield from _named(own, runs)
        for each in sorted(path for path in folder.iterdir() if path.is_dir()):
            listed = {path for path in each.rglob("*") if path.suffix == ".json"}
            later = sorted(each.rglob("*"))  # everything that they refer to was written before
            yield from _named([p for p in later if p.suffix != ".json" or p in listed], runs)


def _named(paths: Iterable[Path], runs: Path) -> Iterator[tuple[str, Path]]:
    for path in paths:
        if path.is_file() and not path.is_symlink() and not path.name.endswith(".tmp"):
            yield f"{RUNS}/{path.relative_to(runs).as_posix()}", path


def _folders(runs: Path) -> list[Path]:
    return sorted(each for each in runs.iterdir() if each.is_dir()) if runs.is_dir() else []


class _Counted:
    """A file that is hashed and counted while it is read."""

    def __init__(self, file: IO[bytes], read: "_Megabytes") -> None:
        self._file = file
        self._read = read
        self.digest = sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.digest.update(data)
        self._read.add(len(data))
        return data


class _Megabytes:
    """Reports the progress of reading so many bytes."""

    def __init__(self, total: int, what: str, progress: Progress) -> None:
        self._total = total
        self._what = what
        self._progress = progress
        self._done = 0

    def add(self, count: int) -> None:
        self._done = min(self._done + count, self._total)
        self._progress(self._done // _MEGA, self._total // _MEGA, self._what)


class _Watched(FileIO):
    """A file whose reading is reported."""

    def __init__(self, path: Path, read: _Megabytes) -> None:
        super().__init__(path)
        self._watched = read

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        self._watched.add(count)
        return count


def _bytes_of(path: Path) -> int:
    """Return the size of a file, 0 if it was deleted meanwhile."""
    with suppress(OSError):
        return path.stat().st_size if path.is_file() else 0
    return 0


def _size(file: IO[bytes]) -> int:
    """Return the size of an open file: if it was replaced meanwhile, that of the old one."""
    size = file.seek(0, 2)
    file.seek(0)
    return size


def _sum(path: Path) -> dict[str, Any]:
    digest = sha256()
    with path.open("rb") as file:
        while data := file.read(1 << 20):
            digest.update(data)
    return {"size": path.stat().st_size, "sha256": digest.hexdigest()}


def _json(tar: tarfile.TarFile, member: tarfile.TarInfo, archive: Path) -> dict[str, Any]:
    file = tar.extractfile(member)
    if file is None or member.size > _MAX_LIST_BYTES:
        raise BackupError(f"{archive}: {member.name} cannot be read")
    document = json.loads(file.read())
    if not isinstance(document, dict):
        raise BackupError(f"{archive}: {member.name} is not what `lacuna backup` writes")
    return document


def _about(document: Mapping[str, Any], archive: Path) -> About:
    if document.get("format") != FORMAT:
        raise BackupError(f"{archive} was made by a newer Lacuna: update Lacuna")
    try:
        made_at = datetime.fromisoformat(document["made_at"]).astimezone(UTC)
        vault, program = Path(document["vault"]), str(document["program"])
        return About(vault, made_at, program, int(document["schema"]))
    except (KeyError, TypeError, ValueError):
        raise BackupError(f"{archive}: {ABOUT} is not what `lacuna backup` writes") from None


@contextmanager
def _opened(archive: Path, progress: Progress = no_progress) -> Iterator[tarfile.TarFile]:
    with _translated(archive):
        if not archive.is_file():
            raise BackupError(f"{archive}: there is no such file")
        read = _Megabytes(archive.stat().st_size, "restoring (MB)", progress)
        with (
            _Watched(archive, read) as file,
            tarfile.open(fileobj=BufferedReader(file, _BLOCK), mode="r:gz") as tar,
        ):
            yield tar


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Describe on one line what is wrong with the archive at `path`."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, ValueError):
        raise BackupError(f"{path} is damaged, or was not made by `lacuna backup`") from None
    except OSError as error:
        why = error.strerror or "it is damaged, or was not made by `lacuna backup`"
        raise BackupError(f"{error.filename or path}: {why}") from None
