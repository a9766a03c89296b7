"""The rows of the index."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.model.notes import Chunk, LinkRow, NoteRow
from daemon.store.db import Database
from daemon.store.notes import NoteStore
from daemon.store.rows import stored
from vault_adapters.note import Heading, LinkKind, Role

FRONTMATTER = 8  # where properties stand among the values of a note


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[NoteStore]:
    db = Database(tmp_path / "lacuna.db")
    yield NoteStore(db)
    db.close()


def a_note(path: str = "A.md", **other: Any) -> NoteRow:
    row: dict[str, Any] = {
        "path": path,
        "role": Role.NOTE,
        "title": path.removesuffix(".md"),
        "size": 1,
        "mtime_ns": 2,
        "inode": 3,
        "hash": "h",
        "words": 4,
        "frontmatter": {"a": [1, None, {"b": "c"}]},
        "tags": ("#x",),
        "aliases": ("Other",),
        "headings": (Heading("One", 1, 0),),
        "trouble": "",
        "changed_at": datetime(2026, 1, 2, tzinfo=UTC),
    }
    return NoteRow(**(row | other))


def a_chunk(text: str, heading: str = "", hash_: str = "") -> Chunk:
    return Chunk(heading, 0, text, hash_ or text)


def found(notes: NoteStore, query: str) -> list[str]:
    by_id = {chunk.id: chunk.text for chunk in notes.chunks()}
    return [by_id[id_] for id_ in notes.by_words(query, 10)]


def put_texts(notes: NoteStore, *texts: str) -> None:
    notes.put([stored(a_note(f"{n}.md"), (), (a_chunk(text),)) for n, text in enumerate(texts)])


def test_a_note_comes_back_as_it_was(notes: NoteStore) -> None:
    link = LinkRow("A.md", "B", "#x", "shown", LinkKind.EMBED, 3, None)
    notes.put([stored(a_note(), (link,), (a_chunk("text", "One"),))])
    assert notes.all() == [a_note()]
    assert notes.get("A.md") == a_note()
    assert notes.links() == [link]
    [chunk] = notes.chunks("A.md")
    assert (chunk.note, chunk.heading, chunk.text, chunk.ordinal) == ("A.md", "One", "text", 0)


def test_putting_a_note_again_replaces_all_that_hung_on_it(notes: NoteStore) -> None:
    link = LinkRow("A.md", "B", "", None, LinkKind.LINK, 0, "B.md")
    notes.put([stored(a_note(), (link, link), (a_chunk("bees"), a_chunk("wasps")))])
    notes.put([stored(a_note(), (link,), (a_chunk("ants"),))])
    assert notes.counts() == (1, 1, 0, 1)
    assert found(notes, "bees") == []
    assert found(notes, "ants") == ["ants"]


def test_text_that_is_no_unicode_is_mended(notes: NoteStore) -> None:
    odd = "odd \udcff\x00 text"
    link = LinkRow("A.md", odd, odd, odd, LinkKind.LINK, 0, None)
    row = a_note(title=odd, frontmatter={odd: odd}, tags=(odd,), trouble=odd)
    notes.put([stored(row, (link,), (a_chunk(odd, odd, "h"),))])
    assert notes.links()[0].target == "odd ?\x00 text"
    assert notes.all()[0].title == "odd ?\x00 text"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_properties_are_stored_as_json_writes_them(values: dict[str, Any]) -> None:
    assert stored(a_note(frontmatter=values)).note[FRONTMATTER] == json.dumps(values)


def test_more_properties_than_anybody_reads_are_cut() -> None:
    many = {f"p{n}": n for n in range(6_000)}
    listed = {"list": ["x"] * 6_000}
    assert len(json.loads(stored(a_note(frontmatter=many)).note[FRONTMATTER])) < 6_000
    assert len(json.loads(stored(a_note(frontmatter=listed)).note[FRONTMATTER])["list"]) < 6_000


def test_endless_frontmatter_is_cut(notes: NoteStore) -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle
    bomb: list[Any] = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    notes.put([stored(a_note(frontmatter={"circle": circle, "bomb": bomb}))])
    assert set(notes.all()[0].frontmatter) <= {"circle", "bomb"}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cafe", "Le Café noir"),
        ("CAFÉ", "cafe\u0301 noir"),
        ("electro", "electromagnetism"),
        ("generaliz", "generalization of it"),
        ("studies", "a study of bees"),
        ("jogging", "she jogged"),
        ("scheduling", "a scheduler"),
        ("学习", "我们学习编程"),
        ("語", "日本語のノート"),
        ("カフェ", "カフェで"),
        ("我想学习 Rust", "学习 Rust 语言"),
        ("การ", "ภาษาการเขียน"),
        ("foo_bar", "call foo_bar() now"),
        ("don't", "I don't know"),
        ("what is the honey", "honey"),
        ("the", "the"),
        ("ｆｕｌｌ", "full width"),
    ],
)
def test_a_query_finds_the_words_that_a_person_means(
    notes: NoteStore, query: str, text: str
) -> None:
    put_texts(notes, text, "something else, 其他")
    assert found(notes, query)[:1] == [text]


@pytest.mark.parametrize(
    "query",
    ['"', "a AND", "NOT", "*", "a*b", "(", "a:b", "title:", "NEAR(a b)", "^a", "-", "\x00", "🐝",
     "a\ud800", "'; DROP TABLE notes; --", "%", "{a b}:c", "a + b", ""],
)  # fmt: skip
def test_no_query_is_an_error(notes: NoteStore, query: str) -> None:
    put_texts(notes, "some text")
    assert isinstance(notes.by_words(query, 10), list)


def test_a_chunk_with_every_word_stands_before_one_with_some(notes: NoteStore) -> None:
    put_texts(notes, "bees bees bees bees", "bees and much else that is said about a dance", "ants")
    assert found(notes, "bees dance") == [
        "bees and much else that is said about a dance",
        "bees bees bees bees",
    ]


def test_a_title_and_an_alias_find_the_note(notes: NoteStore) -> None:
    notes.put([stored(a_note("Honey.md"), (), (a_chunk("text"),))])
    notes.put([stored(a_note("B.md", aliases=("Nectar",)), (), (a_chunk("honey once"),))])
    assert found(notes, "honey") == ["text", "honey once"]
    assert found(notes, "nectar") == ["honey once"]


def test_a_note_s_vector_is_the_mean_of_its_chunks_at_unit_length(notes: NoteStore) -> None:
    notes.put([stored(a_note(), (), (a_chunk("x"), a_chunk("y"), a_chunk("")))])
    notes.embeddings.save("m", ["x", "y"], np.eye(2, dtype=np.float32))
    mean = notes.note_vectors("m")["A.md"]
    assert mean.dtype == np.float32
    assert np.allclose(mean, [0.5**0.5] * 2)
    assert notes.note_vectors("another") == {}


def test_only_chunks_with_words_miss_an_embedding_those_of_like_length_together(
    notes: NoteStore,
) -> None:
    chunks = (a_chunk("a"), a_chunk("longer"), a_chunk("", "", "e"), a_chunk("", "head", "h"))
    notes.put([stored(a_note(), (), chunks)])
    assert notes.embeddings.missing("m") == ["longer", "a", "h"]
    notes.embeddings.save("m", ["a"], np.ones((1, 2), dtype=np.float32))
    assert notes.embeddings.missing("m") == ["longer", "h"]
    assert notes.embeddings.missing("n") == ["longer", "a", "h"]


def test_the_newest_and_the_most_linked_notes_are_embedded_first(
    notes: NoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.store.embeddings._ALIKE", 1)
    old = [a_note(f"{name}.md", mtime_ns=at) for at, name in enumerate(("Plain", "Hub", "Other"))]
    new = a_note("New.md", mtime_ns=9)
    for note in (*old, new):
        notes.put([stored(note, (), (a_chunk(note.path),))])
    notes._db.execute(
        "INSERT INTO links (source, ordinal, target, kind, line, resolved)"
        " VALUES ('Other.md', 0, 'Hub', 'link', 1, 'Hub.md')"
    )
    order = notes.embeddings.missing("m")
    assert set(order[:2]) == {"New.md", "Hub.md"}
    assert order[2:] == ["Other.md", "Plain.md"]


def test_unused_embeddings_are_swept_the_oldest_first(
    notes: NoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.store.embeddings._SWEEP_RESERVE", 2)
    notes.put([stored(a_note(), (), (a_chunk("used"),))])
    hashes = ["used", "old", "newer", "newest"]
    notes.embeddings.save("m", hashes, np.ones((4, 2), dtype=np.float32))
    assert notes.embeddings.sweep("m") == 1
    kept = [row["hash"] for row in notes._db.rows("SELECT hash FROM embeddings ORDER BY id")]
    assert kept == ["used", "newer", "newest"]


def test_a_chunk_whose_number_was_used_before_misses_its_embedding(notes: NoteStore) -> None:
    put_texts(notes, "one", "two")
    notes.embeddings.save("m", ["one", "two"], np.ones((2, 3), dtype=np.float32))
    assert notes.embeddings.missing("m") == []
    notes.remove(["1.md"])
    notes.put([stored(a_note("2.md"), (), (a_chunk("three"),))])
    assert notes.embeddings.missing("m") == ["three"]
    assert notes.embeddings.covered("m") == 1


def test_of_a_model_that_was_swept_away_all_is_missing(
    notes: NoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.store.embeddings._SWEEP_RESERVE", 0)
    put_texts(notes, "one", "two")
    for model in "old", "older", "new":
        notes.embeddings.save(model, ["one", "two"], np.ones((2, 3), dtype=np.float32))
        assert notes.embeddings.missing(model) == []
    assert notes.embeddings.sweep("new")
    assert notes.embeddings.missing("old") == ["one", "two"]
    assert notes.embeddings.missing("new") == []


def test_an_embedding_s_id_is_never_used_twice(notes: NoteStore) -> None:
    one = np.ones((1, 2), dtype=np.float32)
    notes.embeddings.save("m", ["a"], one)
    notes._db.execute("DELETE FROM embeddings")
    notes.embeddings.save("m", ["b"], one)
    assert notes._db.value("SELECT id FROM embeddings") == 2


def test_what_notes_say_is_found_again_when_the_index_changes(notes: NoteStore) -> None:
    other = NoteStore(Database(notes.file))  # as another process has it
    notes.put([stored(a_note(frontmatter={"wish": 1}), [], [])])
    assert [row.path for row in notes.with_property("wish")] == ["A.md"]
    other.put([stored(a_note("B.md", frontmatter={"wish": 2}), [], [])])
    assert [row.path for row in notes.with_property("wish")] == ["A.md", "B.md"]
    other.remove(["A.md"])
    assert [row.path for row in notes.with_property("wish")] == ["B.md"]
    other._db.close()


def test_what_was_undone_is_not_remembered(notes: NoteStore) -> None:
    with suppress(LookupError), notes._db.transaction():
        notes.put([stored(a_note("Undone.md"), [], [])])
        assert [row.path for row in notes.with_tag("X")] == ["Undone.md"]
        raise LookupError
    notes.put([stored(a_note("Kept.md"), [], [])])
    assert [row.path for row in notes.with_tag("X")] == ["Kept.md"]


class Interrupted(Database):
    """A database in which another thread works once, while rows are on their way."""

    between: Callable[[], None] | None = None

    def each(self, sql: str, values: Sequence[Any] = (), *, size: int = 1000) -> Iterator[Any]:
        rows = list(super().each(sql, values, size=size))
        if (between := self.between) is not None:
            self.between = None
            between()
        yield from rows


def test_rows_that_were_read_before_a_change_are_not_kept_after_it(tmp_path: Path) -> None:
    db = Interrupted(tmp_path / "lacuna.db")
    notes = NoteStore(db)

    def change() -> None:
        notes.put([stored(a_note("B.md", frontmatter={"author": "Bob"}), [], [])])
        notes.with_property("other")

    notes.put([stored(a_note(frontmatter={"author": "Ada"}), [], [])])
    db.between = change
    notes.with_property("author")
    assert [each.path for each in notes.with_property("author")] == ["A.md", "B.md"]
    db.close()
