"""The library's folder, read: which documents there are, and what is in each of them."""

import mimetypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from daemon.adapters.extract import kind_of
from daemon.adapters.extract_cache import CachedExtractor, text_key
from daemon.adapters.sources.passages import passages
from daemon.model.errors import ExtractError
from daemon.ports import Extracted, Extractor

SUFFIXES = frozenset({".md", ".markdown", ".txt", ".text", ".html", ".htm", ".xhtml", ".pdf"})
MAX_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Book:
    """A document of the library, with what it says of itself. `key` changes with its text."""

    path: Path
    key: str
    title: str
    authors: tuple[str, ...]
    published: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A document that could not be read, and why."""

    path: Path
    why: str


_Stamp = tuple[int, int]


class Shelf:
    """Reads the folder; what did not change since the last look is not read again."""

    def __init__(self, root: Path, extractor: Extractor, cache_dir: Path) -> None:
        self.root = root
        self._extractor = CachedExtractor(extractor, cache_dir / "texts")
        self._known: dict[Path, tuple[_Stamp, Book | Unread]] = {}

    def read(self) -> tuple[list[Book], list[Unread]]:
        """Return the documents that could be read, in the order of their paths, and the others."""
        known: dict[Path, tuple[_Stamp, Book | Unread]] = {}
        for path in sorted(documents(self.root)):
            stamp = _stamp(path)
            if stamp is None:
                continue
            before = self._known.get(path)
            same = before is not None and before[0] == stamp
            known[path] = before if before is not None and same else (stamp, self._read(path))
        self._known = known
        found = [entry for _, entry in known.values()]
        books = [entry for entry in found if isinstance(entry, Book)]
        return books, [entry for entry in found if isinstance(entry, Unread)]

    def _read(self, path: Path) -> Book | Unread:
        try:
            body = read_capped(path)
            media = media_type(path)
            told = self._extractor.extract(body, content_type=media, url=path.as_uri())
            key = text_key(body, kind_of(body, content_type=media, url=path.as_uri()))
        except ExtractError as error:
            return Unread(path, str(error))
        except OSError as error:
            return Unread(path, error.strerror or "cannot be read")
        return Book(
            path=path,
            key=key,
            title=_title(path, told),
            authors=told.authors,
            published=told.published,
            passages=tuple(passages(told.text)),
        )


def documents(root: Path) -> Iterator[Path]:
    """Find every document under `root`; hidden ones and links that lead out of it are skipped."""
    inside = root.resolve()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in SUFFIXES:
                continue
            if path.resolve().is_relative_to(inside) and path.is_file():
                yield path


def read_capped(path: Path) -> bytes:
    """Read a document. Raises OSError, and ExtractError when it is too large."""
    with path.open("rb") as file:
        body = file.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ExtractError(f"the document is larger than {MAX_BYTES / 1e6:g} MB")
    return body


def media_type(path: Path) -> str:
    """Name a file's media type by its suffix, the same on every system."""
    if path.suffix.lower() in (".md", ".markdown"):
        return "text/markdown"
    return mimetypes.types_map.get(path.suffix.lower(), "text/plain")


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _title(path: Path, told: Extracted) -> str:
    return " ".join(told.title.split()) or path.stem.replace("-", " ").replace("_", " ").strip()
