"""Write into the inbox: atomically, and nowhere else.

Paths are vault-relative with `/`. Each folder on the way is opened from its parent without
following symbolic links, so that a path stays inside the inbox whatever replaces a folder.
"""

import ctypes
import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
import sys
import unicodedata
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

_TEMPORARY = re.compile(r"\.lacuna-[0-9a-f]{16}\.tmp")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# A file in place of a folder, or a link in place of either, belongs to somebody else.
_NOT_OURS = {errno.ELOOP, errno.ENOTDIR}
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


class WriteError(Exception):
    """A note could not be written or moved; nothing was changed."""


class OutsideError(WriteError):
    """The path leads out of the inbox, or through a symbolic link."""


class ExistsError(WriteError):
    """A file already exists where a new one was to be created."""


class ChangedError(WriteError):
    """The file has changed since it was last read, or is gone."""


def name_key(path: str) -> str:
    """Return a note's name in the form used for comparison.

    Ignores folder, suffix, case and the normalisation of accents: a link with only the name cannot
    distinguish such names.
    """
    name = path.rpartition("/")[2]
    stem = name[: -len(".md")] if name.lower().endswith(".md") else name
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", stem).casefold())


def content_hash(data: bytes) -> str:
    """Return the sha256 in hex that identifies a content here."""
    return hashlib.sha256(data).hexdigest()


class InboxWriter:
    """The only code that opens a file of the vault for writing, and only below `root`/`inbox`.

    The plugin for Obsidian, which its user asks for by name, is written with its folder as `inbox`.
    """

    def __init__(self, root: Path, inbox: str) -> None:
        self._root = root
        self._inbox = tuple(inbox.strip("/").split("/"))
        self._device: int | None = None
        _refuse_odd_parts(inbox, self._inbox)
        self.recognise()

    def recognise(self) -> None:
        """Record the disk that the vault is on now.

        Nothing is written while it is on another one: the vault's disk was unmounted, and only its
        mount point is left.
        """
        with suppress(OSError):
            self._device = self._root.stat().st_dev

    def write(self, path: str, text: str | bytes, *, expected: str | None) -> str:
        """Write `text` at `path` atomically; return the hash of the new content.

        With `expected` None the file must not exist yet (ExistsError); with a hash it is replaced
        only if its content still has that hash (ChangedError). Raises OutsideError, and WriteError
        if the disk is full, read-only or not writable.
        """
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        with _one_line(path), self._parent(path, make=True) as (folder, name):
            mode = None if expected is None else _check_unchanged(folder, name, expected, path)
            temporary = _write_temporary(folder, data, mode)
            try:
                if expected is None:
                    _rename_new(folder, temporary, folder, name)
                else:
                    _check_unchanged(folder, name, expected, path)  # as late as possible
                    os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            _sync(folder)
        return content_hash(data)

    def exists(self, path: str) -> bool:
        """Return whether there is something at `path`, of whatever kind."""
        try:
            with _one_line(path), self._parent(path) as (folder, name):
                return name in os.listdir(folder)  # noqa: PTH208 by descriptor
        except _MissingError:
            return False

    def move(self, path: str, to: str) -> None:
        """Move a note within the inbox. Raises ExistsError if `to` exists."""
        with (
            _one_line(to),
            self._parent(path) as (folder, name),
            self._parent(to, make=True) as (new_folder, new_name),
        ):
            if _read(folder, name) is None:
                raise ChangedError(f"{path} is gone")
            _rename_new(folder, name, new_folder, new_name)
            _sync(new_folder)
            _sync(folder)

    def check(self, path: str) -> tuple[str, str] | None:
        """Return the note's text and the hash of its bytes, or None if it does not exist."""
        try:
            with _one_line(path), self._parent(path) as (folder, name):
                data = _read(folder, name)
        except _MissingError:
            return None
        return None if data is None else (data.decode("utf-8-sig", "replace"), content_hash(data))

    def read(self, path: str) -> str | None:
        """Return the note's text, or None if it does not exist."""
        seen = self.check(path)
        return seen and seen[0]

    def hash(self, path: str) -> str | None:
        """Return the sha256 of the note's bytes, or None if it does not exist."""
        seen = self.check(path)
        return seen and seen[1]

    def unique_path(self, folder: str, stem: str, taken: Container[str]) -> str:
        """Return a path for a new note in `folder` whose name no other note has.

        `taken` contains the `name_key` of every note of the vault; the folder itself is checked,
        too. `stem` is a safe name; if it is taken, ` 2`, ` 3`, … is appended.
        """
        present = self._names(folder)
        names = (stem if number == 1 else f"{stem} {number}" for number in count(1))
        return next(
            f"{folder}/{name}.md"
            for name in names
            if name_key(name) not in taken and name_key(name) not in present
        )

    def remove(self, path: str, *, expected: str) -> None:
        """Delete a file whose content has the hash `expected`. Raises ChangedError, WriteError."""
        with _one_line(path), self._parent(path) as (folder, name):
            _check_unchanged(folder, name, expected, path)
            os.unlink(name, dir_fd=folder)
            _sync(folder)

    def make_folder(self) -> None:
        """Create the inbox's folder if necessary. Raises OutsideError, WriteError."""
        with _one_line("/".join(self._inbox)), self._open(self._inbox, make=True):
            return

    def remove_empty(self, named: re.Pattern[str]) -> None:
        """Remove the empty folders directly in the inbox whose names match in full."""
        try:
            with _one_line("/".join(self._inbox)), self._open(self._inbox) as inbox:
                for name in filter(named.fullmatch, os.listdir(inbox)):  # noqa: PTH208 by descriptor
                    with suppress(OSError):  # a file, a link, or not empty
                        os.rmdir(name, dir_fd=inbox)
        except _MissingError:
            return

    def clean(self) -> int:
        """Remove files that a killed process left half written; return how many."""
        removed = 0
        try:
            with _one_line("/".join(self._inbox)), self._open(self._inbox) as inbox:
                for _, _, names, folder in os.fwalk(".", dir_fd=inbox, follow_symlinks=False):
                    for name in filter(_TEMPORARY.fullmatch, names):
                        os.unlink(name, dir_fd=folder)
                        removed += 1
        except _MissingError:
            return 0
        return removed

    def _names(self, folder: str) -> set[str]:
        try:
            with _one_line(folder), self._parent(f"{folder}/x") as (opened, _):
                return {name_key(name) for name in os.listdir(opened)}  # noqa: PTH208 by descriptor
        except _MissingError:
            return set()

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder that contains `path`; yields its descriptor and the file's name."""
        *folders, name = parts = path.split("/")
        _refuse_odd_parts(path, parts)
        if tuple(folders[: len(self._inbox)]) != self._inbox:
            raise OutsideError(f"{path} is not in {'/'.join(self._inbox)}")
        with self._open(tuple(folders), make=make) as folder:
            yield folder, name

    @contextmanager
    def _open(self, folders: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        here = os.open(self._root, _FOLDER)
        try:
            if self._device not in (None, os.fstat(here).st_dev):
                raise WriteError(f"{self._root} is not on the same disk as before: is it mounted?")
            for folder in folders:
                below = _enter(here, folder, make=make)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)


