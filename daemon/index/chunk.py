"""Split a note into chunks, the units of search and embedding.

The end of a chunk depends on the paragraphs around it, not on everything above, so that an edit
re-embeds the chunk it is in and leaves the others unchanged. Neither the title nor the path is part
of a chunk: a rename re-embeds nothing.
"""

import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from daemon.index.plain_text import plain
from daemon.model.notes import Chunk
from daemon.store.query import count_words
from vault_adapters.naming import headings_of
from vault_adapters.note import Heading, Note

__all__ = ["CHUNKER_VERSION", "Chunk", "chunk_note", "embedded_text"]

CHUNKER_VERSION = 1  # increase it whenever the chunks, or their embedded text, change

_MAX_WORDS = 170  # words of a chunk: about 230 of the 256 tokens that the default model reads
_ENOUGH = 60  # words from which a chunk ends where a paragraph's checksum allows it
_BIG = 50  # words from which a paragraph begins a chunk
_LEAD = 15  # words up to which an introduction stays with the big paragraph after it
_SMALL = 30  # words up to which a section is joined with the next
_MAX_CODE_WORDS = 600  # words of one code block that are kept
_WORD = 8  # characters that count as at least one word: URLs and code are long and have no spaces

_LONG = 200  # beyond that many characters it is data, not words
_DATA = re.compile(rf"(?<![!-~])[!-~]{{{_LONG},}}")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-+)[ \t]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


class _Block(NamedTuple):
    """A heading, or a paragraph, a list item, a piece of code, with its weight.

    Its `weight` is its number of `words` from the model's view.
    """

    line: int
    text: str
    words: int
    weight: int
    heading: Heading | None = None


def _block(line: int, text: str, heading: Heading | None = None) -> _Block:
    words = count_words(text)
    return _Block(line, text, words, max(words, len(text) // _WORD), heading)


@dataclass(slots=True)
class _Draft:
    """A chunk under construction. It belongs to the last heading before its first text."""

    under: Sequence[Heading] = ()
    line: int = -1
    parts: list[str] = field(default_factory=list)
    words: int = 0
    weight: int = 0
    has_text: bool = False
    is_ripe: bool = False

    def ends_before(self, block: _Block) -> bool:
        if self.line < 0 or not self.parts:
            return False
        if self.weight + block.weight > _MAX_WORDS:
            return True
        if block.heading is not None:
            return self.has_text and self.weight > _SMALL
        return self.is_ripe or (block.weight >= _BIG and self.weight > _LEAD)

    def take(self, block: _Block, above: Sequence[Heading]) -> None:
        if self.line < 0:
            self.line = block.line
        if block.heading is None:
            self.under = self.under or above
            self.parts.append(block.text)
            self.has_text = True
            # The end of a chunk must not depend on its beginning, or an edit would shift them all.
            self.is_ripe = self.weight + block.weight >= _ENOUGH and _checksum(block.text) % 3 == 0
        elif self.has_text:
            self.parts.append(block.text)
        else:
            # A heading above this one is its context; one on the same level had no text of its own.
            if self.under and self.under[-1] not in above:
                self.parts.append(self.under[-1].text)
            self.under = above
        self.words += block.words
        self.weight += block.weight

    def finish(self) -> Chunk:
        heading = self.under[-1].text if self.under else ""
        text = "\n\n".join(self.parts)
        known = f"{CHUNKER_VERSION}\0{heading}\0{text}"
        return Chunk(
            heading=heading,
            line=max(self.line, 0),
            text=text,
            hash=hashlib.sha256(known.encode("utf-8", "replace")).hexdigest()[:32],
            words=self.words,
            context=tuple(above.text for above in self.under[:-1]),
        )


def chunk_note(note: Note) -> list[Chunk]:
    """Split a note's body by headings and paragraphs, without frontmatter and silent lines.

    An empty note is one chunk without text, so that its title can be found.
    """
    above: tuple[Heading, ...] = ()
    draft = _Draft()
    drafts = [draft]
    for block in _blocks(note):
        if block.heading is not None:
            level = block.heading.level
            above = (*(heading for heading in above if heading.level < level), block.heading)
        if draft.ends_before(block):
            draft = _Draft()
            drafts.append(draft)
        draft.take(block, above)
    return [draft.finish() for draft in drafts]


def embedded_text(heading: str, text: str) -> str:
    """Return the words of a chunk that are embedded."""
    return plain(f"{heading}\n\n{text}" if heading else text)


def _blocks(note: Note) -> Iterator[_Block]:
    headings = {heading.line: heading for heading in headings_of(note)}
    begun: list[str] = []
    fence, silent = "", note.silent
    after_heading = False
    lines = note.text.split("\n")
    number = len(lines) - 1
    for number, line in enumerate(lines[note.body_line :], note.body_line):
        if number in silent:
            begun += [""] if begun else []  # lines are counted
            continue
        if not fence and (number in headings or not line.strip()):
            if begun:
                yield from _paragraph(begun, number - len(begun))
                begun = []
            if number in headings:
                heading = headings[number]
                yield _block(number, heading.text, heading)
                after_heading = not line.lstrip().startswith("#")
            continue
        if after_heading and _UNDERLINE.fullmatch(line):
            after_heading = False
            continue
        after_heading = False
        opened = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opened and not fence:
            yield from _paragraph(begun, number - len(begun))
            begun, fence = [line], opened[1]
        elif opened and opened[1].startswith(fence):
            yield from _paragraph([*begun, line], number - len(begun), most=_MAX_CODE_WORDS)
            begun, fence = [], ""
        else:
            begun.append(line)
    yield from _paragraph(begun, number + 1 - len(begun), most=_MAX_CODE_WORDS if fence else None)


def _paragraph(lines: list[str], first: int, *, most: int | None = None) -> Iterator[_Block]:
    """Make one block of `lines`, or several if they are too long for a chunk.

    `most` is the number of words after which the rest of the text is dropped.
    """
    text = _without_data("\n".join(lines)).strip()
    if not text:
        return
    if len(text) // _WORD <= _MAX_WORDS and (block := _block(first, text)).weight <= _MAX_WORDS:
        yield block
        return
    kept = words = 0
    for number, line in enumerate(lines, first):
        for piece in _pieces(number, _without_data(line).strip()):
            kept += piece.weight
            if most is not None and kept >= most:  # the words of the rest still count
                yield piece._replace(words=max(piece.words, count_words(text) - words))
                return
            yield piece
            words += piece.words


def _without_data(text: str) -> str:
    return _DATA.sub(lambda run: run[0][:_LONG], text) if len(text) >= _LONG else text


def _pieces(number: int, line: str) -> Iterator[_Block]:
    """Split a line that is too long for a chunk at its sentences, or else anywhere."""
    if not line:
        return
    if (block := _block(number, line)).weight <= _MAX_WORDS:
        yield block
        return
    for sentence in filter(None, _SENTENCE_END.split(line)):
        if (block := _block(number, sentence)).weight <= _MAX_WORDS:
            yield block
        else:
            yield from (_block(number, piece) for piece in _cut(sentence))


def _cut(sentence: str) -> Iterator[str]:
    begun: list[str] = []
    weight = 0
    for word in sentence.split():
        step = len(word) if _weigh(word) <= _BIG else _BIG
        for at in range(0, len(word), step):
            begun.append(word[at : at + step])
            weight += _weigh(begun[-1])
            if weight >= _BIG:
                yield " ".join(begun)
                begun, weight = [], 0
    if begun:
        yield " ".join(begun)


def _weigh(text: str) -> int:
    """Count words from the model's view."""
    return max(count_words(text), len(text) // _WORD)


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))
