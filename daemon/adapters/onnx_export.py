"""Write a BERT embedding model as an ONNX graph, and quantise it. Needs no torch.

Attention and the sums before each normalisation are single operators of onnxruntime (domain
`com.microsoft`): what an exporter writes has to be fused into them afterwards.
"""

from pathlib import Path
from typing import Any

import numpy as np

from daemon.adapters.onnx_runtime import load_onnxruntime
from daemon.adapters.onnx_weights import Bert

_MICROSOFT = "com.microsoft"
_OPSETS = {"": 18, _MICROSOFT: 1}
_IR_VERSION = 9
_INPUT, _OUTPUT = "input_ids", "vectors"


def write_float(model: Bert, file: Path) -> None:
    """Write the model: (n, tokens) int64 ids without padding in, (n, d) unit vectors out.

    Word vectors are kept in half precision, everything else in single precision.
    """
    import onnx  # noqa: PLC0415 only where a copy is made

    graph = _Graph(model)
    graph.embed()
    for layer in range(model.layers):
        graph.add_layer(layer)
    graph.pool()
    onnx.save(graph.finished(), str(file))


def quantise(float_file: Path, file: Path, *, is_reduced: bool) -> None:
    """Write the int8 copy of a float model: weights per column, activations as they come.

    With `is_reduced`, weights have 7 bits: older x86 processors overflow on 8.
    """
    load_onnxruntime()
    from onnx import TensorProto  # noqa: PLC0415 only where a copy is made
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 as onnx

    quantize_dynamic(
        str(float_file),
        str(file),
        op_types_to_quantize=["MatMul", "Attention"],
        per_channel=True,
        reduce_range=is_reduced,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )


class _Graph:
    """A graph that grows from the input to the output."""

    def __init__(self, model: Bert) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._last = _INPUT  # the name of what was computed last

    def embed(self) -> None:
        """Look up the vectors of tokens and positions, add them and normalise."""
        table = self._of("embeddings.word_embeddings.weight").astype(np.float16)
        kinds = self._of("embeddings.token_type_embeddings.weight")[0]
        positions = self._of("embeddings.position_embeddings.weight") + kinds
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
        weights = np.concatenate([self._of(f"{each}.weight").T for each in parts], axis=1)
        biases = np.concatenate([self._of(f"{each}.bias") for each in parts])
        names = [
            self._constant(f"{prefix}.qkv.weight", weights),
            self._constant(f"{prefix}.qkv.bias", biases),
        ]
        seen = self._add(
            "Attention", [before, *names], f"{prefix}.seen", _MICROSOFT, num_heads=self._model.heads
        )
        output = f"{prefix}.attention.output"
        middle = self._normalise(
            [self._times(f"{output}.dense", seen), before], output, f"{output}.dense.bias"
        )
        wide = f"{prefix}.intermediate.dense"
        bias = self._constant(f"{wide}.bias", self._of(f"{wide}.bias"))
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

    def finished(self) -> Any:
        """Return the whole as a model."""
        from onnx import TensorProto, helper  # noqa: PLC0415 only where a copy is made

        width = self._of("embeddings.word_embeddings.weight").shape[1]
        graph = helper.make_graph(
            self._nodes,
            "embedding",
            [helper.make_tensor_value_info(_INPUT, TensorProto.INT64, ["texts", "tokens"])],
            [helper.make_tensor_value_info(_OUTPUT, TensorProto.FLOAT, ["texts", width])],
            self._constants,
        )
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)

    def _of(self, name: str) -> Any:
        return self._model.weights[name]

    def _constant(self, name: str, array: Any) -> str:
        from onnx import numpy_helper  # noqa: PLC0415 only where a copy is made

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def _add(
        self, operator: str, inputs: list[str], output: str, domain: str = "", **how: Any
    ) -> str:
        from onnx import helper  # noqa: PLC0415 only where a copy is made

        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **how))
        return output

    def _times(self, name: str, of: str) -> str:
        weight = self._constant(f"{name}.weight", self._of(f"{name}.weight").T)
        return self._add("MatMul", [of, weight], f"{name}.product")

    def _normalise(self, pair: list[str], name: str, bias: str) -> str:
        """Add two tensors and a bias, and normalise by the layer norm of `name`."""
        norm = [f"{name}.LayerNorm.weight", f"{name}.LayerNorm.bias", *([bias] if bias else [])]
        constants = [self._constant(each, self._of(each)) for each in norm]
        return self._add(
            "SkipLayerNormalization",
            [*pair, *constants],
            f"{name}.normalised",
            _MICROSOFT,
            epsilon=self._model.epsilon,
        )
