"""Convert rows of the index to values and back."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from json.encoder import encode_basestring_ascii as quoted
from typing import TYPE_CHECKING, Any

from daemon.model.notes import Chunk, LinkRow, NoteRow, Stamp, StoredNote
from daemon.store.query import fold
from vault_adapters.note import Heading, LinkKind, Role

if TYPE_CHECKING:  # a process that only reads files loads no database
    from daemon.store.db import Row

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Frontmatter is untrusted data: YAML aliases can make it endless, so it is cut.
_DEEPEST, _MAX_VALUES = 16, 5000
_NOTE, _LINK, _CHUNK, _WORDS = 16, 8, 4, 3  # values of a row
_COLUMN = (str, int, type(None))
_read_json = json.JSONDecoder().raw_decode
_NO_PROPERTIES = "{}"
_EMPTIES = frozenset({_NO_PROPERTIES, "[]"})
_JSON_COLUMNS = (8, 9, 10, 11, 15)  # of a row of notes
_FEW = 50  # properties, or items of one, up to which counting is unnecessary
# JSON types without nested values.
_SIMPLE: Mapping[type, Callable[[Any], str]] = {
    str: quoted,
    int: int.__repr__,
    float: json.dumps,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
}


def fits(stored: StoredNote) -> bool:
    """Return whether values have the shapes of the tables; they may come from a hostile process."""
    tables = ((_NOTE, (stored.note,)), (_LINK, stored.links), (_CHUNK, stored.chunks))
    return len(stored.words) == len(stored.chunks) and all(
        len(row) == columns and all(isinstance(each, _COLUMN) for each in row)
        for columns, rows in (*tables, (_WORDS, stored.words))
        for row in rows
    )


def edited_at(mtime_ns: int) -> datetime:
    """Make an aware UTC datetime of a file's time."""
    return _EPOCH + timedelta(microseconds=mtime_ns // 1000)


def clean(text: str) -> str:
    """Return `text` without lone surrogates, which no file and no database accepts."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _read(text: str) -> Any:
    """Read a JSON value that ends where the text does; quicker than `json.loads`.

    Raises ValueError.
    """
    value, end = _read_json(text)
    if end != len(text):
        raise ValueError(text)
    return value


def note_from(row: "Row") -> NoteRow:
    """Make a note from its row. Raises ValueError, KeyError or TypeError for a malformed one."""
    (note,) = notes_from([tuple(row)])
    return note


def notes_from(rows: Sequence[tuple[Any, ...]]) -> Iterator[NoteRow]:
    """Make notes from their rows, as `note_from` does.

    The JSON of a column is read at once for all rows, but for empty lists, which most are.
    """
    columns = list(zip(*rows, strict=True))
    for at in _JSON_COLUMNS:
        columns[at] = _read_all(columns[at])
    for row in zip(*columns, strict=True):
        path, role, title, size, mtime_ns, inode, hash_, words, properties, *rest = row
        tags, aliases, headings, trouble, changed_at, _, names = rest
        yield NoteRow(
            path=path,
            role=_ROLES[role],
            title=title,
            size=int(size),
            mtime_ns=int(mtime_ns),
            inode=int(inode),
            hash=hash_,
            words=int(words),
            frontmatter=properties,
            tags=tuple(tags),
            aliases=tuple(aliases),
            headings=tuple(map(Heading._make, headings)) if headings else (),
            trouble=trouble,
            changed_at=datetime.fromisoformat(changed_at),
            names=tuple(names),
        )


def _read_all(texts: Sequence[str]) -> tuple[Any, ...]:
    """Read JSON values, one of each text. Raises ValueError or TypeError."""
    full = [text for text in texts if text not in _EMPTIES]
    try:
        found = json.loads(f"[{','.join(full)}]")
    except ValueError:
        found = []
    if len(found) != len(full):  # a malformed text could join with its neighbours
        found = list(map(_read, full))
    values = iter(found)
    return tuple(
        [
            next(values) if text not in _EMPTIES else {} if text == _NO_PROPERTIES else ()
            for text in texts
        ]
    )


KINDS = {kind.value: kind for kind in LinkKind}
STAMP = "path, role, size, mtime_ns, inode, hash, recheck"  # its columns
_ROLES = {role.value: role for role in Role}


def stamps_from(rows: "Iterable[Row]") -> list[tuple[str, Stamp]]:
    """Return the path and the stamp of each row."""
    return [
        (path, Stamp(_ROLES[role], size, mtime_ns, inode, hash_, recheck))
        for path, role, size, mtime_ns, inode, hash_, recheck in rows
    ]


def stored(
    note: NoteRow, links: Iterable[LinkRow] = (), chunks: Sequence[Chunk] = (), *, recheck: int = 0
) -> StoredNote:
    """Return the values to write for a note, its links and its chunks."""
    cut = tuple([(clean(c.heading), c.line, clean(c.text), c.hash) for c in chunks])
    return StoredNote(
        note=_note_values(note, recheck),
        links=tuple([_link_values(ordinal, link) for ordinal, link in enumerate(links)]),
        chunks=cut,
        words=_word_values(note, [chunk.context for chunk in chunks], cut),
    )


def _note_values(note: NoteRow, recheck: int) -> tuple[Any, ...]:
    return (
        *(note.path, note.role, clean(note.title), note.size, note.mtime_ns, note.inode),
        *(note.hash, note.words),
        _properties(note.frontmatter),
        *(_listed(note.tags), _listed(note.aliases)),
        f"[{', '.join(map(_outlined, note.headings))}]" if note.headings else "[]",
        *(clean(note.trouble), note.changed_at.isoformat(), recheck, _listed(note.names)),
    )


def link_from(row: "Row", known: dict[str, str] | None = None) -> LinkRow:
    """Make a link from its row; `known` texts are in memory once."""
    once = ({} if known is None else known).setdefault
    source, _, target, subpath, display, kind, line, resolved = row
    return LinkRow(
        once(source, source),
        once(target, target),
        once(subpath, subpath) if subpath else "",
        display if display is None else once(display, display),
        KINDS[kind],
        line,
        resolved if resolved is None else once(resolved, resolved),
    )


def _listed(values: Sequence[str]) -> str:
    """Return JSON's list of some texts, as `json.dumps` writes it, but much faster."""
    return f"[{', '.join(map(quoted, values))}]" if values else "[]"


def _properties(values: Mapping[str, Any]) -> str:
    """Return JSON of properties: nearly all are a few texts and numbers, handled as above."""
    written = []
    for key, value in values.items():
        if type(value) is list and len(value) <= _FEW and {*map(type, value)} <= {str}:
            written.append(f"{quoted(key)}: {_listed(value)}")
        elif (write := _SIMPLE.get(type(value))) is not None:
            written.append(f"{quoted(key)}: {write(value)}")
        else:
            break
    if len(written) < len(values) or len(values) > _FEW:
        return json.dumps(plain(values))
    return f"{{{', '.join(written)}}}"


def _outlined(heading: Heading) -> str:
    return f"[{quoted(heading.text)}, {heading.level}, {heading.line}]"


def _link_values(ordinal: int, link: LinkRow) -> tuple[Any, ...]:
    display = clean(link.display) if link.display is not None else None
    return (
        *(link.source, ordinal, clean(link.target), clean(link.subpath), display),
        *(link.kind, link.line, link.resolved),
    )


def _word_values(
    note: NoteRow,
    contexts: Sequence[tuple[str, ...]],
    chunks: Sequence[tuple[str, int, str, str]],
) -> tuple[tuple[str, str, str], ...]:
    """Return title, headings and text of each chunk, folded for the full-text index.

    The names of a note (title, aliases, path) are stored with its first chunk only, so that a long
    note does not win by repeating them.
    """
    stem = note.path.removesuffix(".md").removesuffix(".canvas")
    names = fold(clean("\n".join((note.title, *note.aliases, stem)))) if chunks else ""
    values = []
    for context, (heading, _, text, _) in zip(contexts, chunks, strict=True):
        headings = clean("\n".join((*context, heading))) if context else heading
        values.append((names, fold(headings) if headings else "", fold(text)))
        names = ""
    return tuple(values)


def chunk_values(batch: Iterable[StoredNote], first_id: int) -> Iterator[tuple[Any, ...]]:
    """In the order of the columns of `chunks`, numbered from `first_id`."""
    id_ = first_id
    for each in batch:
        for ordinal, (heading, line, text, hash_) in enumerate(each.chunks):
            yield id_, each.path, ordinal, heading, line, text, hash_
            id_ += 1


def word_values(batch: Iterable[StoredNote], first_id: int) -> Iterator[tuple[int, str, str, str]]:
    """Return the words of each chunk after the chunk's number, from `first_id` on."""
    words = chain.from_iterable(each.words for each in batch)
    for id_, (title, headings, text) in enumerate(words, first_id):
        yield id_, title, headings, text


def plain(value: Any) -> Any:
    """Convert any YAML value to JSON types: dates as ISO text, keys as text."""
    return _plain(value, _DEEPEST, [_MAX_VALUES])


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth == 0 or left[0] < 0:
        return "…"
    if isinstance(value, Mapping):
        return {
            str(key): _plain(item, depth - 1, left) for key, item in value.items() if left[0] > 0
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, depth - 1, left) for item in value if left[0] > 0]
    return str(value)
