"""A search over 100,000 chunks, without the embedding of the query."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.indexed import Indexed, open_index
from bench.measure import alone, clock, load, percentile
from bench.places import Places
from bench.queries import queries
from bench.table import Row
from daemon.ports import Vectors

P95_MS = 30.0
RECALL = 0.99
_QUERIES = 300
_NEAREST = 10


def rows(places: Places) -> Iterator[Row]:
    vault, state = places.made(places.large), places.state(places.large)
    found = alone("search", vault, state)
    name = f"search over {found['chunks']:,} chunks"
    yield Row(
        name,
        f"p95 {found['p95']:.1f} ms, median {found['p50']:.1f} ms (CPU p95 {found['cpu']:.1f} ms;"
        f" {load()})",
        f"limit {P95_MS:.0f} ms",
        f"{found['p95'] / P95_MS:.2f}",
        "≤ 1",
        found["p95"] <= P95_MS,
    )
    yield Row(
        f"{name}, the nearest {_NEAREST}",
        f"recall {found['recall']:.4f}",
        f"exact search, p95 {found['exact']:.1f} ms",
        f"{found['recall']:.4f}",
        f"≥ {RECALL}",
        found["recall"] >= RECALL,
    )


class _Known:
    """Gives the vectors that were made before the clock ran."""

    def __init__(self, model: str, vectors: dict[str, npt.NDArray[np.float32]]) -> None:
        self.model, self._vectors = model, vectors

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        return np.stack([self._vectors[text] for text in texts])

    def close(self) -> None:
        """Do nothing: there is no process."""


def measure(vault: str, state: str) -> dict[str, Any]:
    """Bring the index up to date, then search it."""
    indexed = open_index(Path(vault), Path(state))
    indexed.sync()
    chunks = indexed.notes.chunks()
    asked = queries(chunks[::50], _QUERIES)
    vectors = dict(zip(asked, indexed.embedder.embed(asked), strict=True))
    known = open_index(Path(vault), Path(state), _Known(indexed.embedder.model, vectors))
    known.search.search(asked[0])  # the first one loads the vectors
    took = []
    for query in asked:
        with clock() as one:
            known.search.search(query)
        took.append(one)
    recall, exact = _recall(known, [vectors[query] for query in asked])
    return {
        "chunks": len(chunks),
        "p50": percentile([one.wall for one in took], 0.5) * 1e3,
        "p95": percentile([one.wall for one in took], 0.95) * 1e3,
        "cpu": percentile([one.cpu for one in took], 0.95) * 1e3,
        "recall": recall,
        "exact": exact,
    }


def _recall(indexed: Indexed, asked: Sequence[npt.NDArray[np.float32]]) -> tuple[float, float]:
    """Return how many of the nearest are found, and how long comparing with every vector takes, in
    ms.
    """
    store, model = indexed.notes.embeddings, indexed.embedder.model
    blocks = list(store.vectors(store.used(model).tolist()))
    ids = np.concatenate([block[0] for block in blocks])
    matrix = np.concatenate([block[1] for block in blocks])
    shares, took = [], []
    for vector in asked:
        with clock() as one:
            cosines = matrix @ vector
            least = np.partition(cosines, -_NEAREST)[-_NEAREST]
        took.append(one.wall)
        found = [id_ for id_, _ in indexed.vectors.search(vector, _NEAREST)]
        # Among equals it does not matter which of them is found.
        near = cosines[np.searchsorted(ids, found)] >= least - 1e-6
        shares.append(float(near.mean()))
    return float(np.mean(shares)), percentile(took, 0.95) * 1e3
