"""Words that nearly every chunk says cost no more than rare ones, and decide nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.model.notes import Chunk
from daemon.store import word_search
from daemon.store.db import Database
from daemon.store.notes import NoteStore
from daemon.store.rows import stored
from tests.fakes.rows import a_note


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NoteStore]:
    monkeypatch.setattr(word_search, "MAX_SCORED", 5)
    db = Database(tmp_path / "lacuna.db")
    store = NoteStore(db)
    texts = [f"bees everywhere number{n}" for n in range(8)] + ["a queen alone", "bees and a queen"]
    store.put([stored(a_note(f"{n}.md"), (), (chunk(text),)) for n, text in enumerate(texts)])
    yield store
    db.close()


def chunk(text: str, heading: str = "") -> Chunk:
    return Chunk(heading, 0, text, text + heading)


def found(notes: NoteStore, query: str, limit: int = 20) -> list[str]:
    by_id = {chunk.id: chunk.text for chunk in notes.chunks()}
    return [by_id[id_] for id_ in notes.by_words(query, limit)]


def test_a_common_word_does_not_bring_chunks_that_lack_the_rare_one(notes: NoteStore) -> None:
    assert found(notes, "bees queen") == ["bees and a queen", "a queen alone"]


def test_a_common_word_alone_is_sought_where_it_names_something(notes: NoteStore) -> None:
    notes.put([stored(a_note("hive.md"), (), (chunk("where they live", "Bees"),))])
    assert found(notes, "bees") == ["where they live"]


def test_a_common_word_that_names_nothing_is_found_in_the_text(notes: NoteStore) -> None:
    assert len(found(notes, "bees")) == 9


def test_of_common_words_alone_the_rarest_decides(notes: NoteStore) -> None:
    assert len(found(notes, "bees everywhere", 20)) == 8


def test_few_chunks_are_all_scored(notes: NoteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_search, "MAX_SCORED", 10)
    assert len(found(notes, "bees queen")) == 10
