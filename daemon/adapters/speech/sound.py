"""From samples to a file: silence between lines, one loudness, Opus or MP3."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyloudnorm
import soundfile
from scipy.signal import resample_poly

from daemon.adapters.speech.speaking import Samples
from daemon.model.audio import AudioFormat

RATE = 24_000  # of the files: Opus knows 8, 12, 16, 24 and 48 kHz
LOUDNESS = -16.0  # LUFS, as podcasts have it (AES TD1008)
_PEAK = 10 ** (-1.5 / 20)  # of full scale
_MIN_MEASURED = 0.4  # seconds: a shorter signal has no loudness
_QUIETEST = -70.0  # LUFS, below which there is nothing to hear
# As soundfile counts it, from 0 (best) to 1: about 40 kbit/s of Opus, 64 of MP3.
_COMPRESSION = {AudioFormat.OPUS: 0.87, AudioFormat.MP3: 0.6}
_KINDS = {AudioFormat.OPUS: ("OGG", "OPUS"), AudioFormat.MP3: ("MP3", "MPEG_LAYER_III")}
_BLOCK = RATE * 10


@dataclass(frozen=True, slots=True)
class Levels:
    """The loudness in LUFS and the peak in dBFS."""

    loudness: float
    peak: float


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), np.float32)


def at_rate(samples: Samples, rate: int) -> Samples:
    """Return samples at the rate of the files, without the silence at both ends."""
    if not samples.size:
        return samples
    heard = np.flatnonzero(np.abs(samples) > 10 ** (-50 / 20))
    if heard.size:
        samples = samples[heard[0] : heard[-1] + 1]
    shared = math.gcd(RATE, rate)
    resampled = resample_poly(samples, RATE // shared, rate // shared)
    return np.asarray(resampled, np.float32)


def levelled(parts: Sequence[Samples]) -> tuple[Samples, Levels]:
    """Join the parts at one loudness; peaks are limited smoothly. They should have speech."""
    whole = np.concatenate(parts)
    if whole.size >= _MIN_MEASURED * RATE:
        measured = loudness_of(whole)
        if measured > _QUIETEST:
            whole = _limited(whole * np.float32(10 ** ((LOUDNESS - measured) / 20)))
    peak = float(np.abs(whole).max(initial=0.0))
    return whole, Levels(loudness_of(whole), 20 * math.log10(max(peak, 1e-9)))


def loudness_of(samples: Samples, rate: int = RATE) -> float:
    """Return the integrated loudness in LUFS (ITU-R BS.1770-4); -70 for silence."""
    if samples.size < _MIN_MEASURED * rate:
        return _QUIETEST
    return max(_QUIETEST, float(pyloudnorm.Meter(rate).integrated_loudness(samples)))


def write(path: Path, samples: Samples, form: AudioFormat) -> None:
    """Write a file. Blocks: libsndfile keeps what Opus encodes in one go on its stack."""
    kind, subtype = _KINDS[form]
    with soundfile.SoundFile(
        path, "w", RATE, 1, subtype, format=kind, compression_level=_COMPRESSION[form]
    ) as file:
        for start in range(0, samples.size, _BLOCK):
            file.write(samples[start : start + _BLOCK])


def _limited(samples: Samples) -> Samples:
    """Bend what is above half of the highest peak, so that nothing is clipped."""
    knee = _PEAK / 2
    over = np.abs(samples) - knee
    bent = knee + (_PEAK - knee) * np.tanh(over / (_PEAK - knee))
    return np.where(over > 0, np.sign(samples) * bent, samples).astype(np.float32)
