"""onnxruntime sends nothing: what its builds report to their maker is off before it is loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.adapters.model_child import _environment
from daemon.child_environment import child_environment

_LOAD = """
from daemon.adapters.onnx_runtime import onnxruntime
onnxruntime.SessionOptions()
import os
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def test_the_library_leaves_no_device_id_and_no_events(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    environ = {**child_environment(), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    # It also holds back where it takes a machine for one that only tests.
    for name in ("CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS"):
        environ.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", _LOAD], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"
    assert list(tmp_path.iterdir()) == []


def test_a_model_process_begins_without_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "ORT_DISABLE_TELEMETRY", "0")
    assert _environment(1)["ORT_DISABLE_TELEMETRY"] == "1"
