"""The process that speaks with Kokoro-82M: `python -m daemon.adapters.speech.kokoro_engine`.

kokoro-onnx uses phonemizer and espeak-ng (GPL): it is optional, and loaded in this process only.
"""

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import kokoro_onnx
import numpy as np

from daemon.adapters.onnx_runtime import session
from daemon.adapters.speech.speak_worker import run
from daemon.adapters.speech.speaking import Samples, Speaking

_ALL_CORES = 0  # as onnxruntime counts threads


class KokoroSpeaking(Speaking):
    """Kokoro-82M by kokoro-onnx. The files of voices are joined in `work`, a folder of our own."""

    rate = 24_000

    def __init__(self, model: Sequence[Path], voices: Mapping[str, Path], work: Path) -> None:
        # phonemizer copies a library by `shutil.copy`, but no confined process may set modes.
        shutil.copymode = _keep_mode  # type: ignore[assignment]
        self._kokoro = kokoro_onnx.Kokoro.from_session(
            session(_joined(model, work), _ALL_CORES), str(_voices(voices, work))
        )

    def say(self, text: str, voice: str, speed: float, language: str) -> Samples:
        accent = "en-gb" if voice.startswith("b") else "en-us"
        samples, _ = self._kokoro.create(text, voice, speed=speed, lang=accent)
        return np.asarray(samples, np.float32)


def _keep_mode(_from: object, _to: object, *, follow_symlinks: bool = True) -> None:
    """Leave the mode of a copy as it is."""


def _joined(model: Sequence[Path], work: Path) -> Path:
    """Return the model as one file."""
    if len(model) == 1:
        return model[0]
    whole = work / "model.onnx"
    with whole.open("wb") as file:
        for part in model:
            file.write(part.read_bytes())
    return whole


def _voices(voices: Mapping[str, Path], work: Path) -> Path:
    """Return a file with all voices, as kokoro-onnx reads it."""
    [first, *_] = voices.values()
    if first.name.startswith("voices"):
        return first
    styles = {
        name: np.fromfile(path, np.float32).reshape(-1, 1, 256) for name, path in voices.items()
    }
    together = work / "voices.npz"
    np.savez(together, **styles)  # type: ignore[arg-type]
    return together


if __name__ == "__main__":
    sys.exit(run(KokoroSpeaking))
