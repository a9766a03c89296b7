"""Choose the folders to which the daemon confines itself, and check whether they are still the
same.
"""

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from daemon.confinement import landlock

_NULL = Path("/dev/null")
_TEMPORARY = "tmp"
_PATIENCE = 5.0  # seconds: a program that removes a folder may be about to replace it

_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Writable:
    """Paths that may be written to, absolute: the two folders, and those that the settings
    allow.
    """

    vault: Path
    inbox: Path
    state: Path
    others: tuple[Path, ...] = ()

    def prepare(self) -> None:
        """Create the state's folders. Raises OSError."""
        for folder in (self.state, self.state / _TEMPORARY):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@dataclass(slots=True)
class Confinement:
    """The rules that confine this process; `why_not` is the reason if nothing does, else empty.

    A rule is attached to the folder itself, not to its name: another folder with the same name
    cannot be written to.
    """

    why_not: str
    vault: Path = Path()
    _known: Mapping[Path, _Identity | None] = field(default_factory=dict)
    _required: frozenset[Path] = frozenset()  # checked for; missing folders make the rules stale
    _missed_at: float | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a folder has disappeared that may come back."""
        return self._missed_at is not None

    def is_stale(self, now: float) -> bool:
        """Return whether the process must be restarted. `now` is from a monotonic clock.

        Waits a little for a folder that has disappeared, but not for one that was never there;
        while the whole vault is unavailable, neither counts.
        """
        if self.why_not:
            return False
        found = {path: _identity(path) for path in self._known}
        if any(found[path] not in (None, known) for path, known in self._known.items()):
            return True
        missed = [path for path in self._required if found[path] is None]
        if not missed or not has_entries(self.vault):
            self._missed_at = None
            return False
        if any(self._known[path] is None for path in missed):  # as the inbox of an empty vault
            return True
        if self._missed_at is None:
            self._missed_at = now
        return now - self._missed_at >= _PATIENCE


def confine(places: Writable) -> Confinement:
    """Confine this process and all its future children, if the kernel supports it. Raises OSError.

    A path that does not exist cannot be named in a rule, so the rules become stale when it appears.
    The inbox is not created in an empty vault, where a disk may yet be mounted; it counts as
    missing once there are notes.
    """
    if landlock.version() < landlock.MIN_VERSION:
        return Confinement(landlock.why_not())
    folders = (places.inbox, places.state)
    known = {path: _identity(path) for path in folders}
    landlock.restrict(
        filter(Path.is_dir, [places.inbox]),
        filter(Path.exists, [places.state, *places.others, _NULL]),
    )
    temporary = places.state / _TEMPORARY
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    required = {path for path, identity in known.items() if identity is not None}
    if not has_entries(places.vault):
        required.add(places.inbox)
    return Confinement("", places.vault, known, frozenset(required))


def has_entries(folder: Path) -> bool:
    """Return whether a folder contains anything; an empty one may be a mount point."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def existing(paths: Iterable[str]) -> tuple[Path, ...]:
    """Return the paths that exist."""
    return tuple(path for path in (Path(each).expanduser() for each in paths) if path.exists())


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
