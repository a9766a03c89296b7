from itertools import combinations
from pathlib import Path

import numpy as np

from daemon.analysis.pooling import ChunkVectors, chunk_vectors, note_vectors
from daemon.model.notes import Vector
from tests.fakes.indexed_vault import IndexedVault

TEMPLATE = """## How to use this page

Write down what you know in plain words, as if you told it to a friend over dinner. Say first what
it is, then who cares about it and why, and leave out whatever you would skip when reading it again
next year. List every open question, however small, and the next step that would answer it.

## Checklist

Read it aloud once before you close it. Link it to at least one other page of this collection. Add a
source for each number and each name. Remove adjectives that do no work. Ask somebody else to look
at it when it has grown longer than a screen, and thank them. Archive it when nobody has opened it
for two years, unless it is the only page on its subject.

"""
OTHER = """## Who was there

Everybody who spoke, with the team that sent them, in the order in which they joined the call. Put a
star behind those who have to leave early, and a plus behind guests.

## What was decided

One decision per line, each with a name and a date. Whatever nobody wants to own goes to the parking
lot at the bottom. Copy what was left over from the last meeting up here, cross out what is done.
Send the minutes before lunch, never later than the following morning.

"""
WORDS = {
    "bees": "queen hive nectar comb swarm honey drone pollen brood wax",
    "bread": "dough yeast oven crust crumb flour steam rye loaf starter",
    "tides": "moon ebb flood coast harbour spring neap current chart buoy",
}
TOPICS = {
    topic: [" ".join((words.split() * 2)[start : start + 6]) for start in range(0, 10, 2)]
    for topic, words in WORDS.items()
}


def vault_of(folder: Path, text: str) -> IndexedVault:
    vault = IndexedVault(folder)
    for topic, notes in TOPICS.items():
        for number, words in enumerate(notes):
            vault.write(f"{topic}{number}.md", text.replace("OWN", words))
    vault.sync()
    return vault


def vectors_in(vault: IndexedVault) -> dict[str, Vector]:
    return note_vectors(chunk_vectors(vault.notes, vault.embedder.model))


def plain_mean(vault: IndexedVault, path: str) -> Vector:
    rows = [row[3] for row in vault.notes.embeddings.of_chunks("fake") if row[0] == path]
    mean: Vector = np.mean(rows, axis=0)
    return mean / np.float32(np.linalg.norm(mean))


def has_its_topic_nearest(vectors: dict[str, Vector]) -> bool:
    nearest = {
        path: max(
            (other for other in vectors if other != path), key=lambda o: vectors[path] @ vectors[o]
        )
        for path in vectors
    }
    return all(path[:4] == other[:4] for path, other in nearest.items())


def test_a_shared_template_does_not_make_notes_more_similar(tmp_path: Path) -> None:
    bare = vectors_in(vault_of(tmp_path / "bare", "OWN"))
    vault = vault_of(tmp_path / "filled", f"{TEMPLATE}OWN")
    filled = vectors_in(vault)

    apart = [(a, b) for a, b in combinations(filled, 2) if a[:4] != b[:4]]
    assert np.mean([filled[a] @ filled[b] for a, b in apart]) < 0.3
    assert np.mean([plain_mean(vault, a) @ plain_mean(vault, b) for a, b in apart]) > 0.8
    assert has_its_topic_nearest(bare)
    assert has_its_topic_nearest(filled)


def test_a_template_does_not_stand_between_two_notes_on_one_topic(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path)
    words = {
        f"{topic}{n}.md": reported for topic, of in TOPICS.items() for n, reported in enumerate(of)
    }
    for place, (path, reported) in enumerate(sorted(words.items())):
        vault.write(path, f"{TEMPLATE if place % 2 else OTHER}{reported}")
    vault.sync()
    assert has_its_topic_nearest(vectors_in(vault))


def test_a_note_of_nothing_but_the_template_has_a_vector(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, f"{TEMPLATE}OWN")
    vault.write("Empty.md", TEMPLATE)
    vault.sync()
    assert np.linalg.norm(vectors_in(vault)["Empty.md"]) > 0.99


def test_without_anything_shared_it_is_the_mean_of_the_chunks(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, "OWN")
    vault.write("Long.md", "\n\n".join(f"## Part {n}\n\n" + f"word{n} " * 80 for n in range(3)))
    vault.sync()
    found = vectors_in(vault)["Long.md"]
    assert len(vault.notes.chunks("Long.md")) == 3
    np.testing.assert_allclose(found, plain_mean(vault, "Long.md"), atol=1e-6)


def test_the_vectors_after_an_edit_are_those_of_a_cold_index(tmp_path: Path) -> None:
    warm = vault_of(tmp_path / "warm", f"{TEMPLATE}OWN")
    warm.write("bees0.md", "no template any more")
    warm.write("New.md", f"{TEMPLATE}and one more")
    warm.sync()
    cold = IndexedVault(tmp_path / "cold", warm.root)
    cold.sync()
    ours, theirs = vectors_in(warm), vectors_in(cold)
    assert ours.keys() == theirs.keys()
    for path in ours:
        np.testing.assert_array_equal(ours[path], theirs[path])


def test_an_empty_index_has_no_vectors(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path)
    vault.sync()
    assert vectors_in(vault) == {}
    assert (
        note_vectors(ChunkVectors((), np.empty((0, 0), np.float32), np.empty(0, np.float32))) == {}
    )
