"""The only place that imports onnxruntime, whose builds send telemetry by default."""

import os
from pathlib import Path

from daemon.adapters.embed_protocol import NO_TELEMETRY

os.environ.update(NO_TELEMETRY)  # read once, when the library is loaded

import onnxruntime

__all__ = ["onnxruntime", "session"]


def session(model: Path, threads: int) -> "onnxruntime.InferenceSession":
    """Load a model that runs on this number of threads.

    They sleep while they wait for each other. By default, they wait in a busy loop, which doubled
    the CPU time of a cross-encoder on two threads. 0 threads: one for each core.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
