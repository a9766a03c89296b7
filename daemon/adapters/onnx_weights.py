"""The weights and configuration of a BERT embedding model, read without torch."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from daemon.adapters.onnx_file import read_tensors
from daemon.model.errors import ModelError

Tensor: TypeAlias = "npt.NDArray[np.float32]"

_EMBEDDINGS = "embeddings"
# The matrices of one layer, in the order of the packaged file.
_MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


@dataclass(frozen=True, slots=True)
class Bert:
    """Weights by their names in the transformers library, without a prefix; matrices are (out,
    in).
    """

    weights: Mapping[str, Tensor]
    heads: int
    layers: int
    epsilon: float
    longest: int  # tokens to which a text is truncated


def read_bert(folder: Path) -> Bert:
    """Read a folder of sentence-transformers.

    Raises ModelError for anything but a BERT with mean pooling: a copy of it would have other
    vectors.
    """
    config = _json(folder / "config.json")
    _check(folder, config)
    found = load_file(folder / "model.safetensors")
    prefix = "" if f"{_EMBEDDINGS}.word_embeddings.weight" in found else "bert."
    lengths = (_json(folder / "sentence_bert_config.json").get("max_seq_length"), 512)
    return Bert(
        weights={
            name.removeprefix(prefix): tensor.astype(np.float32, copy=False)
            for name, tensor in found.items()
        },
        heads=config["num_attention_heads"],
        layers=config["num_hidden_layers"],
        epsilon=float(config["layer_norm_eps"]),
        longest=min(filter(None, (*lengths, config["max_position_embeddings"]))),
    )


def read_packaged(file: Path) -> Bert:
    """Read the weights of all-MiniLM-L6-v2 from the ONNX file of the package.

    They are int8 numbers, each row or column with its own scale.
    """
    tensors = read_tensors(file)
    layers = 6
    matrices = [name for name in tensors if name.startswith("val_") and name.endswith("_q")]
    names = [f"encoder.layer.{layer}.{each}" for layer in range(layers) for each in _MATRICES]
    weights = {
        name.removeprefix("inner."): tensor
        for name, tensor in tensors.items()
        if name.startswith("inner.") and not name.endswith(("_q", "_scale", "position_ids"))
    }

    def scaled(name: str) -> Tensor:
        product: Tensor = tensors[f"{name}_q"].astype(np.float32) * tensors[f"{name}_scale"]
        return product

    for each in ("word_embeddings", "position_embeddings"):
        weights[f"{_EMBEDDINGS}.{each}.weight"] = scaled(f"inner.{_EMBEDDINGS}.{each}.weight")
    for name, matrix in zip(names, matrices, strict=True):
        weights[f"{name}.weight"] = scaled(matrix.removesuffix("_q")).T
    return Bert(weights, heads=12, layers=layers, epsilon=1e-12, longest=256)


def _check(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise ModelError unless the copy computes exactly what the model does."""
    modules = [str(each["type"]).rpartition(".")[2] for each in _modules(folder)]
    pooling = _json(folder / "1_Pooling" / "config.json")
    modes = {name for name, is_on in pooling.items() if is_on is True and "_mode_" in name}
    is_mean = modes == {"pooling_mode_mean_tokens"} or (
        not modes and pooling.get("pooling_mode") == "mean"
    )
    reasons = {
        "its architecture is not BERT": config.get("model_type") != "bert",
        "its activation is not GELU": config.get("hidden_act") != "gelu",
        "its positions are not absolute": config.get("position_embedding_type", "absolute")
        != "absolute",
        "its vectors are not the mean of its token vectors": not is_mean,
        "it has modules besides a transformer and pooling": modules[:2]
        != ["Transformer", "Pooling"]
        or modules[2:] not in ([], ["Normalize"]),
        "it lower-cases texts itself": bool(
            _json(folder / "sentence_bert_config.json").get("do_lower_case")
        ),
        "its weights are not in safetensors": not (folder / "model.safetensors").is_file(),
    }
    for reason, is_so in reasons.items():
        if is_so:
            raise ModelError(f"cannot copy the model to ONNX format: {reason}")


def _modules(folder: Path) -> list[Mapping[str, Any]]:
    path = folder / "modules.json"
    modules: list[Mapping[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return modules


def _json(path: Path) -> Mapping[str, Any]:
    """Return the object in a JSON file, empty if there is no file."""
    found: Mapping[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found
