"""Links, tags and block ids in the text of one block of Markdown."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from markdown_it.common.utils import unescapeAll

from vault_adapters.linktext import WIKILINK, split_destination, split_wikilink
from vault_adapters.note import Link, LinkKind, Tag

# Characters that end a tag; all others, including emoji and CJK punctuation, are part of it.
_NO_TAG = r"\u2000-\u206F\u2E00-\u2E7F'!\"\#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s"
_TAG = re.compile(rf"[^{_NO_TAG}]+")
_BLOCK_ID = re.compile(r"(?:^|\s)\^([a-zA-Z0-9-]+)\s*$")

_TITLE = r"""(?:"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|\((?:\\.|[^()\\])*+\))"""
_PART = r"\\[!-/:-@\[-`{-~]?|[^\s()\\]"
_DESTINATION = re.compile(
    rf"""\(\s*+
    (?:<(?P<angle>(?:\\.|[^<>\\\n])*+)>
      |(?P<bare>(?:{_PART}|\((?:{_PART}|\((?:{_PART})*+\))*+\))*+))
    (?:\s++{_TITLE})?+\s*+\)""",
    re.VERBOSE,
)
_SIGNS = r"\\`<$!\[\]\#"  # first characters of the tokens
_MATH_END = re.compile(r"(?<![\s\\])\$(?!\d)")
_BEFORE_TAG = frozenset("*_~=")


_LINE_END = re.compile("\n")

# Characters of a link's text that are kept: nested links would otherwise be copied without end.
MAX_DISPLAY = 1_000


class Found(NamedTuple):
    """The content of one block of text, in order."""

    links: Sequence[Link]
    tags: Sequence[Tag]


NOTHING = Found((), ())


class Tokens(NamedTuple):
    """The pattern of all tokens, and that of the signs with which one can begin."""

    signs: re.Pattern[str]
    token: re.Pattern[str]

    def search(self, text: str, at: int) -> re.Match[str] | None:
        """Find the next token, as the pattern's own `search` does; finding the signs first is
        faster.
        """
        sign, token = self.signs.search, self.token.match
        while (begins := sign(text, at)) is not None:
            if (found := token(text, begins.start())) is not None:
                return found
            at = begins.end()
        return None


class Opener(NamedTuple):
    """A `[` or `![` that is not closed yet."""

    start: int
    end: int
    image: bool


def token_pattern(
    first: str = "",
    *,
    signs: str = "",
    wiki: str = WIKILINK,
    tag: str = rf"[^{_NO_TAG}]++",
) -> Tokens:
    """Return the pattern of all significant signs, for a scanner.

    `first` are alternatives that precede all but escapes, each a named group followed by a `|`, and
    `signs` are the characters with which they begin: most others are skipped at once. Possessive
    throughout: on any text, each character is examined only a few times.
    """
    token = re.compile(
        rf"""
    (?:
    (?P<escape>  \\[!-/:-@\[-`{{-~] )
  | {first}
    (?P<code>    `++ )
  | (?P<comment> <!-- )
  | (?P<html>    </?[a-zA-Z][a-zA-Z0-9-]*+(?:\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+)?/?>
               | <[a-zA-Z][a-zA-Z0-9+.-]*+:[^<>\s]*+> )
  | (?P<math>    \$\$? )
  | (?P<wiki>    !?{wiki} )
  | (?P<open>    !?\[ )
  | (?P<close>   \] )
  | (?P<tag>     \#{tag} )
    )
    """,
        re.VERBOSE,
    )
    return Tokens(re.compile(rf"[{_SIGNS}{re.escape(signs)}]"), token)


def scan_inline(text: str, line: int) -> Found:
    """Find the links and tags of one block's text, which begins on `line`, as Obsidian does.

    Code, math, HTML tags, HTML comments and escaped text contain no links and no tags. `%%` within
    a block hides nothing: Obsidian counts what it encloses.
    """
    if "[" not in text and "#" not in text:
        return NOTHING
    return Scanner(text, line).run()


def destination_of(found: re.Match[str]) -> str:
    """Return the content of `<…>`, or bare text, without escapes."""
    return unescapeAll(found["angle"] if found["angle"] is not None else found["bare"])


def is_tag(name: str) -> bool:
    """Return whether `name` (without `#`) can be a tag: one word that is not only digits."""
    return bool(_TAG.fullmatch(name)) and not _is_number(name)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()  # JavaScript counts no other characters as digits


def block_id(text: str) -> str | None:
    """Return the id in `^id` at the end of a block's text."""
    found = _BLOCK_ID.search(text, max(0, text.rfind("^") - 1)) if "^" in text else None
    return found[1] if found else None


class Scanner:
    """Scans a text once, from one significant sign to the next.

    Tools other than Obsidian have a scanner of their own, which overrides the meaning of some
    signs.
    """

    tokens: ClassVar[Tokens] = token_pattern()

    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._line = line
        self._counted = 0  # up to where line ends are counted in _line
        self._ends: list[int] | None = None  # line ends, once a line was requested out of order
        self._links: list[tuple[int, Link]] = []
        self._tags: list[Tag] = []
        self._openers: list[Opener] = []
        self._unclosed: set[str] = set()  # marks that are known to have no end further on
        self._after = 0  # where the last construct ended

    def run(self) -> Found:
        at, text, search = 0, self._text, self.tokens.search
        while (found := search(text, at)) is not None:
            at = self._take(found)
        self._links.sort(key=lambda item: item[0])
        return Found([link for _, link in self._links], self._tags)

    def _take(self, found: re.Match[str]) -> int:
        """Take one token and return where to continue."""
        kind = found.lastgroup
        if kind == "wiki":
            self._wikilink(found)
        elif kind == "tag":
            self._tag(found)
            return found.end()
        elif kind == "open":
            self._openers.append(Opener(found.start(), found.end(), found[0][0] == "!"))
            return found.end()
        elif kind == "close":
            return self._close(found.end())
        elif kind in ("code", "comment", "math"):
            end = self._end_of(found)
            if end is None:
                return found.end()
            self._after = end
            return end
        self._after = found.end()
        return found.end()

    def _wikilink(self, found: re.Match[str]) -> None:
        embed = found[0][0] == "!"
        parts = self._parts(found[0][3:-2] if embed else found[0][2:-2])
        if parts is not None:
            kind = LinkKind.EMBED if embed else LinkKind.LINK
            self._links.append((found.start(), Link(*parts, kind, self._line_at(found.start()))))

    def _parts(self, source: str) -> tuple[str, str, str | None] | None:
        """Return target, subpath and display text of `[[source]]`, None if it is external."""
        return split_wikilink(source)

    def _tag(self, found: re.Match[str]) -> None:
        start = found.start()
        before = self._text[start - 1 : start]
        if start not in (0, self._after) and not before.isspace() and before not in _BEFORE_TAG:
            return
        if not _is_number(found[0][1:]):
            self._tags.append(Tag(found[0], self._line_at(start)))

    def _close(self, end: int) -> int:
        """Handle a `]` before `end`: followed by `(…)`, it ends a Markdown link."""
        if not self._openers:
            return end
        opener = self._openers.pop()
        found = _DESTINATION.match(self._text, end)
        if found is None:
            return self._no_destination(opener, end)
        self._markdown_link(opener, end, destination_of(found))
        if not opener.image:  # links do not nest: what was opened before this one is not a link
            self._openers = [other for other in self._openers if other.image]
        self._after = found.end()
        return found.end()

    def _no_destination(self, opener: Opener, end: int) -> int:
        """Handle text in brackets without a destination, up to `end`: nothing to Obsidian."""
        return end

    def _markdown_link(self, opener: Opener, end: int, destination: str) -> None:
        parts = split_destination(destination)
        if parts is not None:
            self._add(opener, end, *parts)

    def _add(self, opener: Opener, end: int, target: str, subpath: str) -> None:
        """Take a link whose text is between `opener` and the `]` before `end`."""
        kind = LinkKind.EMBED if opener.image else LinkKind.LINK
        display = self._text[opener.end : min(end - 1, opener.end + MAX_DISPLAY)]
        link = Link(target, subpath, display, kind, self._line_at(opener.start))
        self._links.append((opener.start, link))

    def _end_of(self, found: re.Match[str]) -> int | None:
        """Return where the code, comment or math that begins here ends, None if it does not."""
        mark = found[0]
        if mark in self._unclosed:
            return None
        end = self._find_end(found.lastgroup, mark, found.end())
        if end is None:
            self._unclosed.add(mark)
        return end

    def _find_end(self, kind: str | None, mark: str, start: int) -> int | None:
        text = self._text
        if kind == "code":
            closing = re.compile(rf"(?<!`){mark}(?!`)").search(text, start)
            return closing.end() if closing else None
        if mark == "$":
            if text[start : start + 1].isspace():
                return start
            closing = _MATH_END.search(text, start + 1)
            return closing.end() if closing else None
        mark = "-->" if kind == "comment" else mark
        at = text.find(mark, start)
        return at + len(mark) if at >= 0 else None

    def _line_at(self, position: int) -> int:
        """Return the line of a position. Called mostly in order, so lines are counted only once."""
        if position < self._counted:
            if self._ends is None:
                self._ends = [found.start() for found in _LINE_END.finditer(self._text)]
            ends = self._ends
            return self._line - (bisect_left(ends, self._counted) - bisect_left(ends, position))
        self._line += self._text.count("\n", self._counted, position)
        self._counted = position
        return self._line
