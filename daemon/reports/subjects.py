"""What a note is about, in the words of its owner: tags, links, title, headings, repeated phrases.

Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from daemon.analysis.phrases import phrases_of, title_parts
from daemon.analysis.subject import is_subject
from daemon.analysis.vault_names import Names, target_name
from daemon.language.stop_words import is_significant
from daemon.language.words import segments
from daemon.model.notes import NoteRow
from vault_adapters.naming import readable

_LONGEST = 5  # words
_OFTEN = 3  # times that a text names what it links to, if it is about that


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject as it is written; `is_own` if its owner named it: in a title or by a tag."""

    text: str
    is_own: bool


def subjects_of(row: NoteRow, linked: Iterable[str], text: str, names: Names) -> list[Subject]:
    """Return the subjects of a note; `linked` are the names of what it links to."""
    said, ends = text.casefold(), map(target_name, linked)
    own = [
        *(readable(tag.lstrip("#").rpartition("/")[2]) for tag in row.tags),
        *title_parts(row.title),
        *(word for word in segments(row.title) if is_significant(word)),
    ]
    headings = [each.text for each in row.headings]
    found = phrases_of(row.title, headings, text, names)
    every = [
        *(Subject(each, is_own=True) for each in own),
        *(Subject(each.text, is_own=each.is_titled) for each in found),
        *(Subject(each, is_own=False) for each in ends if said.count(each.casefold()) >= _OFTEN),
    ]
    return [each for each in every if _is_short(each.text) and is_subject(each.text)]


def _is_short(name: str) -> bool:
    return 0 < len(name.split()) <= _LONGEST
