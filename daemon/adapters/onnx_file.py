"""Files in ONNX format: the few messages of onnx.proto that a copy of a model needs.

They are read and written with protobuf, which onnxruntime depends on anyway. The package `onnx` has
all of them, and takes 33 MB.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Array: TypeAlias = "npt.NDArray[Any]"

_PACKAGE = "lacuna.onnx"
# Message → field → its number and type; a type in brackets is repeated.
_MESSAGES: Mapping[str, Mapping[str, tuple[int, str]]] = {
    "Tensor": {
        "dims": (1, "[int64]"),
        "data_type": (2, "int32"),
        "name": (8, "string"),
        "raw_data": (9, "bytes"),
    },
    "Attribute": {
        "name": (1, "string"),
        "f": (2, "float"),
        "i": (3, "int64"),
        "type": (20, "int32"),
    },
    "Node": {
        "input": (1, "[string]"),
        "output": (2, "[string]"),
        "op_type": (4, "string"),
        "attribute": (5, "[Attribute]"),
        "domain": (7, "string"),
    },
    "Dimension": {"dim_value": (1, "int64"), "dim_param": (2, "string")},
    "Shape": {"dim": (1, "[Dimension]")},
    "TensorType": {"elem_type": (1, "int32"), "shape": (2, "Shape")},
    "Type": {"tensor_type": (1, "TensorType")},
    "ValueInfo": {"name": (1, "string"), "type": (2, "Type")},
    "Graph": {
        "node": (1, "[Node]"),
        "name": (2, "string"),
        "initializer": (5, "[Tensor]"),
        "input": (11, "[ValueInfo]"),
        "output": (12, "[ValueInfo]"),
    },
    "Opset": {"domain": (1, "string"), "version": (2, "int64")},
    "Model": {"ir_version": (1, "int64"), "graph": (7, "Graph"), "opset_import": (8, "[Opset]")},
}
_SCALARS = {
    "float": 2,
    "int64": 3,
    "int32": 5,
    "string": 9,
    "bytes": 12,
}  # field types as protobuf numbers them
_MESSAGE = 11
_OPTIONAL, _REPEATED = 1, 3
_DTYPES: Mapping[int, str] = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 10: "<f2"}
_KINDS = {np.dtype(name): number for number, name in _DTYPES.items()}
_FLOAT, _INT = 1, 2  # kinds of attributes
_IR_VERSION = 9


def read_tensors(file: Path) -> dict[str, Array]:
    """Return the constants of a model by name, in order; constants of other types are skipped.

    Raises OSError, and protobuf's DecodeError for a file of another kind.
    """
    model = _message("Model")
    model.ParseFromString(file.read_bytes())
    return {
        each.name: np.frombuffer(each.raw_data, _DTYPES[each.data_type]).reshape(each.dims)
        for each in model.graph.initializer
        if each.data_type in _DTYPES and each.raw_data
    }


def node(
    operator: str, inputs: Iterable[str], outputs: Iterable[str], domain: str, **how: float
) -> Any:
    """Return one operation; attributes are integers or floats."""
    attributes = [
        _message("Attribute", name=name, type=_INT, i=value)
        if isinstance(value, int)
        else _message("Attribute", name=name, type=_FLOAT, f=value)
        for name, value in how.items()
    ]
    return _message(
        "Node",
        op_type=operator,
        input=inputs,
        output=outputs,
        domain=domain,
        attribute=attributes,
    )


def constant(name: str, array: Array) -> Any:
    """Return a constant tensor."""
    return _message(
        "Tensor",
        name=name,
        dims=array.shape,
        data_type=_KINDS[array.dtype],
        raw_data=np.ascontiguousarray(array).tobytes(),
    )


def value(name: str, dtype: str, dimensions: Sequence[str | int]) -> Any:
    """Return an input or an output; a dimension with a name may have any size."""
    shape = [
        _message("Dimension", dim_value=each)
        if isinstance(each, int)
        else _message("Dimension", dim_param=each)
        for each in dimensions
    ]
    tensor = _message(
        "TensorType", elem_type=_KINDS[np.dtype(dtype)], shape=_message("Shape", dim=shape)
    )
    return _message("ValueInfo", name=name, type=_message("Type", tensor_type=tensor))


def write_model(file: Path, opsets: Mapping[str, int], **graph: Any) -> None:
    """Write a model; `graph` has `node`, `initializer`, `input` and `output`. Raises OSError."""
    imports = [
        _message("Opset", domain=domain, version=version) for domain, version in opsets.items()
    ]
    model = _message(
        "Model",
        ir_version=_IR_VERSION,
        opset_import=imports,
        graph=_message("Graph", name="embedding", **graph),
    )
    file.write_bytes(model.SerializeToString())


def _message(kind: str, **fields: Any) -> Any:
    return _classes()[kind](**fields)


@cache
def _classes() -> Mapping[str, Any]:
    """Return the messages as protobuf's classes."""
    file = descriptor_pb2.FileDescriptorProto(name="lacuna_onnx.proto", package=_PACKAGE)
    for kind, fields in _MESSAGES.items():
        message = file.message_type.add(name=kind)
        for name, (number, type_) in fields.items():
            plain = type_.strip("[]")
            field = message.field.add(
                name=name, number=number, label=_OPTIONAL if plain == type_ else _REPEATED
            )
            field.type = _SCALARS.get(plain, _MESSAGE)
            if plain not in _SCALARS:
                field.type_name = f".{_PACKAGE}.{plain}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        kind: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{kind}"))
        for kind in _MESSAGES
    }
