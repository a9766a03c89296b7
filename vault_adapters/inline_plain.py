"""Links in Markdown outside of Obsidian: paths, references and their definitions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from vault_adapters.inline import MAX_DISPLAY, NOTHING, Found, Opener, Scanner, destination_of
from vault_adapters.linktext import split_path, split_wikilink
from vault_adapters.note import Link, LinkKind

_DEFINITION = re.compile(r":[ \t]*+\n?[ \t]*+(?:<(?P<angle>[^<>\n]*+)>|(?P<bare>[^\s<]\S*+))")
_REFERENCE = re.compile(r"\[([^\[\]]*+)\]")


@dataclass(frozen=True, slots=True)
class Reference(Link):
    """Text in brackets that is a link if the note defines its `label` somewhere."""

    label: str = ""


@dataclass(frozen=True, slots=True)
class Definition(Link):
    """`[label]: path`, which turns references to it into links."""

    label: str = ""


class PlainScanner(Scanner):
    """Reads Markdown links as CommonMark does.

    The target of a Markdown link is a path from the note's folder, written with a leading `./` so
    that no wikilink is taken for one.
    """

    def _markdown_link(self, opener: Opener, end: int, destination: str) -> None:
        if destination.startswith("[[") and destination.endswith("]]"):
            parts = self._parts(destination[2:-2])  # `[text]([[note]])`, as in Zettlr
            if parts is not None:
                self._add(opener, end, *parts[:2])
        elif (place := split_path(destination)) is not None:
            self._add(opener, end, as_path(place[0]), place[1])

    def _parts(self, source: str) -> tuple[str, str, str | None] | None:
        # zk and Neuron mark a link's direction with signs around it: `[[[up]]]`, `#[[up]]`.
        return split_wikilink(source.removeprefix("["))

    def _no_destination(self, opener: Opener, end: int) -> int:
        begin = opener.start
        at_line_start = not begin or self._text[begin - 1] == "\n"
        if at_line_start and not opener.image and self._text[opener.end : opener.end + 1] != "^":
            found = _DEFINITION.match(self._text, end)
            if found is not None:
                self._define(opener, end, destination_of(found))
                return found.end()
        return self._refer(opener, end)

    def _define(self, opener: Opener, end: int, destination: str) -> None:
        label = self._text[opener.end : end - 1]
        target, subpath = split_path(destination) or ("", "")
        definition = Definition(
            as_path(target), subpath, None, LinkKind.LINK, self._line_at(opener.start), label=label
        )
        self._links.append((opener.start, definition))

    def _refer(self, opener: Opener, end: int) -> int:
        found = _REFERENCE.match(self._text, end)
        if found is None and end - opener.end > MAX_DISPLAY:
            return end  # a label is never that long (CommonMark 0.31: 999 characters at most)
        display = self._text[opener.end : min(end - 1, opener.end + MAX_DISPLAY)]
        label = found[1] if found and found[1] else display
        kind = LinkKind.EMBED if opener.image else LinkKind.LINK
        line = self._line_at(opener.start)
        self._links.append((opener.start, Reference("", "", display, kind, line, label=label)))
        return found.end() if found else end


def scan_plain(text: str, line: int) -> Found:
    """Find the links and tags of one block's text, including references and definitions."""
    if "[" not in text and "#" not in text:
        return NOTHING
    return PlainScanner(text, line).run()


def follow_definitions(links: Iterable[Link]) -> Iterator[Link]:
    """Turn the references that are defined in the note into links, and drop the others.

    The definition of a wikilink gives its target: this is how Foam makes its wikilinks readable for
    other programs, and how it reads them itself (`resolveLink` in Foam's
    packages/foam-vscode/src/core/services/markdown-provider.ts).
    """
    links = list(links)
    defined: dict[str, Definition] = {}
    for link in links:
        if isinstance(link, Definition):
            defined.setdefault(_key(link.label), link)
    for link in links:
        if isinstance(link, Reference):
            definition = defined.get(_key(link.label))
            if definition is not None and (definition.target or definition.subpath):
                yield _without_marker(definition, link)
        elif not isinstance(link, Definition):
            yield _wikilink(link, defined) if defined else link


def as_path(target: str) -> str:
    """Write a Markdown link's target so that it differs from a wikilink's."""
    return target if not target or target.startswith(("/", "./", "../")) else f"./{target}"


def _wikilink(link: Link, defined: Mapping[str, Definition]) -> Link:
    if not link.target or link.target.startswith(("/", "./", "../")):
        return link
    labels = [link.target + link.subpath, link.target]
    if link.display is not None:
        labels.insert(0, f"{link.target}{link.subpath}|{link.display}")
    found = next((defined[key] for key in map(_key, labels) if key in defined), None)
    if found is None or not found.target:
        return link
    return replace(link, target=found.target, subpath=link.subpath or found.subpath)


def _without_marker(definition: Definition, link: Reference) -> Link:
    return Link(definition.target, definition.subpath, link.display, link.kind, link.line)


def _key(label: str) -> str:
    """Normalise a label: case and spaces do not matter (CommonMark 0.31, link labels)."""
    return " ".join(label.split()).casefold()
