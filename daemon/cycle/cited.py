"""Works cited in the user's own notes: they are not offered again."""

from collections.abc import Iterator, Mapping

from daemon.research.cited import cited_in
from daemon.store.notes import NoteStore

_MARKS = ("http://", "https://", "doi", "10.", "arxiv")  # without one of these nothing is cited


def cited_by_notes(notes: NoteStore) -> Mapping[str, str]:
    """Return the key of everything that notes cite, in text or properties → a note's path.

    Our own notes do not count: what they offered is known anyway.
    """
    return cited_in(_texts(notes))


def _texts(notes: NoteStore) -> Iterator[tuple[str, str]]:
    ours = {row.path for row in notes.with_property("lacuna_id")}
    for path, text in notes.texts_with(*_MARKS):
        if path not in ours:
            yield path, text
