"""What the user's own notes cite: it is not offered to them again."""

from collections.abc import Iterator, Mapping

from daemon.research.cited import cited_in
from daemon.store.notes import NoteStore


def cited_by_notes(notes: NoteStore) -> Mapping[str, str]:
    """Return the key of all that notes cite, in text or properties → a note's path.

    Notes of ours do not count: what they offered is known anyway.
    """
    return cited_in(_texts(notes))


def _texts(notes: NoteStore) -> Iterator[tuple[str, str]]:
    ours = {row.path for row in notes.with_property("lacuna_id")}
    for row in notes.all():
        if row.path not in ours:
            yield row.path, "\n".join(_values(row.frontmatter))
    for chunk in notes.chunks():
        if chunk.note not in ours:
            yield chunk.note, chunk.text


def _values(value: object) -> Iterator[str]:
    """Yield every text in a property, however deep."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            # `doi: 10.1000/abc` is told by its key, `url: …` by itself.
            yield from (f"{key}: {text}" for text in _values(each))
    elif isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif value is not None:
        yield str(value)
