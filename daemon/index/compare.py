"""Decide what a sync has to do: compare the index with a scan. Pure."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon.model.notes import Stamp
from vault_adapters.note import Role, Unreadable, VaultFile

# File systems and clocks are coarse: a file edited twice within this time may look unchanged.
_RACY = timedelta(seconds=2)
_COMPARE, _PARSE = 1, 2


@dataclass(frozen=True, slots=True)
class Plan:
    """The differences: files to read, files whose stamps to update, and paths that are gone."""

    read: tuple[VaultFile, ...]
    gone: tuple[str, ...]


def compare(
    known: Mapping[str, Stamp], files: Sequence[VaultFile], evicted: Iterable[str] = ()
) -> Plan:
    """Return the files that differ from the index, in path order.

    The content of an evicted file is kept: it belongs to the vault, though it is not on this disk.
    """
    read = [file for file in files if _differs(known.get(file.path), file)]
    seen = {*(file.path for file in files), *evicted}
    return Plan(
        read=tuple(sorted(read, key=lambda file: file.path)),
        gone=tuple(sorted(path for path in known if path not in seen)),
    )


def unseen(known: Iterable[str], blocked: Iterable[str]) -> list[str]:
    """Return the indexed paths that are, or are below, a path that could not be listed."""
    places = frozenset(blocked)
    if not places:
        return []
    folders = tuple(f"{path}/" if path else "" for path in places)
    return [path for path in known if path in places or path.startswith(folders)]


def needs_parsing(known: Stamp | None, file: VaultFile, digest: str) -> bool:
    """Return whether a file with this digest must be parsed, or only restamped."""
    return (
        known is None
        or known.hash != digest
        or known.recheck == _PARSE
        or _has_other_role(known, file)
    )


def stamp(file: VaultFile, digest: str, now: datetime) -> Stamp:
    """Return the stamp of a file that was read; its bytes are compared again if it is too fresh."""
    fresh = file.mtime_ns > int((now - _RACY).timestamp() * 1e9)
    recheck = _COMPARE if fresh or not digest else 0
    return Stamp(file.role, file.size, file.mtime_ns, file.inode, digest, recheck)


def fingerprint(paths: Iterable[str], *also: str) -> str:
    """Return a fingerprint of a set of paths, and of everything else that determines link
    targets.
    """
    digest = hashlib.sha256("\0".join(also).encode())
    digest.update("".join([f"\0{path}" for path in sorted(paths)]).encode(errors="surrogateescape"))
    return digest.hexdigest()


def split_nameable(files: Iterable[VaultFile]) -> tuple[list[VaultFile], list[Unreadable]]:
    """Separate the files whose names are not valid Unicode: nothing can link to them."""
    good: list[VaultFile] = []
    bad: list[Unreadable] = []
    for file in files:
        try:
            file.path.encode("utf-8")
        except UnicodeEncodeError:
            shown = file.path.encode("utf-8", "backslashreplace").decode("utf-8")
            bad.append(Unreadable(shown, "its name is not UTF-8 text"))
        else:
            good.append(file)
    return good, bad


class Moves:
    """Finds the previous path of a new one: a path that is gone, with the same bytes."""

    def __init__(self, known: Mapping[str, Stamp], gone: Iterable[str]) -> None:
        self._by_digest: dict[str, list[str]] = defaultdict(list)
        self._by_inode: dict[int, str] = {}
        for path in gone:
            self._by_inode[known[path].inode] = path
            if known[path].hash:
                self._by_digest[known[path].hash].append(path)

    def take(self, path: str, digest: str) -> str | None:
        """Return the old path, each only once; one with the same file name is preferred."""
        olds = self._by_digest.get(digest)
        if not olds:
            return None
        name = path.rpartition("/")[2]
        old = next((old for old in olds if old.rpartition("/")[2] == name), olds[0])
        olds.remove(old)
        return old

    def edited(self, inode: int) -> str | None:
        """Return the old path of a file that was moved and edited: a gone one with its inode.

        A hint only: an inode may be reused by an unrelated file.
        """
        return self._by_inode.pop(inode, None) if inode else None


def _differs(known: Stamp | None, file: VaultFile) -> bool:
    return (
        known is None
        or known.recheck > 0
        or (known.size, known.mtime_ns, known.inode) != (file.size, file.mtime_ns, file.inode)
        or _has_other_role(known, file)
    )


def _has_other_role(known: Stamp, file: VaultFile) -> bool:
    # OWN is not a role that a scan can see.
    return known.role not in (file.role, Role.OWN)
