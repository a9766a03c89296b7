"""Another model: everything is embedded again, what is found is right, and the way back is free."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from daemon.model.evidence import Match
from daemon.ports import Vectors
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.indexed_vault import IndexedVault

NOTES = 20


class SmallEmbedder(FakeEmbedder):
    """Another model: half the dimensions, other directions."""

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        whole = super().embed(texts, progress)
        folded = whole[:, ::2] + 2 * whole[:, 1::2]
        unit: Vectors = folded / np.linalg.norm(folded, axis=1, keepdims=True)
        return unit


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    vault = IndexedVault(tmp_path)
    for number in range(NOTES):
        vault.write(f"{number}.md", f"note on subject{number} and subject{number + 1}\n")
    vault.sync()
    yield vault
    vault.db.close()


def change_model(vault: IndexedVault, embedder: FakeEmbedder) -> None:
    vault.embedder = embedder
    vault.reopen()


def found(vault: IndexedVault) -> list[list[Match]]:
    queries = [f"subject{number}" for number in range(NOTES)]
    return vault.search.nearest_chunks(vault.embedder.embed(queries), 3)


def found_cold(vault: IndexedVault, folder: Path) -> list[list[Match]]:
    cold = IndexedVault(folder, root=vault.root)
    change_model(cold, type(vault.embedder)(vault.embedder.model))
    cold.sync()
    near = found(cold)
    cold.db.close()
    return near


def test_another_model_finds_what_it_would_have_found_from_the_start(
    vault: IndexedVault, tmp_path: Path
) -> None:
    first = found(vault)
    change_model(vault, SmallEmbedder("small"))
    assert vault.sync().embedded == NOTES
    assert found(vault) == found_cold(vault, tmp_path / "cold")
    assert found(vault) != first


def test_the_way_back_embeds_nothing_and_finds_the_same(vault: IndexedVault) -> None:
    first = found(vault)
    change_model(vault, SmallEmbedder("small"))
    vault.sync()
    change_model(vault, FakeEmbedder())
    assert vault.sync().embedded == 0
    assert found(vault) == first


def test_after_the_way_back_the_file_is_the_right_one_again(vault: IndexedVault) -> None:
    whole = vault.vectors.path.read_bytes()
    change_model(vault, SmallEmbedder("small"))
    vault.sync()
    assert vault.vectors.path.read_bytes() != whole
    change_model(vault, FakeEmbedder())
    vault.sync()
    assert len(vault.vectors.path.read_bytes()) == len(whole)
    vault.reopen()
    assert len(vault.vectors) == NOTES
    assert not vault.sync().changed


def test_until_it_has_embedded_another_model_finds_nothing_wrong(vault: IndexedVault) -> None:
    change_model(vault, SmallEmbedder("small"))
    assert found(vault) == [[] for _ in range(NOTES)]
    assert vault.search.search("subject7")[0].path in ("6.md", "7.md")
