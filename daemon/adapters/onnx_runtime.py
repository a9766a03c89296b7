"""The only place that imports onnxruntime, whose builds send telemetry by default."""

import os
from types import ModuleType

# Read once, when the library is loaded: no event, no upload, no device id on disk.
NO_TELEMETRY = {"ORT_DISABLE_TELEMETRY": "1"}


def load_onnxruntime() -> ModuleType:
    """Import onnxruntime without its telemetry."""
    os.environ.update(NO_TELEMETRY)
    import onnxruntime  # noqa: PLC0415 only a model process needs it

    module: ModuleType = onnxruntime
    return module
