"""Find the options, functions and settings of a note that a manual in the library explains."""

from collections.abc import Callable, Iterable

from daemon.analysis.code_names import CodeName, code_names
from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.model.notes import NoteRow
from vault_adapters.note import Role

_MOST = 1  # of one note
_SCORE = 0.85  # below the note's own subject, above what it merely touches

# Given a code name and the Markdown of a note, the titles of the documents that explain it.
Explaining = Callable[[CodeName, str], Iterable[str]]


def manual_gaps(note: NoteRow, body: str, explaining: Explaining) -> list[Gap]:
    """Return a topic for each code name in the Markdown of a note that a manual explains."""
    found = []
    for name in code_names(body) if note.role is Role.NOTE else ():
        title = next(iter(explaining(name, body)), None)
        if title is not None:
            found.append(_gap(note, name, title))
        if len(found) == _MOST:
            break
    return found


def _gap(note: NoteRow, name: CodeName, title: str) -> Gap:
    return Gap(
        kind=GapKind.DEEPEN,
        shape=GapShape.LIBRARY,
        topic=name.query,
        notes=(note.path,),
        why=f"Your note “{note.title}” uses “{name.query}”, which “{' '.join(title.split())}” in"
        " your library explains",
        score=_SCORE,
        parts={"library": _SCORE},
        keywords=(note.title,),
        query=name.query,
    )
