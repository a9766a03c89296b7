"""Links in Logseq's pages and their targets.

The rules are those of Logseq's graph parser (deps/graph-parser/src/logseq/graph_parser in
github.com/logseq/logseq): `get-page-reference` and `get-block-reference` in block.cljs,
`title-parsing` and `page-name-sanity-lc` in util.cljs, `extract-page-refs-and-tags` in text.cljs.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from posixpath import normpath
from urllib.parse import unquote

from vault_adapters.inline import MAX_DISPLAY, NOTHING, Found, Opener, token_pattern
from vault_adapters.inline_plain import PlainScanner
from vault_adapters.linktext import WIKILINK
from vault_adapters.logseq_dates import Journals
from vault_adapters.logseq_settings import LogseqSettings
from vault_adapters.note import Link, LinkKind, Tag

TITLE, ALIAS = "title::", "alias::"

# A page's name may contain the name of another page in brackets.
_NAME = rf"\[\[(?:[^\[\]\n]|\[(?!\[)|\](?!\])|{WIKILINK})++\]\]"
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_REFERENCE = rf"\(\({_UUID}\)\)"
_BLOCK = re.compile(rf"\(\(({_UUID})\)\)")
_NESTED = re.compile(WIKILINK)
_EMBED = re.compile(r"\{\{\s*+embed\s++(.*)\}\}", re.DOTALL | re.IGNORECASE)
_MACRO = r"\{\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}\}"
_TAG = r"(?!\+)[^\s\#\[\](){},;!?'\"`<>|“”‘’，。；！？、（）【】《》]++"
_SIGNS = re.compile(r"[\[#({]")
_PAGES = (".md", ".markdown", ".org")
_ENCODED = re.compile(r"(?:%[0-9a-fA-F]{2})+")


class LogseqScanner(PlainScanner):
    """Reads `[[page]]`, `#tag`, `#[[long tag]]`, `((block))`, `{{embed …}}` and Markdown's links.

    Other macros (queries, videos) contain no links, as in Logseq.
    """

    tokens = token_pattern(
        rf"(?P<macro> {_MACRO} ) | (?P<block> {_REFERENCE} ) |",
        signs="{(",
        wiki=_NAME,
        tag=rf"(?:{_NAME}|{_TAG})",
    )

    def _take(self, found: re.Match[str]) -> int:
        if found.lastgroup == "macro":
            if embed := _EMBED.fullmatch(found[0]):
                self._refer_to(embed[1].rstrip(), found.start(), None, LinkKind.EMBED)
        elif found.lastgroup == "block":
            self._refer_to(found[0], found.start(), None, LinkKind.LINK)
        else:
            return super()._take(found)
        self._after = found.end()
        return found.end()

    def _wikilink(self, found: re.Match[str]) -> None:
        self._refer_to(found[0].removeprefix("!"), found.start(), None, LinkKind.LINK)

    def _markdown_link(self, opener: Opener, end: int, destination: str) -> None:
        display = self._text[opener.end : min(end - 1, opener.end + MAX_DISPLAY)]
        if not self._refer_to(destination, opener.start, display, LinkKind.LINK):
            super()._markdown_link(opener, end, destination)

    def _tag(self, found: re.Match[str]) -> None:
        start = found.start()
        before = self._text[start - 1 : start]
        # `[#A]` is a priority, and a sign within a word or a path is not a tag.
        if start and start != self._after and (before.isalnum() or before in "/&#\\=["):
            return
        name = found[0][1:]
        if name.startswith("[["):
            self._refer_to(name, start, found[0], LinkKind.LINK)
            name = name[2:-2].strip()
        else:
            name = name.rstrip(".:*_~^=")
            if not name or name.isdigit():
                return
            link = page_link(name, f"#{name}", LinkKind.LINK, self._line_at(start))
            self._links.append((start, link))
        self._tags.append(Tag(f"#{name}", self._line_at(start)))

    def _refer_to(self, source: str, start: int, display: str | None, kind: LinkKind) -> bool:
        """Take `[[page]]` or `((block))`; return whether `source` is one of them."""
        line = self._line_at(start)
        if block := _BLOCK.fullmatch(source):
            self._links.append((start, block_link(block[1], display, kind, line)))
            return True
        if not (source.startswith("[[") and source.endswith("]]") and source[2:-2].strip()):
            return False
        self._links.append((start, page_link(source[2:-2], display, kind, line)))
        for inner in _NESTED.findall(source[2:-2]):
            self._links.append((start + 1, page_link(inner[2:-2], None, LinkKind.LINK, line)))
        return True


def scan_logseq(text: str, line: int) -> Found:
    """Find the links and tags of one block's text, which begins on `line`."""
    if _SIGNS.search(text) is None:
        return NOTHING
    return LogseqScanner(text, line).run()


