"""The vector index: exact whatever happens to its file."""

from contextlib import suppress

import numpy as np
import pytest

from daemon.index import vectors
from daemon.model.errors import StoreError
from daemon.ports import Vectors
from tests.fakes.indexed_vault import IndexedVault


@pytest.fixture(autouse=True, params=["faiss", "numpy"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All holds with faiss, as in a large index, and without."""
    if request.param == "faiss":
        monkeypatch.setattr(vectors, "_NUMPY_UP_TO", 0)
    else:
        monkeypatch.setattr(vectors, "_has_faiss", lambda: False)


@pytest.fixture
def query(vault: IndexedVault) -> Vectors:
    for number in range(30):
        vault.write(f"{number}.md", f"note number{number} about topic{number % 7}")
    vault.sync()
    [vector] = vault.embedder.embed(["topic3"])
    return np.asarray(vector, dtype=np.float32)


def exact(vault: IndexedVault, query: Vectors) -> list[int]:
    """What comparing with every embedding gives."""
    model = vault.embedder.model
    [(ids, vectors)] = vault.notes.embeddings.vectors(vault.notes.embeddings.used(model).tolist())
    return [int(ids[at]) for at in np.argsort(-(vectors @ query), kind="stable")[:4]]


def nearest(vault: IndexedVault, query: Vectors) -> list[int]:
    return [id_ for id_, _ in vault.vectors.search(query, 4)]


def holds_what_is_used(vault: IndexedVault, query: Vectors) -> bool:
    found = [id_ for id_, _ in vault.vectors.search(query, 100)]
    used: list[int] = vault.notes.embeddings.used(vault.embedder.model).tolist()
    return sorted(found) == used


def test_the_nearest_are_found_by_cosine(vault: IndexedVault, query: Vectors) -> None:
    hits = vault.vectors.search(query, 4)
    assert sorted(id_ for id_, _ in hits) == sorted(exact(vault, query))
    assert [cosine for _, cosine in hits] == sorted((c for _, c in hits), reverse=True)


def test_the_file_is_loaded_by_the_next_process(
    vault: IndexedVault, query: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = nearest(vault, query)
    vault.reopen()
    monkeypatch.setattr(vault.notes.embeddings, "vectors", lambda ids: iter(()))
    assert nearest(vault, query) == before


@pytest.mark.parametrize("damage", ["missing", "torn", "blank", "empty", "another"])
def test_a_damaged_file_is_rebuilt(vault: IndexedVault, query: Vectors, damage: str) -> None:
    before, path = nearest(vault, query), vault.vectors.path
    data = bytearray(path.read_bytes())
    if damage == "missing":
        path.unlink()
    elif damage == "torn":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "blank":
        data[100:-400] = bytes(len(data) - 500)
        path.write_bytes(data)
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        path.write_bytes(b"IxM2" + bytes(len(data) - 4))
    vault.reopen()
    assert nearest(vault, query) == before


def test_a_sync_mends_a_missing_or_torn_file(vault: IndexedVault, query: Vectors) -> None:
    whole = vault.vectors.path.read_bytes()
    vault.vectors.path.write_bytes(whole[:50])
    vault.reopen()
    vault.sync()
    assert vault.vectors.path.stat().st_size == len(whole)


def test_a_sync_without_changes_leaves_the_file_and_loads_nothing(
    vault: IndexedVault, query: Vectors
) -> None:
    before = vault.vectors.path.stat()
    vault.reopen()
    vault.sync()
    assert vault.vectors.path.stat() == before
    assert not vault.vectors.loaded


def test_a_file_older_than_the_database_is_brought_up_to_date(
    vault: IndexedVault, query: Vectors
) -> None:
    vault.write("new.md", "topic3")
    vault.delete("3.md")
    old = vault.vectors.path.read_bytes()
    vault.vectors.save = lambda: None  # type: ignore[method-assign]  # killed before saving
    vault.sync()
    assert vault.vectors.path.read_bytes() == old
    vault.reopen()
    found = vault.search.nearest_chunks(query[np.newaxis, :], 1)[0]
    assert [near.path for near in found] == ["new.md"]
    assert len(vault.vectors) == 30


def test_unloading_gives_the_memory_back_until_the_next_use(
    vault: IndexedVault, query: Vectors
) -> None:
    before = nearest(vault, query)
    vault.vectors.unload()
    assert not vault.vectors.loaded
    assert nearest(vault, query) == before


def test_another_model_s_file_is_not_used(vault: IndexedVault, query: Vectors) -> None:
    other = vault.vectors_of("another")
    assert other.search(query, 3) == []


def test_an_empty_vault_has_no_nearest(vault: IndexedVault) -> None:
    vault.sync()
    assert vault.vectors.search(np.ones(64, dtype=np.float32), 3) == []
    assert not vault.vectors.path.exists()


def test_the_last_note_gone_leaves_no_file(vault: IndexedVault) -> None:
    vault.write("A.md", "bees")
    vault.sync()
    vault.delete("A.md")
    vault.sync()
    assert not vault.vectors.path.exists()
    assert len(vault.vectors) == 0


def test_a_folder_in_the_file_s_place_is_one_clear_line(vault: IndexedVault) -> None:
    vault.vectors.path.mkdir()
    vault.write("A.md", "bees")
    with pytest.raises(StoreError, match=r"vectors\.faiss: could not be written: "):
        vault.sync()
    assert [each.name for each in vault.vectors.path.parent.glob(".*.part")] == []


def test_after_an_edit_only_what_it_touched_is_compared(
    vault: IndexedVault, query: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    nearest(vault, query)
    monkeypatch.setattr(vault.notes.embeddings, "used", None)
    vault.write("new.md", "topic3")
    vault.delete("3.md")
    vault.sync()
    vault.write("10.md", "all about wasps")
    vault.sync()
    monkeypatch.undo()
    assert holds_what_is_used(vault, query)
    assert len(vault.vectors) == 30


def test_what_another_process_changed_is_noticed(vault: IndexedVault, query: Vectors) -> None:
    nearest(vault, query)
    other = IndexedVault(vault.folder)
    other.write("new.md", "topic3")
    other.sync()
    other.db.close()
    vault.write("newer.md", "topic3 again")
    vault.sync()
    assert len(vault.vectors) == 32
    assert holds_what_is_used(vault, query)


def test_a_change_that_was_taken_back_is_noticed(vault: IndexedVault, query: Vectors) -> None:
    nearest(vault, query)
    with suppress(ZeroDivisionError), vault.db.transaction():
        vault.notes.remove(["3.md"])
        _ = 1 / 0
    vault.notes.remove(["10.md"])
    assert len(vault.vectors) == 29
    assert holds_what_is_used(vault, query)


def test_a_large_file_that_is_a_little_behind_is_left_until_it_is_needed(
    vault: IndexedVault, query: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_SMALL_INDEX", 10)
    vault.vectors.unload()
    before = vault.vectors.path.stat()
    vault.write("new.md", "topic3")
    vault.sync()
    assert not vault.vectors.loaded
    assert vault.vectors.path.stat() == before
    assert holds_what_is_used(vault, query)
    vault.sync()
    assert vault.vectors.path.stat() != before


@pytest.mark.parametrize(("before", "after"), [(100, 10), (10, 100)])
def test_an_index_that_grows_or_shrinks_past_the_limit_changes_its_library(
    vault: IndexedVault, query: Vectors, monkeypatch: pytest.MonkeyPatch, before: int, after: int
) -> None:
    monkeypatch.setattr(vectors, "_has_faiss", lambda: True)
    monkeypatch.setattr(vectors, "_NUMPY_UP_TO", before)
    vault.reopen()
    found = dict(vault.vectors.search(query, 30))
    monkeypatch.setattr(vectors, "_NUMPY_UP_TO", after)
    vault.write("new.md", "wasps")
    vault.sync()
    again = dict(vault.vectors.search(query, 31))
    assert {id_: again[id_] for id_ in found} == pytest.approx(found, abs=1e-4)
    assert len(vault.vectors) == 31
    assert holds_what_is_used(vault, query)


def test_a_small_index_loads_no_faiss(
    vault: IndexedVault, query: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_has_faiss", lambda: True)
    monkeypatch.setattr(vectors, "_NUMPY_UP_TO", 30)
    monkeypatch.setattr(vectors, "faiss", None)
    vault.reopen()
    vault.sync()
    assert len(nearest(vault, query)) == 4
