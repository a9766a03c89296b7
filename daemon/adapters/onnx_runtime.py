"""The only place that imports onnxruntime, whose builds send telemetry by default."""

import os

from daemon.adapters.embed_protocol import NO_TELEMETRY

os.environ.update(NO_TELEMETRY)  # read once, when the library is loaded

import onnxruntime

__all__ = ["onnxruntime"]
