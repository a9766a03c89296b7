"""Write a BERT embedding model as an ONNX graph, exact or with int8 weights. Needs no torch.

Attention and the sums before each normalisation are single operators of onnxruntime (domain
`com.microsoft`); the output of an exporter would have to be fused into them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from daemon.adapters import onnx_file
from daemon.adapters.onnx_weights import Bert

_MICROSOFT = "com.microsoft"
_OPSETS = {"": 18, _MICROSOFT: 1}
_INPUT, _OUTPUT = "input_ids", "vectors"


def write_onnx(model: Bert, file: Path, *, largest: int = 0) -> None:
    """Write the model: (n, tokens) int64 ids without padding in, (n, d) unit vectors out.

    `largest` is the largest number of an int8 weight: 127, or 63 for older x86 processors, which
    overflow on 8 bits; 0 for the exact model. Weights have a scale per column; activations are
    quantised per tensor, dynamically. Word vectors are stored in half precision. Raises OSError.
    """
    graph = _Graph(model, largest)
    graph.embed()
    for layer in range(model.layers):
        graph.add_layer(layer)
    graph.pool()
    graph.write(file)


class _Graph:
    """A graph that grows from the input to the output."""

    def __init__(self, model: Bert, largest: int) -> None:
        self._model = model
        self._largest = largest
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._last = _INPUT  # the name of the last computed value

    def embed(self) -> None:
        """Look up the vectors of tokens and positions, add them and normalise."""
        table = self._weight("embeddings.word_embeddings.weight").astype(np.float16)
        kinds = self._weight("embeddings.token_type_embeddings.weight")[0]
        positions = self._weight("embeddings.position_embeddings.weight") + kinds
        zero = self._constant("zero", np.array([0], dtype=np.int64))
        half = self._add("Gather", [self._constant("words", table), _INPUT], "half")
        words = self._add("Cast", [half], "words_here", to=1)
        length = self._add("Shape", [_INPUT], "length", start=1, end=2)
        table_name = self._constant("positions", positions)
        here = self._add("Slice", [table_name, zero, length, zero], "positions_here")
        row = self._add("Unsqueeze", [here, zero], "positions_row")
        self._last = self._normalise([words, row], "embeddings", bias="")

    def add_layer(self, number: int) -> None:
        """Add attention and the feed-forward part."""
        before, prefix = self._last, f"encoder.layer.{number}"
        parts = [f"{prefix}.attention.self.{each}" for each in ("query", "key", "value")]
        weights = np.concatenate([self._weight(f"{each}.weight").T for each in parts], axis=1)
        biases = np.concatenate([self._weight(f"{each}.bias") for each in parts])
        seen = self._add_attention(before, prefix, weights, biases)
        output = f"{prefix}.attention.output"
        middle = self._normalise(
            [self._times(f"{output}.dense", seen), before], output, f"{output}.dense.bias"
        )
        wide = f"{prefix}.intermediate.dense"
        bias = self._constant(f"{wide}.bias", self._weight(f"{wide}.bias"))
        wider = self._add(
            "BiasGelu", [self._times(wide, middle), bias], f"{prefix}.wide", _MICROSOFT
        )
        narrow = f"{prefix}.output"
        self._last = self._normalise(
            [self._times(f"{narrow}.dense", wider), middle], narrow, f"{narrow}.dense.bias"
        )

    def pool(self) -> None:
        """Take the mean of all tokens' vectors, of unit length."""
        one = self._constant("one", np.array([1], dtype=np.int64))
        mean = self._add("ReduceMean", [self._last, one], "mean", keepdims=0)
        self._add("LpNormalization", [mean], _OUTPUT, axis=-1, p=2)

    def write(self, file: Path) -> None:
        """Write the graph as a model. Raises OSError."""
        width = self._weight("embeddings.word_embeddings.weight").shape[1]
        onnx_file.write_model(
            file,
            _OPSETS,
            node=self._nodes,
            initializer=self._constants,
            input=[onnx_file.value(_INPUT, "<i8", ["texts", "tokens"])],
            output=[onnx_file.value(_OUTPUT, "<f4", ["texts", width])],
        )

    def _weight(self, name: str) -> Any:
        return self._model.weights[name]

    def _constant(self, name: str, array: Any) -> str:
        self._constants.append(onnx_file.constant(name, array))
        return name

    def _add(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **how: float
    ) -> str:
        self._nodes.append(onnx_file.node(operator, inputs, [output], domain, **how))
        return output

    def _quantised(self, name: str, weight: Any) -> tuple[str, str]:
        """Add an int8 weight and the scale of each of its columns."""
        scale = np.maximum(np.abs(weight).max(axis=0), 1e-12) / self._largest
        whole = np.rint(weight / scale).astype(np.int8)
        return (
            self._constant(f"{name}.weight", whole),
            self._constant(f"{name}.scale", scale.astype(np.float32)),
        )

    def _times(self, name: str, operand: str) -> str:
        weight, output = self._weight(f"{name}.weight").T, f"{name}.product"
        if not self._largest:
            return self._add("MatMul", [operand, self._constant(f"{name}.weight", weight)], output)
        return self._add(
            "DynamicQuantizeMatMul", [operand, *self._quantised(name, weight)], output, _MICROSOFT
        )

    def _add_attention(self, before: str, prefix: str, weights: Any, biases: Any) -> str:
        bias = self._constant(f"{prefix}.qkv.bias", biases)
        output, heads = f"{prefix}.seen", self._model.heads
        if not self._largest:
            weight = self._constant(f"{prefix}.qkv.weight", weights)
            inputs = [before, weight, bias]
            return self._add("Attention", inputs, output, _MICROSOFT, num_heads=heads)
        whole, scale, zero = (f"{prefix}.{each}" for each in ("whole", "scale", "zero"))
        self._nodes.append(
            onnx_file.node("DynamicQuantizeLinear", [before], [whole, scale, zero], "")
        )
        weight, weight_scale = self._quantised(f"{prefix}.qkv", weights)
        no_mask = ""
        inputs = [whole, weight, bias, scale, weight_scale, no_mask, zero]
        return self._add("QAttention", inputs, output, _MICROSOFT, num_heads=heads)

    def _normalise(self, pair: list[str], name: str, bias: str) -> str:
        """Add two tensors and a bias, and normalise by the layer norm of `name`."""
        norm = [f"{name}.LayerNorm.weight", f"{name}.LayerNorm.bias", *([bias] if bias else [])]
        constants = [self._constant(each, self._weight(each)) for each in norm]
        return self._add(
            "SkipLayerNormalization",
            [*pair, *constants],
            f"{name}.normalised",
            _MICROSOFT,
            epsilon=self._model.epsilon,
        )
