"""The models of sentence-transformers: loaded in a model process only, if torch is to be used.

Loading torch takes seconds.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

# Read when the libraries are imported: load from the cache, never check the network.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TQDM_DISABLE"] = "1"  # a progress bar for half a second

import torch
from sentence_transformers import CrossEncoder, SentenceTransformer

_Compute: TypeAlias = Callable[[Any], np.ndarray[Any, np.dtype[np.float32]]]

_TEXTS_AT_ONCE = 32
_PAIRS_AT_ONCE = 16


def encoder(path: Path, threads: int) -> tuple[_Compute, str]:
    """Return the embedding model and its device."""
    device = _device(threads)
    model = SentenceTransformer(str(path), device=device, local_files_only=True)

    def embed(texts: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        vectors = model.encode(
            texts,
            batch_size=_TEXTS_AT_ONCE,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.ascontiguousarray(vectors, dtype="<f4")

    return embed, device


def cross_encoder(path: Path, threads: int, max_tokens: int) -> _Compute:
    """Return a function from a query and its passages to `(n, 1)` scores."""
    device = _device(threads)
    model = CrossEncoder(str(path), device=device, max_length=max_tokens, local_files_only=True)

    def score(request: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        query, passages = request
        logits = model.predict(
            [(query, passage) for passage in passages],
            batch_size=_PAIRS_AT_ONCE,
            activation_fn=torch.nn.Identity(),
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.ascontiguousarray(logits, dtype="<f4").reshape(len(passages), 1)

    return score


def _device(threads: int) -> str:
    """Set up torch; return the device: a graphics card if torch can use one."""
    torch.set_num_threads(threads)
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
