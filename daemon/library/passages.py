"""Cut a text into passages: one paragraph or several short ones, never a page."""

import re
from collections.abc import Iterator

TARGET = 160  # words
_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？])[\"'”’)\]]*\s*")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
_A_WORD = 2  # characters of a script without spaces
_BREAK = re.compile(r"\S+\s*")
_MAX_LENGTH = 2400  # characters of a piece: some texts have no spaces at all

Span = tuple[int, int]


def passages(text: str) -> list[Span]:
    """Cut at paragraphs, long ones at sentences, and gather short ones up to about TARGET words.

    Returns start and end of each passage in `text`.
    """
    cut: list[Span] = []
    begin = end = size = 0
    for start, stop in _pieces(text):
        words = count(text[start:stop])
        if size and (size + words > TARGET or stop - begin > _MAX_LENGTH):
            cut.append((begin, end))
            size = 0
        if not size:
            begin = start
        end = stop
        size += words
    if size:
        cut.append((begin, end))
    return cut


def count(text: str) -> int:
    """Count words; two characters of a script without spaces count as one."""
    if text.isascii():
        return len(text.split())
    return len(text.split()) + len(_SPACELESS.findall(text)) // _A_WORD


def _pieces(text: str) -> Iterator[Span]:
    for start, stop in _split(text, (0, len(text)), _PARAGRAPH):
        if count(text[start:stop]) <= TARGET and stop - start <= _MAX_LENGTH:
            yield start, stop
            continue
        for sentence in _split(text, (start, stop), _SENTENCE):
            yield from _shortened(text, sentence)


def _split(text: str, span: Span, mark: re.Pattern[str]) -> Iterator[Span]:
    """Cut a stretch at each mark and drop blank pieces."""
    at = span[0]
    for found in mark.finditer(text, *span):
        if text[at : found.start()].strip():
            yield at, found.start()
        at = found.end()
    if text[at : span[1]].strip():
        yield at, span[1]


def _shortened(text: str, span: Span) -> Iterator[Span]:
    """Cut text that has no sentence end for a whole page: tables, code, logs."""
    if count(text[slice(*span)]) <= TARGET and span[1] - span[0] <= _MAX_LENGTH:
        yield span
        return
    words = list(_BREAK.finditer(text, *span))
    for at in range(0, len(words), TARGET):
        start, stop = words[at].start(), words[min(at + TARGET, len(words)) - 1].end()
        for begin in range(start, stop, _MAX_LENGTH):
            yield begin, min(begin + _MAX_LENGTH, stop)