def page_link(name: str, display: str | None, kind: LinkKind, line: int, key: str = "") -> Link:
    """A link to a page. `#` and `|` are part of a page's name."""
    target = unicodedata.normalize("NFC", name).strip()
    return Link(target, "", display, kind, line, key)


def block_link(uuid: str, display: str | None, kind: LinkKind, line: int) -> Link:
    """A link to a block, which names no page: it has no target."""
    return Link("", block_name(uuid), display, kind, line)


def block_name(uuid: str) -> str:
    return f"(({uuid.lower()}))"


def is_uuid(text: str) -> bool:
    return re.fullmatch(_UUID, text) is not None


def page_name(path: str, settings: LogseqSettings) -> str:
    """Return the name of the page in a file, unless the page states another."""
    if path.startswith(f"{settings.pages}/contents."):
        return "Contents"
    stem = path.rpartition("/")[2].rpartition(".")[0]
    if settings.triple_lowbar:
        name = _ENCODED.sub(lambda found: _decoded(found[0]), stem.replace("___", "/"))
        return "/".join(filter(None, name.split("/"))) or stem
    # Files were named `a%2Fb` or `a.b` before `a___b`; those of a newer graph are read as intended.
    name = stem.replace("___", "/") if "___" in stem else stem.replace(".", "/")
    return _decoded(name) or stem


def title_in(names: Iterable[str]) -> str:
    """Return the name that a page states, or ""."""
    titles = (name.removeprefix(TITLE) for name in names if name.startswith(TITLE))
    return next(titles, "")


class LogseqResolver:
    """Finds the page for a name, ignoring case.

    A page's name is its `title::`, or else from its file name. Next come the `alias::` of pages,
    and then the literal names of files, whatever the settings make of them. Of several pages with
    one name, those in `pages/` come before `journals/` before other folders. Names that are dates,
    in any of the formats Logseq knows, stand for the journal page of that day. Blocks are found by
    their `id::`.
    """

    def __init__(
        self,
        paths: Iterable[str],
        names: Mapping[str, Iterable[str]],
        settings: LogseqSettings,
    ) -> None:
        self._journals = Journals((settings.title_format, settings.file_format))
        self._files = {_key(path): path for path in sorted(paths, reverse=True)}
        pages = sorted(filter(_is_page, self._files.values()), key=lambda p: _rank(p, settings))
        titles = {path: tuple(names.get(path, ())) for path in pages}
        titled = {path for _, path in _names_of_kind(titles, TITLE)}
        files = ((page_name(path, settings), path) for path in pages if path not in titled)
        self._pages: dict[str, str] = {}
        stems = ((path.rpartition("/")[2].rpartition(".")[0], path) for path in pages)
        for name, path in chain(
            _names_of_kind(titles, TITLE), files, _names_of_kind(titles, ALIAS), stems
        ):
            self._pages.setdefault(self._page_key(name), path)
        self._blocks = {
            name: path for path in reversed(pages) for name in titles[path] if name.startswith("((")
        }

    def resolve(self, link: Link, source: str) -> str | None:
        """Return the vault-relative path that `link` in the note `source` points to, or None."""
        if not link.target:
            return source if link.subpath.startswith("#") else self._blocks.get(link.subpath)
        if link.kind is LinkKind.CANVAS:
            return self._files.get(_key(link.target))
        if link.target.startswith(("/", "./", "../")):
            found = self._path(link.target, source)
            if found is not None:
                return found
        return self._pages.get(self._page_key(link.target))

    def _path(self, target: str, source: str) -> str | None:
        folder = "" if target.startswith("/") else source.rpartition("/")[0]
        place = normpath(f"{folder}/{target.lstrip('/')}".lstrip("/"))
        return self._files.get(_key(place)) or self._files.get(_key(f"{place}.md"))

    def _page_key(self, name: str) -> str:
        name = unicodedata.normalize("NFC", name.strip())
        name = name.removeprefix("/").removesuffix("/")
        day = self._journals.date_of(name)
        return f"journal {day}" if day is not None else name.lower()


def _names_of_kind(names: Mapping[str, Iterable[str]], kind: str) -> Iterator[tuple[str, str]]:
    for path, each in names.items():
        for name in each:
            if name.startswith(kind):
                yield name.removeprefix(kind), path


def _is_page(path: str) -> bool:
    lower = path.lower()
    return lower.endswith(_PAGES) or (lower.startswith("whiteboards/") and lower.endswith(".edn"))


def _rank(path: str, settings: LogseqSettings) -> tuple[bool, bool, str]:
    in_pages = path.startswith(f"{settings.pages}/")
    return not in_pages, not path.startswith(f"{settings.journals}/"), path


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path).lower()
