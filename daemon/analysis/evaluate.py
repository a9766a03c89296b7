"""Measure how well hidden links are found again: recall and reciprocal rank, for each kind of
signal.

    choose links | index the vault without them, in a separate folder | rank, for each source

The user's index is only read: notes and links to choose from, embeddings of unchanged text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path

import numpy as np

from daemon.analysis.graph import link_graph
from daemon.analysis.hiding import HiddenLink, HidingAdapter, choose
from daemon.analysis.pooling import chunk_vectors
from daemon.analysis.signals import Signals
from daemon.analysis.suggest import Signal, Suggester
from daemon.index.sync import Syncer
from daemon.model.embedding_models import model_of
from daemon.model.errors import LacunaError
from daemon.model.progress import Progress
from daemon.ports import Stop
from daemon.store.db import Database
from daemon.store.notes import NoteStore
from vault_adapters.base import VaultAdapter

NEAREST = 10
_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """How often the hidden note was among the first ten, and its mean reciprocal rank."""

    recall: float
    mrr: float  # of ranks up to ten; beyond, a reciprocal rank is 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result. `ranks` are those of the hidden targets, from 1, in the order of `hidden`."""

    notes: int
    links: int  # pairs of linked notes to choose from
    hidden: tuple[HiddenLink, ...]
    embedded: int  # chunks that had to be embedded again
    ranks: Mapping[Signal, tuple[int, ...]]
    weights: Mapping[str, float]

    def found(self, by: Signal) -> Found:
        ranks = np.array(self.ranks[by], np.float64)
        near = ranks <= NEAREST
        return Found(float(near.mean()), float(np.where(near, 1 / ranks, 0.0).mean()))


@dataclass(frozen=True, slots=True)
class Sample:
    """Which links are hidden: a share of them, at most `limit`, drawn with `seed`."""

    share: float = 0.2
    seed: int = 0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Vault:
    """The vault with its index, and the means to build another index of it."""

    adapter: VaultAdapter
    notes: NoteStore
    model: str
    syncer: Callable[[VaultAdapter, NoteStore], Syncer]


def evaluate(
    vault: Vault, sample: Sample, folder: Path, *, now: datetime, progress: Progress, stop: Stop
) -> Evaluation:
    """Hide links, index the rest in the empty `folder`, and search for them.

    Raises LacunaError if there is no link to hide, or no model; StoppedError.
    """
    graph = link_graph(vault.notes.all(), vault.notes.links())
    hidden = choose(graph, share=sample.share, seed=sample.seed, limit=sample.limit)
    if not hidden:
        raise LacunaError("there are no links between notes to hide, so nothing can be measured")
    db = Database(folder / "lacuna.db")
    try:
        without = NoteStore(db)
        _copy_embeddings(vault.notes, without, vault.model)
        hiding = HidingAdapter(vault.adapter, hidden, vault.notes.names())
        report = vault.syncer(hiding, without).sync(now=now, progress=progress, stop=stop)
        if report.trouble:
            raise LacunaError(f"nothing can be measured without a model: {report.trouble}")
        suggester = suggester_of(without, vault.model)
        ranks = _ranks(suggester, hidden, progress, stop)
    finally:
        db.close()
    return Evaluation(
        notes=len(graph.notes),
        links=len({frozenset((one, other)) for one in graph.notes for other in graph.out[one]}),
        hidden=hidden,
        embedded=report.embedded,
        ranks=ranks,
        weights=suggester.weights,
    )


def _copy_embeddings(notes: NoteStore, to: NoteStore, model: str) -> None:
    rows = notes.embeddings.saved(model)
    while block := list(islice(rows, _BLOCK)):
        hashes, vectors = zip(*block, strict=True)
        to.embeddings.save(model, hashes, np.stack(vectors))


def suggester_of(notes: NoteStore, model: str) -> Suggester:
    """Make a suggester of everything in an index."""
    vectors = chunk_vectors(notes, model)
    known = [each for each in notes.languages.counts() if model_of(model).knows(each)]
    share = notes.languages.share_known(known)
    signals = Signals(notes.all(), notes.links(), notes.chunks(), vectors)
    return Suggester(signals, known=share**2)


def _ranks(
    suggester: Suggester, hidden: Sequence[HiddenLink], progress: Progress, stop: Stop
) -> dict[Signal, tuple[int, ...]]:
    ranks: dict[Signal, list[int]] = {by: [] for by in Signal}
    for done, (by, rank) in enumerate(_each_rank(suggester, hidden)):
        stop.check()
        ranks[by].append(rank)
        progress(done // len(Signal) + 1, len(hidden), "searching for the hidden links")
    return {by: tuple(found) for by, found in ranks.items()}


def _each_rank(suggester: Suggester, hidden: Sequence[HiddenLink]) -> Iterator[tuple[Signal, int]]:
    """Return the rank of each hidden link by each kind of signal."""
    ids = suggester.signals.ids
    for path, of_source in groupby(hidden, key=lambda link: link.source):
        source = ids[path]
        signals = suggester.signals.features(source)
        orders = {by: suggester.order(suggester.scores(signals, by), source) for by in Signal}
        for link in of_source:
            for by in Signal:
                yield by, orders[by].index(ids[link.target]) + 1
