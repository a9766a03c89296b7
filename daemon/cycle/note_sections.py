"""The sections of a note as its file has them: the index divides code, and long paragraphs."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from daemon.asking.statements import Passage, PassageOrigin
from daemon.language.words import segments
from vault_adapters.naming import headings_of
from vault_adapters.note import Note

# Properties that say nothing on the subject of a note.
_OF_TOOLS = frozenset(
    """
    id uid created updated modified date title tags tag aliases alias cssclass cssclasses stub
    nav_order nav_exclude permalink publish template up icon banner desc isdir
    """.split()  # noqa: SIM905 a list to read and extend
)
_OF_MACHINES = re.compile(
    r"(?:id|cover|image|count)$|created|modified|updated|last_?read|doc_?type", re.IGNORECASE
)
_VALUE = re.compile(r"\{\{\s*fm\.([\w-]+)\s*\}\}")
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
        text = _VALUE.sub(partial(_value, note), _IMAGE.sub("", "\n".join(shown)))
        if text.strip():
            under = "" if _same(heading, name) else heading
            yield Passage(PassageOrigin.NOTE, note.path, name, under, first + 1, text)


def _same(heading: str, name: str) -> bool:
    return [each.casefold() for each in segments(heading)] == [
        each.casefold() for each in segments(name)
    ]


def _value(note: Note, found: re.Match[str]) -> str:
    """Return what a reader sees of a property in the text of a note, in Dendron."""
    value = note.frontmatter.get(found[1])
    return found[0] if value is None else str(value)


def properties_of(note: Note, name: str) -> Iterator[Passage]:
    """Yield the properties of a note that say something, as the items of a list."""
    shown = [
        f"- {key}: {value}"
        for key, values in note.frontmatter.items()
        if key.casefold() not in _OF_TOOLS
        and not isinstance(values, dict)
        and not _OF_MACHINES.search(key)
        and (value := ", ".join(map(str, values if isinstance(values, list) else [values])).strip())
        and values not in (None, [], {})
    ]
    if shown:
        yield Passage(PassageOrigin.NOTE, note.path, name, "", 1, "\n".join(shown))


def empty_sections(note: Note) -> list[str]:
    """Return the headings under which is neither text nor a lower heading."""
    lines, headings = note.text.split("\n"), headings_of(note)
    found = []
    for at, each in enumerate(headings):
        after = headings[at + 1 : at + 2]
        end = after[0].line if after else len(lines)
        is_last = not after or after[0].level <= each.level
        if is_last and not any(line.strip() for line in lines[each.line + 1 : end]):
            found.append(each.text)
    return found
