"""Resolve links: Obsidian's rules, as a pure function of all paths of the vault."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from vault_adapters.note import Link


class LinkResolver:
    """Resolves links as Obsidian does, whatever link format its settings name for new links.

    A link names a file: the last part of its target, ignoring case, must be a file's whole name or,
    failing that, the name of a note without `.md`. Aliases and titles do not count. Of several
    files with that name, the first match is used:

    1. `./` and `../` are followed from the source's folder (and tried as a plain path after that).
    2. The target is the whole path from the root. A target that begins with `/` must be.
    3. The path ends with the target: below the source's own folder first, then the shortest path,
       then the alphabet. The end need not begin at a `/`.

    Of twins that differ only in case, the one written as in the link comes first; Obsidian takes
    the one it saw first.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._named: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for path in paths:
            key = _key(path)
            self._named[_name(key)].append((key, path))
        for files in self._named.values():
            files.sort(key=lambda file: (len(file[1]), file[1]))

    def resolve(self, link: Link, source: str) -> str | None:
        """Return the vault-relative path that `link` in the note `source` points to, or None."""
        if not link.target:
            return source if link.subpath else None
        return self.find(link.target, source)

    def find(self, target: str, source: str) -> str | None:
        """Return the path that a link target in the note `source` points to, or None."""
        key, files = self._candidates(target)
        if not files:
            return None
        if len(files) == 1 and "/" not in key:
            return files[0][1]
        return _exact(key, files, source, target) or _ending(key, files, source, target)

    def _candidates(self, target: str) -> tuple[str, list[tuple[str, str]]]:
        key = _key(target)
        name = _name(key)
        files = self._named.get(name) if "." in name else None
        if files is None:
            key += ".md"
            files = self._named.get(name + ".md", [])
        return key, files


def _exact(key: str, files: list[tuple[str, str]], source: str, target: str) -> str | None:
    """Return the file whose whole path is `key`, relative to the source's folder or the root."""
    whole = _from_folder(key, _folder(_key(source)))
    return _written([path for path_key, path in files if path_key == whole.lstrip("/")], target)


def _ending(key: str, files: list[tuple[str, str]], source: str, target: str) -> str | None:
    """Return the nearest file whose path ends with `key`."""
    if target.startswith("/"):
        return None
    folder = _folder(_key(source))
    whole = _from_folder(key, folder)
    ending = [file for file in files if file[0].endswith(whole)]
    below = [file for file in ending if not folder or file[0].startswith(folder + "/")]
    nearest = below or ending
    return _written([path for path_key, path in nearest if path_key == nearest[0][0]], target)


def _written(twins: list[str], target: str) -> str | None:
    """Return, of paths that differ only in case, the one spelled as the target."""
    if len(twins) <= 1:
        return twins[0] if twins else None
    name = _name(target)
    exact = (path for path in twins if _name(path) in (name, name + ".md"))
    return next(exact, twins[0])


def _from_folder(key: str, folder: str) -> str:
    """Follow a leading `./` or `../` from `folder`; anything else is returned unchanged."""
    if not key.startswith(("./", "../")):
        return key
    while key.startswith(("./", "../")):
        if key.startswith("../"):
            folder = _folder(folder)
        key = key.partition("/")[2]
    return f"{folder}/{key}" if folder else key


def _key(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", path).lower()


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
