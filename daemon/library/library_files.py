"""The files of the library: listing them and reading their bytes."""

import codecs
import mimetypes
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.model.errors import ExtractError

MAX_BYTES = 100_000_000
_MAX_PROPERTIES = 65_536  # bytes at the beginning of a note that are searched for its properties
SUFFIXES = frozenset(
    {".md", ".markdown", ".txt", ".text", ".html", ".htm", ".xhtml", ".pdf", ".epub", ".docx"}
)
_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".epub": "application/epub+zip",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
# The property `lacuna_id` before the line that ends the properties.
_OWN_NOTE = re.compile(rb"---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?lacuna_id[ \t]*:")


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was last scanned. `path` is absolute."""

    path: str
    size: int
    mtime_ns: int


def files(roots: Sequence[Path]) -> Iterator[File]:
    """List every document in folders and among single files, each once, sorted by path.

    Skips hidden files, broken links and links that lead out of their folder, anything that is not a
    regular file, and names that are not valid text (no database can store them).
    """
    seen: set[str] = set()
    for root in roots:
        for path in [root] if root.is_file() else _documents(root):
            found = _seen(path)
            if found is not None and found.path not in seen:
                seen.add(found.path)
                yield found


def is_document(path: Path) -> bool:
    """Return whether a file is of a readable kind, by its name."""
    return path.suffix.lower() in SUFFIXES


def contains(roots: Sequence[Path], path: Path) -> bool:
    """Return whether a file is in the library after resolving links."""
    real = path.resolve()
    return any(real.is_relative_to(root.resolve()) for root in roots)


def read_capped(path: Path) -> bytes:
    """Read a document. Raises OSError, and ExtractError when it is too large or not a file.

    What was a file when it was listed may be a pipe or a device by now: opening it must not wait.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 a descriptor has no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ExtractError("it is not a file")
        body = file.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ExtractError(f"the document is larger than {MAX_BYTES / 1e6:g} MB")
    return body


def is_own_note(path: Path, body: bytes) -> bool:
    """Return whether Lacuna wrote a note, by its properties: a library may contain the vault or its
    inbox.
    """
    is_markdown = media_type(path) == "text/markdown"
    head = body[:_MAX_PROPERTIES].removeprefix(codecs.BOM_UTF8)
    return is_markdown and _OWN_NOTE.match(head) is not None


def media_type(path: Path) -> str:
    """Return a file's media type by its suffix, the same on every system."""
    suffix = path.suffix.lower()
    return _TYPES.get(suffix) or mimetypes.types_map.get(suffix, "text/plain")


def _documents(root: Path) -> Iterator[Path]:
    return filter(is_document, folder_files(root))


def folder_files(root: Path) -> Iterator[Path]:
    """List the files in a folder, whatever their kind, sorted by path.

    Skips hidden files and folders, and links that lead out of the folder.
    """
    inside = root.resolve()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith("."):
                continue
            if not path.is_symlink() or _leads_inside(path, inside):
                yield path


def _leads_inside(link: Path, folder: Path) -> bool:
    """Return whether a link leads to something in the resolved `folder`, without a cycle."""
    try:
        return link.resolve(strict=True).is_relative_to(folder)
    except (OSError, RuntimeError):
        return False


def _seen(path: Path) -> File | None:
    try:
        str(path).encode()
        status = path.stat()
    except (OSError, UnicodeEncodeError):
        return None
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would never end
        return None
    return File(str(path), status.st_size, status.st_mtime_ns)