class _MissingError(WriteError):
    """A folder on the way does not exist."""


def _refuse_odd_parts(path: str, parts: tuple[str, ...] | list[str]) -> None:
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise OutsideError(f"{path!r} is not a path inside the vault")


def _enter(here: int, folder: str, *, make: bool) -> int:
    """Open the folder `folder` of the open folder `here`, creating it first if requested."""
    try:
        return os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
    except FileNotFoundError:
        if not make:
            raise _MissingError(f"the folder {folder} does not exist") from None
    with suppress(FileExistsError):
        os.mkdir(folder, dir_fd=here)
        _sync(here)
    return os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=here)


def _read(folder: int, name: str) -> bytes | None:
    """Return the bytes of a regular file, or None if there is none."""
    try:
        # O_NONBLOCK: opening a named pipe would wait forever.
        opened = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OutsideError(f"{name} is not a file")
        with os.fdopen(opened, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(opened)


def _check_unchanged(folder: int, name: str, expected: str, path: str) -> int:
    """Return the file's permissions, or raise ChangedError."""
    data = _read(folder, name)
    if data is None:
        raise ChangedError(f"{path} is gone")
    if content_hash(data) != expected:
        raise ChangedError(f"{path} was changed since it was last read")
    return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _write_temporary(folder: int, data: bytes, mode: int | None) -> str:
    name = f".lacuna-{secrets.token_hex(8)}.tmp"
    opened = os.open(
        name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666,
        dir_fd=folder,
    )  # fmt: skip
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                with suppress(PermissionError):  # some file systems have no permissions
                    os.fchmod(opened, mode)
            _sync(opened)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    return name


def _sync(opened: int) -> None:
    """Flush written data to the disk, as reliably as the system can."""
    full = getattr(fcntl, "F_FULLFSYNC", None)  # macOS: fsync alone stops at the disk's cache
    if full is not None:
        with suppress(OSError):
            fcntl.fcntl(opened, full)
            return
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:  # some file systems cannot sync a folder
            raise


def _rename_new(folder: int, name: str, to_folder: int, to_name: str) -> None:
    """Rename a file to a name that must be free, which the system guarantees."""
    try:
        _rename_exclusive(folder, name, to_folder, to_name)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _rename_as_of_old(folder, name, to_folder, to_name)


def _rename_as_of_old(folder: int, name: str, to_folder: int, to_name: str) -> None:
    """Link the file to a second name, which fails if that exists, and remove the first.

    If files cannot have two names either, all that is left is to check first.
    """
    try:
        os.link(name, to_name, src_dir_fd=folder, dst_dir_fd=to_folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        with suppress(FileNotFoundError):
            os.stat(to_name, dir_fd=to_folder, follow_symlinks=False)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(name, to_name, src_dir_fd=folder, dst_dir_fd=to_folder)
    else:
        os.unlink(name, dir_fd=folder)


def _rename_exclusive(folder: int, name: str, to_folder: int, to_name: str) -> None:
    function, exclusive = ("renameatx_np", 4) if sys.platform == "darwin" else ("renameat2", 1)
    library = ctypes.CDLL(None, use_errno=True)
    rename = getattr(library, function, None)
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if rename(folder, os.fsencode(name), to_folder, os.fsencode(to_name), exclusive) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


_NOT_ALLOWED = ": make the inbox folder in your vault writable for you"
_ADVICE = {
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.EROFS: ": the drive of your vault is mounted read-only",
}


@contextmanager
def _one_line(path: str) -> Iterator[None]:
    """Turn file system errors into one line that names the file."""
    try:
        yield
    except FileExistsError as error:
        raise ExistsError(f"{path} already exists: left unchanged") from error
    except OSError as error:
        if error.errno in _NOT_OURS:
            raise OutsideError(f"{path} leads through a link or a file: left unchanged") from error
        why = (error.strerror or str(error)).lower()
        raise WriteError(f"{path}: {why}{_ADVICE.get(error.errno or 0, '')}") from error
