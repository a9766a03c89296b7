"""Hide some of a vault's links, with their text, to see whether they would be found again."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from daemon.analysis.graph import LinkGraph
from vault_adapters.base import Resolver, VaultAdapter
from vault_adapters.linktext import WIKILINK
from vault_adapters.note import Link, Note, Scan

# What may be the whole text of a link, in any kind of vault. Whether it is one, and where it
# points, only the vault's own adapter decides.
_TEXT = r"\[(?:[^\[\]\n]|\n(?!\n)|!?\[[^\[\]\n]{0,300}\](?:\([^()\n]{0,500}\))?){0,500}+\]"
_MARKUP = re.compile(
    rf"""
    [!\#]?{WIKILINK}
  | !?{_TEXT} (?: \((?:[^()\n]|\([^()\n]{{0,300}}\)){{0,1000}}\) | \[[^\[\]\n]*\] )?
  | \(\([^()\n]{{1,200}}\)\)
  | (?<![\w\#@/]) [\#@] \w[\w/.\-]*
    """,
    re.VERBOSE,
)
_DEFINITION = re.compile(r"^[ ]{0,3}(\[(?!\^)[^\[\]\n]+\]):[ \t]*\S.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HiddenLink:
    """A hidden link, together with its reverse, if there was one."""

    source: str
    target: str


def choose(
    graph: LinkGraph, *, share: float, seed: int, limit: int | None = None
) -> tuple[HiddenLink, ...]:
    """Pick a share of the pairs of linked notes, in path order, at most `limit`.

    Two notes that link to each other are one pair: they are unlinked only without both links. The
    choice depends only on their names and the seed, so that after one more link mostly the same
    pairs are picked.
    """
    pairs: dict[tuple[str, str], HiddenLink] = {}
    for source in graph.notes:
        for target in graph.out[source]:
            pair = min(source, target), max(source, target)
            pairs.setdefault(pair, HiddenLink(source, target))
    most = max(1, round(len(pairs) * share))
    picked = sorted(pairs, key=lambda pair: _tie_breaker(pair, seed))[:most][:limit]
    return tuple(pairs[pair] for pair in sorted(picked))


class HidingAdapter:
    """A vault without some of its links; everything else comes from its adapter."""

    def __init__(
        self,
        adapter: VaultAdapter,
        hidden: Iterable[HiddenLink],
        names: Mapping[str, Iterable[str]],
    ) -> None:
        """Take `names` as `VaultAdapter.resolver` does."""
        self._adapter = adapter
        self._hidden: dict[str, set[str]] = {}
        for link in hidden:
            self._hidden.setdefault(link.source, set()).add(link.target)
            self._hidden.setdefault(link.target, set()).add(link.source)
        self._resolver = adapter.resolver((file.path for file in adapter.scan().files), names)

    @property
    def name(self) -> str:
        return self._adapter.name

    @property
    def root(self) -> Path:
        return self._adapter.root

    @property
    def reads_as(self) -> str:
        return self._adapter.reads_as

    def scan(self) -> Scan:
        return self._adapter.scan()

    def ignores(self, path: str) -> bool:
        return self._adapter.ignores(path)

    def load(self, path: str) -> bytes:
        return self._adapter.load(path)

    def recall(self, path: str, digest: str) -> bytes:
        return self._adapter.recall(path, digest)

    def read(self, path: str) -> Note:
        return self.parse(path, self.load(path))

    def resolver(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Resolver:
        return self._adapter.resolver(paths, names)

    def link_names(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Mapping[str, str] | None:
        return self._adapter.link_names(paths, names)

    def parse(self, path: str, data: bytes) -> Note:
        """Parse a note as if it had never contained the hidden links.

        All markup of a hidden link is removed from the body; of the frontmatter, whose text is not
        searched, only the links are.
        """
        note = self._adapter.parse(path, data)
        if path not in self._hidden:
            return note
        lines = note.text.split("\n")
        body = "\n".join(lines[note.body_line :])
        for markup in self._markup(path, body):
            body = body.replace(markup, "")
        cut = self._reparsed(note, [*lines[: note.body_line], *body.split("\n")])
        left = {link.line for link in cut.links if link.line >= cut.body_line} & {
            link.line for link in self._leading_to_hidden(cut)
        }
        if left:  # an unknown spelling: remove the whole line
            lines = cut.text.split("\n")
            cut = self._reparsed(cut, ["" if n in left else line for n, line in enumerate(lines)])
        gone = set(self._leading_to_hidden(cut))
        return replace(cut, links=tuple(link for link in cut.links if link not in gone))

    def _reparsed(self, note: Note, lines: Sequence[str]) -> Note:
        return self._adapter.parse(note.path, "\n".join(lines).encode("utf-8", "replace"))

    def _leading_to_hidden(self, note: Note) -> Iterator[Link]:
        hidden = self._hidden[note.path]
        return (link for link in note.links if self._resolver.resolve(link, note.path) in hidden)

    def _markup(self, path: str, body: str) -> list[str]:
        """Return the texts of the hidden links in a body, and of their definitions, longest
        first.
        """
        defined = list(_DEFINITION.finditer(body))
        definitions = "\n".join(each[0] for each in defined)
        tried = {each[0]: f"{each[0]}\n\n{definitions}" for each in _MARKUP.finditer(body)}
        tried |= {each[0]: f"{each[1]}\n\n{each[0]}" for each in defined}
        found = [
            markup
            for markup, alone in tried.items()
            if any(self._leading_to_hidden(self._adapter.parse(path, alone.encode())))
        ]
        return sorted(found, key=lambda markup: (-len(markup), markup))


def _tie_breaker(pair: tuple[str, str], seed: int) -> bytes:
    return blake2b(f"{seed}\0{pair[0]}\0{pair[1]}".encode(), digest_size=8).digest()
