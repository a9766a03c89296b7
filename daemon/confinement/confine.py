"""Which folders the daemon confines itself to, and whether they are still the same."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from daemon.confinement import landlock

_NULL = Path("/dev/null")
_TEMPORARY = "tmp"
_PATIENCE = 5.0  # seconds: who takes a folder away may be about to put another in its place

_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Writable:
    """What may be written to, absolute: the two folders, and what else the settings allow."""

    vault: Path
    inbox: Path
    state: Path
    others: tuple[Path, ...] = ()

    def prepare(self) -> None:
        """Make the state's folders. Raises OSError."""
        for folder in (self.state, self.state / _TEMPORARY):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@dataclass(slots=True)
class Confinement:
    """What confines this process; `why_not` says why nothing does, and is empty otherwise.

    A rule hangs on the folder itself, not on its name: another folder of the same name cannot be
    written to.
    """

    why_not: str
    vault: Path = Path()
    _known: Mapping[Path, _Identity | None] = field(default_factory=dict)
    _wanted: frozenset[Path] = frozenset()  # what is missed when it is not there
    _missed_at: float | None = None

    def is_stale(self, now: float) -> bool:
        """Whether the process has to be started anew. `now` is of a clock that is never set back.

        A folder that is gone is waited for a little; while the whole vault is, it is not missed.
        """
        if self.why_not:
            return False
        found = {path: _identity(path) for path in self._known}
        if any(found[path] not in (None, known) for path, known in self._known.items()):
            return True
        is_missed = any(found[path] is None for path in self._wanted)
        if not is_missed or not has_entries(self.vault):
            self._missed_at = None
            return False
        if self._missed_at is None:
            self._missed_at = now
        return now - self._missed_at >= _PATIENCE


def confine(places: Writable) -> Confinement:
    """Confine this process and all that it will start, where the kernel can. Raises OSError.

    What is not there cannot be named in a rule, which is stale as soon as it is there. The inbox of
    an empty vault is missed when notes come: it is not made where a disk may yet be mounted.
    """
    if landlock.version() < landlock.OLDEST:
        return Confinement(landlock.why_not())
    folders = (places.inbox, places.state)
    known = {path: _identity(path) for path in folders}
    landlock.restrict(
        filter(Path.is_dir, [places.inbox]),
        filter(Path.exists, [places.state, *places.others, _NULL]),
    )
    temporary = places.state / _TEMPORARY
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    wanted = {path for path, identity in known.items() if identity is not None}
    if not has_entries(places.vault):
        wanted.add(places.inbox)
    return Confinement("", places.vault, known, frozenset(wanted))


def has_entries(folder: Path) -> bool:
    """Whether anything is in a folder; an empty one may be where a disk is to be mounted."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def existing(paths: Iterable[str]) -> tuple[Path, ...]:
    """Return those of the paths that are there."""
    return tuple(path for path in (Path(each).expanduser() for each in paths) if path.exists())


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
