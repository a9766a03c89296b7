"""Scan a folder of files and read one of them: shared by all adapters."""

import errno
import os
import stat
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from vault_adapters.base import (
    NotAFolderError,
    NoteError,
    Resolver,
    UnreadableVaultError,
    VaultNotFoundError,
)
from vault_adapters.ignored import evicted_name, is_ignored
from vault_adapters.links import LinkResolver
from vault_adapters.note import Note, Scan, Unreadable, VaultFile
from vault_adapters.roles import DailyFolder, Roles, clean_folder, folder_exclusions

MAX_BYTES = 64 * 1024 * 1024
_MAX_MTIME_NS = 2**63 - 1
_BLOCK = 1 << 20
_RECENT, _RECENT_BYTES = 16, 1 << 16  # files read last that are held, and the largest of them
_LINKED = (errno.ELOOP, errno.EMLINK)  # errors for a link that is not followed


class FolderAdapter:
    """A vault that is a folder of files; the base of the adapters, which assign roles to files.

    Paths are in NFC, for comparison; the name on disk is remembered, and used to open the file. If
    two files differ only in normalisation, the one that is not in NFC keeps its own form. Names
    that are not UTF-8 cannot be linked to or stored, and are reported.

    Symbolic links are not followed to folders (those in the vault are read in place, others are not
    part of it) nor out of the vault; each is reported. A link to a file in the vault is a separate
    file, as in Obsidian.
    """

    name = "folder"
    plain = True
    suffixes: tuple[str, ...] = (".md",)

    def __init__(
        self,
        root: Path,
        *,
        templates: Iterable[str] = (),
        daily_notes: Iterable[str] = (),
        exclude: Iterable[str] = (),
    ) -> None:
        """Take folders of templates, of daily notes, and of notes excluded from analysis."""
        self._root = root
        self._roles = Roles(
            suffixes=self.suffixes,
            templates=tuple(filter(None, map(clean_folder, templates))),
            daily=tuple(DailyFolder(f) for f in map(clean_folder, daily_notes) if f),
            excluded=folder_exclusions(exclude),
        )
        self._prefix = f"{root}{os.sep}"
        self._real_root = os.path.realpath(root)
        self._on_disk: dict[str, str] = {}
        self._has_links = False  # a file with two names changes under both
        self._recent = deque[tuple[str, bytes]](maxlen=_RECENT)

    @staticmethod
    def keeps(root: Path) -> bool:
        """Return whether the folder is such a vault; by default every folder is."""
        return root.is_dir()

    @property
    def root(self) -> Path:
        return self._root

    @property
    def reads_as(self) -> str:
        """The kind of vault, and the settings of it that affect how notes are read."""
        return self.name

    def roles(self) -> Roles:
        """Return the role of each file; an adapter adds the vault's own settings."""
        return self._roles

    def hides(self, path: str) -> bool:
        """Return whether a path is internal to the tool: a backup, a cache."""
        return False

    def scan(self) -> Scan:
        """List every file (stat only), sorted by path; failures are reported.

        Raises VaultNotFoundError, NotAFolderError or UnreadableVaultError if the vault itself
        cannot be listed: an unmounted disk is not an empty vault.
        """
        require_folder(self._root)
        look = _FolderScan(self._root, self._real_root, self.roles(), self.hides)
        look.scan("")
        self._on_disk, self._has_links = look.on_disk, look.has_links
        files = sorted(look.files, key=lambda file: file.path)
        evicted = sorted(set(look.evicted) - {file.path for file in files})
        return Scan(tuple(files), tuple(look.unreadable), tuple(evicted), tuple(look.blocked))

    def glance(self, paths: Iterable[str]) -> tuple[VaultFile, ...] | None:
        """Check only these files; None if only a scan can determine their state."""
        if self._has_links:
            return None
        roles, files = self.roles(), []
        for path in paths:
            if self.ignores(path) or path in self._on_disk or not _is_nfc(path):
                return None
            try:
                status = os.lstat(self._prefix + path)
            except (OSError, ValueError):
                return None
            if not stat.S_ISREG(status.st_mode):
                return None
            files.append(_file(path, roles, status))
        return tuple(files)

    def ignores(self, path: str) -> bool:
        """Return whether a vault-relative path is never part of the vault (for the watcher)."""
        return is_ignored(path) or self.hides(path)

    def load(self, path: str) -> bytes:
        """Read a file's bytes. Raises NoteError with a message that begins with the path."""
        data = _read(f"{self._prefix}{self._on_disk.get(path, path)}", path, self._real_root)
        if len(data) <= _RECENT_BYTES:
            self._recent.append((path, data))
        return data

    def recall(self, path: str, digest: str) -> bytes:
        """Return the bytes with this sha256 if they were read recently, else read the file.

        Raises NoteError.
        """
        for recent, data in self._recent:
            if recent == path and sha256(data).hexdigest() == digest:
                return data
        return self.load(path)

    def parse(self, path: str, data: bytes) -> Note:
        """Parse one note or canvas; no content is an error."""
        # A twentieth of a second of CPU, saved if there is nothing to read.
        from vault_adapters import canvas, markdown  # noqa: PLC0415

        is_canvas = path.lower().endswith(".canvas")
        parse = canvas.parse_canvas if is_canvas else markdown.parse_note
        return parse(path, data, plain=self.plain)

    def read(self, path: str) -> Note:
        """Read and parse one note or canvas. Raises NoteError."""
        return self.parse(path, self.load(path))

    def resolver(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Resolver:
        """Build a resolver over all paths of the vault, including attachments, without names."""
        return LinkResolver(paths)

    def link_names(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Mapping[str, str] | None:
        """Return None: links use file names, unless an adapter overrides this."""
        return None


def require_folder(root: Path) -> None:
    """Raise VaultNotFoundError, NotAFolderError or UnreadableVaultError."""
    try:
        with os.scandir(root):
            return
    except FileNotFoundError as error:
        raise VaultNotFoundError(f"the folder {root} does not exist: check the path") from error
    except NotADirectoryError as error:
        raise NotAFolderError(
            f"{root} is a file: a vault is a folder; use the folder that contains the file"
        ) from error
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise UnreadableVaultError(f"the folder {root} cannot be read: {why}") from error


class _FolderScan:
    """One scan of the folder, collecting its findings."""

    def __init__(
        self, root: Path, real_root: str, roles: Roles, hides: Callable[[str], bool]
    ) -> None:
        self.files: list[VaultFile] = []
        self.evicted: list[str] = []
        self.blocked: list[str] = []
        self.unreadable: list[Unreadable] = []
        self.on_disk: dict[str, str] = {}
        self.has_links = False
        self._root = os.fspath(root)
        self._real_root = real_root
        self._roles = roles
        self._hides = hides
        self._taken: set[str] = set()

    def scan(self, folder: str) -> None:
        """List a folder and everything below it, without recursion: folders may be deeply
        nested.
        """
        folders = [folder]
        while folders:
            folder = folders.pop()
            for entry in self._entries(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if is_ignored(entry.name) or self._hides(path):
                    self._note_evicted(folder, entry.name)
                elif not _is_utf8(path):
                    self._fail(path, "its name is not UTF-8")
                elif self._is_folder(entry, path):
                    folders.append(path)

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:  # noqa: PTH118
                # NFC first, so that the other form keeps its own name.
                yield from sorted(entries, key=lambda entry: (not _is_nfc(entry.name), entry.name))
        except OSError as error:
            if not folder:  # it disappeared since it was listed
                require_folder(Path(self._root))
            self._block(folder, f"cannot be listed: {error.strerror}", error)

    def _is_folder(self, entry: os.DirEntry[str], path: str) -> bool:
        """Record a file, and return whether it is a folder to list."""
        try:
            if entry.is_dir(follow_symlinks=False):
                return True
            if entry.is_symlink():
                if why := self._wrong_link(entry):
                    self._fail(path, why)
                    return False
                self.has_links = True
            status = entry.stat()
        except OSError as error:
            self._block(path, f"cannot be read: {error.strerror}", error)
            return False
        if stat.S_ISREG(status.st_mode):
            self._take(path, status)
        else:
            self._fail(path, "is not a file, but a device, pipe or socket")
        return False

    def _wrong_link(self, entry: os.DirEntry[str]) -> str:
        target = os.path.realpath(entry.path)
        if not _is_inside(target, self._real_root):
            return "is a symbolic link out of the vault"
        if entry.is_dir():
            return "is a symbolic link to a folder; its files are read in place"
        return ""

    def _take(self, path: str, status: os.stat_result) -> None:
        name = unicodedata.normalize("NFC", path)
        if name in self._taken:
            name = path
        self._taken.add(name)
        if name != path:
            self.on_disk[name] = path
        self.files.append(_file(name, self._roles, status))

    def _note_evicted(self, folder: str, name: str) -> None:
        """Report a file of which iCloud left only a placeholder here."""
        if name.endswith(".icloud") and (kept := evicted_name(name)) and _is_utf8(kept):
            path = unicodedata.normalize("NFC", f"{folder}/{kept}" if folder else kept)
            self.evicted.append(path)
            self._fail(path, "is in iCloud and not on this disk: its indexed content is kept")

    def _block(self, path: str, why: str, error: OSError) -> None:
        """Report a path that cannot be listed; unless it is gone, its indexed content is kept."""
        self._fail(path or ".", why)
        if not isinstance(error, FileNotFoundError):
            self.blocked.append(unicodedata.normalize("NFC", path))

    def _fail(self, path: str, why: str) -> None:
        self.unreadable.append(Unreadable(path.encode(errors="replace").decode(), why))


def _file(path: str, roles: Roles, status: os.stat_result) -> VaultFile:
    """Return the file; its time and inode within 64 bits, the limit of a database."""
    mtime_ns = max(-_MAX_MTIME_NS, min(status.st_mtime_ns, _MAX_MTIME_NS))
    return VaultFile(path, roles.of(path), status.st_size, mtime_ns, status.st_ino & _MAX_MTIME_NS)


def _is_utf8(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_nfc(name: str) -> bool:
    return unicodedata.is_normalized("NFC", name)


def _read(file: str, path: str, real_root: str) -> bytes:
    try:
        descriptor = _open(file, path, real_root)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NoteError(f"{path}: is not a file")
            if status.st_size > MAX_BYTES:
                raise NoteError(f"{path}: is larger than {MAX_BYTES >> 20} MB")
            return _all_of(descriptor, status.st_size)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise NoteError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _open(file: str, path: str, real_root: str) -> int:
    # Do not wait for the other end of a pipe that replaced a note.
    how = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(file, how | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno not in _LINKED:
            raise
    if not _is_inside(os.path.realpath(file), real_root):
        raise NoteError(f"{path}: is a symbolic link out of the vault")
    return os.open(file, how)


def _all_of(descriptor: int, size: int) -> bytes:
    """Read to the end, usually in one read of the file's size."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while data and sum(map(len, parts)) <= MAX_BYTES:
        data = os.read(descriptor, _BLOCK)
        parts.append(data)
    return b"".join(parts)


def _is_inside(real_path: str, real_root: str) -> bool:
    return os.path.commonpath([real_path, real_root]) == real_root
