"""A folder of Markdown files of no particular tool: Foam, Zettlr, zk, or none."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from posixpath import normpath

from vault_adapters.base import Resolver
from vault_adapters.folder import FolderAdapter
from vault_adapters.links import LinkResolver
from vault_adapters.note import Link, Note

# Files that stand for a linked folder, as on most sites.
INDEXES = ("README.md", "index.md", "_index.md")

# Zettlr's default pattern of an id (`zkn.idRE`), also without the brackets of a link.
_ID = re.compile(r"[0-9]{14}(?<!\[\[.{14})(?<![0-9]{15})(?![0-9])(?!\]\])")
# A timestamp at the start of a file's name or of a link is an id, whatever its precision.
_LEADING = re.compile(r"(\d{8,17}[a-z]{0,3})(?![^\W_])")


class PlainAdapter(FolderAdapter):
    """Reads a folder of Markdown files: Markdown links are paths, wikilinks are names.

    Foam's link definitions are followed (see `inline_plain`). A note's id is in `Note.names`:
    Zettlr takes the first one in the file's name, or else in its text (`extractFileId` in Zettlr's
    sources); an `id` in a note's frontmatter counts, too.
    """

    name = "plain"
    suffixes = (".md", ".markdown")

    @property
    def reads_as(self) -> str:
        """The kind of vault, and whether zk manages it."""
        return f"{self.name} {self._is_zk()}"

    def parse(self, path: str, data: bytes) -> Note:
        """Parse one note or canvas; no content is an error."""
        note = super().parse(path, data)
        names = tuple(dict.fromkeys(_ids(note)))
        return replace(note, names=names) if names else note

    def resolver(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Resolver:
        """Build a resolver over all paths of the vault, including attachments, and the notes'
        ids.
        """
        return PlainResolver(paths, names, is_zk=self._is_zk())

    def _is_zk(self) -> bool:
        return (self.root / ".zk").is_dir()


class PlainResolver:
    """Resolves Markdown links from the note's folder, or from the root after a leading `/`.

    The suffix of a note is optional, the case may differ if nothing else matches, and a folder
    stands for its README or index. A path with a folder in it that is not found from the note's
    folder is tried from the root: people write such links, and some tools follow them.

    Wikilinks are resolved by name, as in Obsidian; then by id: `[[20230101120000]]` and
    `[[20230101120000 Title]]` point to the note with that id, in its name or in its text. In a zk
    notebook (a folder with `.zk`) a part of a file's name is enough, and then a part of its path,
    the shortest path first (`FindIdsByHref` in zk's internal/adapter/sqlite/note_dao.go).
    """

    def __init__(
        self,
        paths: Iterable[str],
        names: Mapping[str, Iterable[str]] | None = None,
        *,
        is_zk: bool = False,
    ) -> None:
        known = sorted(paths)
        self._paths = {_nfc(path): path for path in known}
        self._lower = {_nfc(path).lower(): path for path in reversed(known)}
        self._names = LinkResolver(known)
        self._ids: dict[str, str] = {}
        for name, path in (*_named_ids(known), *_stated_ids(names or {})):
            self._ids.setdefault(name, path)
        self._parts = _Parts(known) if is_zk else None

    def resolve(self, link: Link, source: str) -> str | None:
        """Return the vault-relative path that `link` in the note `source` points to, or None."""
        if not link.target.startswith(("/", "./", "../")):
            return self._names.resolve(link, source) or self._by_part(link.target)
        own = "" if link.target.startswith("/") else source.rpartition("/")[0]
        for folder in (own, "") if own and "/" in link.target.removeprefix("./") else (own,):
            path = normpath(f"{folder}/{link.target}".lstrip("/"))
            if not path.startswith("../") and (found := self._find(_nfc(path))):
                return found
        return None

    def _by_part(self, target: str) -> str | None:
        """Find a note by its id, or in a zk notebook by a part of its path."""
        leading = _LEADING.match(target)
        found = self._ids.get(target) or (self._ids.get(leading[1]) if leading else None)
        if found is None and self._parts is not None and target:
            found = self._parts.find(target)
        return found

    def _find(self, path: str) -> str | None:
        folder = "" if path == "." else f"{path}/"
        names = [path, *(path + suffix for suffix in PlainAdapter.suffixes)]
        names += [folder + index for index in INDEXES]
        found = next((self._paths[name] for name in names if name in self._paths), None)
        if found is not None:
            return found
        lower = (name.lower() for name in names)
        return next((self._lower[name] for name in lower if name in self._lower), None)


class _Parts:
    """Finds notes by a part of their file's name or path: one search through one text."""

    def __init__(self, paths: Iterable[str]) -> None:
        notes = (path for path in paths if path.lower().endswith(PlainAdapter.suffixes))
        self._notes = sorted(notes, key=lambda path: (len(path), path))
        names = [_nfc(path.rpartition("/")[2]) for path in self._notes]
        self._texts = [_Lines(names), _Lines([_nfc(path) for path in self._notes])]

    def find(self, part: str) -> str | None:
        for lines in self._texts:
            at = lines.find(part)
            if at is not None:
                return self._notes[at]
        return None


class _Lines:
    """Many short texts, searched as one."""

    def __init__(self, texts: list[str]) -> None:
        self._text = "\n".join(texts)
        self._ends = list(accumulate(len(text) + 1 for text in texts))

    def find(self, part: str) -> int | None:
        at = self._text.find(part)
        return None if at < 0 else bisect_right(self._ends, at)


def _ids(note: Note) -> Iterator[str]:
    """Return the id that a note states, if its file's name does not."""
    ids = note.frontmatter.get("id")
    if isinstance(ids, str | int) and 0 < len(str(ids).strip()) <= 100:
        yield str(ids).strip()
    if not _ID.search(note.title) and (found := _ID.search(note.text)):
        yield found[0]


def _named_ids(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return the ids in the names of files, each with the path."""
    for path in paths:
        if path.lower().endswith(PlainAdapter.suffixes):
            name = path.rpartition("/")[2]
            if found := _ID.search(name):
                yield found[0], path
            if found := _LEADING.match(name):
                yield found[1], path


def _stated_ids(names: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    for path in sorted(names):
        yield from ((name, path) for name in names[path])


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", path)
