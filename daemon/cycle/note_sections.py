"""The sections of a note as its file has them: the index divides code, and long paragraphs."""

import re
from collections.abc import Iterator
from itertools import pairwise

from daemon.asking.statements import Passage, PassageOrigin
from daemon.language.words import segments
from vault_adapters.naming import headings_of
from vault_adapters.note import Note

_IMAGE = re.compile(r"!\[[^\[\]\n]*\]\([^()\s]*(?:\s[^()\n]*)?\)|!\[\[[^\[\]\n]*\]\]|<img\b[^<>]*>")


def sections_of(note: Note, name: str) -> Iterator[Passage]:
    """Yield what stands under each heading, and before the first: without images, whose
    descriptions the note does not say. A heading that repeats the name of the note is "".
    """
    lines = note.text.split("\n")
    headings = headings_of(note)
    starts = [
        ("", note.body_line),
        *((each.text, each.line + 1) for each in headings),
        ("", len(lines) + 1),
    ]
    for (heading, first), (_, end) in pairwise(starts):
        shown = ("" if at in note.silent else lines[at] for at in range(first, end - 1))
        text = _IMAGE.sub("", "\n".join(shown))
        if text.strip():
            under = "" if _same(heading, name) else heading
            yield Passage(PassageOrigin.NOTE, note.path, name, under, first + 1, text)


def _same(heading: str, name: str) -> bool:
    return [each.casefold() for each in segments(heading)] == [
        each.casefold() for each in segments(name)
    ]
