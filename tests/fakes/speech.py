"""What listens to speech: a recogniser, and whether espeak-ng is there."""

import ctypes.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pocketsphinx
import pytest
import soundfile
from scipy.signal import resample_poly

needs_espeak = pytest.mark.skipif(
    ctypes.util.find_library("espeak-ng") is None, reason="espeak-ng is not installed"
)
_HEARD_AT = 16_000


def heard(path: Path, among: Sequence[str], starts: Sequence[float]) -> list[str]:
    """Return for each chapter of a file which of these phrases is heard in it."""
    samples, rate = soundfile.read(path, dtype="float32")
    decoder = pocketsphinx.Decoder(samprate=_HEARD_AT, lm=None, loglevel="FATAL")
    listed = " | ".join(among)
    decoder.add_jsgf_string("phrases", f"#JSGF V1.0; grammar g; public <p> = {listed};")
    decoder.activate_search("phrases")
    ends = [*starts[1:], samples.size / rate]
    return [
        _phrase(decoder, samples[int(start * rate) : int(end * rate)], rate)
        for start, end in zip(starts, ends, strict=True)
    ]


def _phrase(decoder: pocketsphinx.Decoder, samples: "npt.NDArray[np.float32]", rate: int) -> str:
    sound = resample_poly(samples, _HEARD_AT, rate)
    decoder.start_utt()
    decoder.process_raw((np.clip(sound, -1, 1) * 32767).astype(np.int16).tobytes(), full_utt=True)
    decoder.end_utt()
    return str(decoder.hyp().hypstr) if decoder.hyp() else ""
