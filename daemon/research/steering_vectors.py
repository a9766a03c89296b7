"""Which sentences steer their reader, by their embeddings together with their words.

Words that no steering sentence has used before leave the score of words low; their embedding is
still near those of sentences that recommend, dismiss or advertise. `steering_vectors.json` has the
weights for one embedding model, trained by `python -m bench.steering_model`.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from daemon.index.plain_text import plain
from daemon.model.arrays import np
from daemon.model.embedding_models import model_of
from daemon.ports import Embedder, Vectors
from daemon.research.steering import marked
from daemon.research.steering_model import is_english, wording

if TYPE_CHECKING:
    import numpy.typing as npt

_DIGITS = 2  # of a score: finer differences are noise, and must not decide


@dataclass(frozen=True, slots=True)
class _Table:
    model: str
    threshold: float
    words: float
    weights: "npt.NDArray[np.float64]"


def has_weights_for(model: str, dimensions: int) -> bool:
    """Return whether embeddings of a model, by its name, can be judged."""
    return bool(model) and (model, dimensions) == (_table().model, len(_table().weights))


def steer_by_meaning(
    sentences: Sequence[str], vectors: Vectors, terms: Collection[str]
) -> list[bool]:
    """Return which English sentences steer; `vectors` are `(n, d)`, `terms` keys of the question.

    The vectors must be of a model that `has_weights_for` knows.
    """
    table = _table()
    by_vector = np.einsum("nd,d->n", vectors.astype(np.float64), table.weights)
    texts = [marked(sentence, terms) for sentence in sentences]
    return [
        is_english(text)
        and round(table.words * wording(sentence, text, terms) + score, _DIGITS) >= table.threshold
        for sentence, text, score in zip(sentences, texts, by_vector.tolist(), strict=True)
    ]


def steering_flags(
    sentences: Sequence[str], embedder: Embedder | None, terms: Collection[str]
) -> list[bool]:
    """Return which sentences steer by their embeddings; none without a model that is known.

    Raises ModelError.
    """
    model = model_of(embedder.model) if embedder is not None else None
    if embedder is None or not sentences or model is None or model.name != _table().model:
        return [False] * len(sentences)
    return steer_by_meaning(sentences, embedder.embed([plain(each) for each in sentences]), terms)


@cache
def _table() -> _Table:
    found = json.loads(files(__package__).joinpath("steering_vectors.json").read_text("utf-8"))
    weights = np.array(found["weights"], np.float64)
    return _Table(found["model"], found["threshold"], found["words"], weights)
