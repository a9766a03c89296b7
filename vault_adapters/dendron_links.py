"""Links in Dendron's notes and their targets.

The rules are those of Dendron's own code (github.com/dendronhq/dendron): `parseLinkV2`,
`parseNoteRefRaw` and `getLinks` in packages/unified/src/remark/utils.ts, HASHTAG_REGEX in
remark/hashtag.ts, USERTAG_REGEX in remark/userTags.ts, `findByFname` in
packages/common-all/src/noteDictsUtils.ts.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from posixpath import normpath

from vault_adapters.dendron_settings import DendronSettings
from vault_adapters.inline import NOTHING, Found, token_pattern
from vault_adapters.inline_plain import PlainScanner
from vault_adapters.linktext import split_target
from vault_adapters.note import Link, LinkKind, Tag

URI = "dendron://"
TAGS, USERS = "tags.", "user."

_PUNCTUATION = r",;:'\"<>()?!`~«‹»›„“‟”’❝❞❮❯⹂〝〞〟＂‚‘‛❛❜❟［］【】…‥「」『』·؟،।॥‽⸘¡¿⁈⁉"
_IN_TAG = rf"[^@\#|\[\]\s{_PUNCTUATION}]"
_OUTSIDE = re.compile(rf"(?!{URI})[a-zA-Z][a-zA-Z0-9+.-]*://")
_ENDS = re.compile(r"[|>]")
_SIGNS = re.compile(r"[\[#@]")


class DendronScanner(PlainScanner):
    """Reads `[[alias|note.path#header]]`, `![[note.path]]`, `#tag.name` and `@user.name`."""

    tokens = token_pattern(
        rf"(?P<user> @{_IN_TAG}++ ) |", signs="@", tag=rf"(?=[^0-9.]){_IN_TAG}++"
    )

    def _take(self, found: re.Match[str]) -> int:
        if found.lastgroup != "user":
            return super()._take(found)
        self._name(found, USERS)
        return found.end()

    def _parts(self, source: str) -> tuple[str, str, str | None] | None:
        parts = split_link(source)
        return None if _OUTSIDE.match(parts[0]) else parts

    def _tag(self, found: re.Match[str]) -> None:
        name = self._name(found, TAGS)
        if name:
            self._tags.append(Tag(name, self._line_at(found.start())))

    def _name(self, found: re.Match[str], hierarchy: str) -> str:
        """Return the note name to which a tag links; "" if it is not a tag."""
        start = found.start()
        if start and not self._text[start - 1].isspace():
            return ""
        name = found[0].rstrip(".")
        if len(name) > 1:
            link = tag_link(hierarchy + name[1:], name, self._line_at(start))
            self._links.append((start, link))
        return name if len(name) > 1 else ""


def scan_dendron(text: str, line: int) -> Found:
    """Find the links and tags of one block's text, which begins on `line`."""
    if _SIGNS.search(text) is None:
        return NOTHING
    return DendronScanner(text, line).run()


def split_link(source: str) -> tuple[str, str, str | None]:
    """Return target, subpath and alias of `[[source]]`: the alias comes first.

    The subpath of a note reference may be a range (`#from,1:#to`).
    """
    alias, bar, rest = source.partition("|")
    if not bar:
        alias, rest = "", source
    target, subpath = split_target(_ENDS.split(rest, maxsplit=1)[0])
    return target, subpath, alias.strip().removesuffix("\\").rstrip() if bar else None


def tag_link(target: str, shown: str, line: int, key: str = "") -> Link:
    return Link(unicodedata.normalize("NFC", target), "", shown, LinkKind.TAG, line, key)


class DendronResolver:
    """Finds the note that a link names, or the file.

    A note is identified by its name, the whole hierarchy with dots, ignoring case. Of notes with
    one name in several vaults, the one in the source's own vault comes first, then that of the
    vault listed first. `dendron://vault/note` is searched for in that vault only. A link that names
    no note is a file, relative to its own vault or the workspace. `note.*` stands for all notes
    below, and points to the first of them.
    """

    def __init__(self, paths: Iterable[str], settings: DendronSettings) -> None:
        self._vaults = settings.vaults
        self._names = settings.names
        self._folders = {vault.folder: vault.name for vault in reversed(settings.vaults)}
        self._files: dict[str, str] = {}
        self._notes: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for path in sorted(paths, reverse=True):
            self._files[_key(path)] = path
            folder, _, name = path.rpartition("/")
            if folder in self._folders and name.lower().endswith(".md"):
                self._notes[_key(name[:-3])][folder] = path

    def resolve(self, link: Link, source: str) -> str | None:
        """Return the vault-relative path that `link` in the note `source` points to, or None."""
        target = link.target
        if not target:
            return source if link.subpath else None
        if target.startswith(("/", "./", "../")):
            return self._path(target, source)
        vault, name = _split_uri(target)
        if link.kind is LinkKind.TAG:
            return self._note(name, vault, source)
        return self._note(name, vault, source) or self._file(name, vault, source)

    def names(self) -> dict[str, str]:
        """Return a link text for each note that works anywhere, by the note's path."""
        found = {}
        for places in self._notes.values():
            for folder, path in places.items():
                name, vault = path.rpartition("/")[2][:-3], self._folders[folder]
                if name.endswith("*"):  # that would stand for all notes below it
                    continue
                if len(places) == 1:
                    found[path] = name
                elif vault:
                    found[path] = f"{URI}{vault}/{name}"
        return found

    def _note(self, name: str, vault: str | None, source: str) -> str | None:
        if name.endswith("*"):
            return self._first_below(name[:-1], vault, source)
        key = _key(name.removesuffix(".md")).replace("/", ".")
        found = self._notes.get(key, {})
        return next((found[f] for f in self._in_order(vault, source) if f in found), None)

    def _first_below(self, begin: str, vault: str | None, source: str) -> str | None:
        key = _key(begin)
        folders = self._in_order(vault, source)
        names = (name for name in self._notes if name.startswith(key))
        below = sorted(
            (folders.index(f), name, f) for name in names for f in self._notes[name] if f in folders
        )
        return self._notes[below[0][1]][below[0][2]] if below else None

    def _in_order(self, vault: str | None, source: str) -> list[str]:
        """Return the folders of the vaults in which a name is searched for."""
        if vault is not None and vault in self._names:
            return [each.folder for each in self._vaults if each.name == vault]
        if vault is not None and self._names:
            return []
        own = source.rpartition("/")[0]
        return sorted((v.folder for v in self._vaults), key=lambda folder: folder != own)

    def _file(self, name: str, vault: str | None, source: str) -> str | None:
        folders = (
            [*self._in_order(vault, source), ""]
            if vault is None
            else (self._in_order(vault, source))
        )
        places = (_key(normpath(f"{folder}/{name}".lstrip("/"))) for folder in folders)
        return next((self._files[place] for place in places if place in self._files), None)

    def _path(self, target: str, source: str) -> str | None:
        """Follow a Markdown link: from the note, and from its vault or the workspace after `/`."""
        own = source.rpartition("/")[0]
        for folder in (own, "") if target.startswith("/") else (own,):
            place = normpath(f"{folder}/{target.lstrip('/')}".lstrip("/"))
            for key in (_key(place), _key(f"{place}.md")):
                if key in self._files:
                    return self._files[key]
        return None


def _split_uri(target: str) -> tuple[str | None, str]:
    if not target.startswith(URI):
        return None, target
    vault, _, name = target[len(URI) :].partition("/")
    return vault, name


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).lower()
