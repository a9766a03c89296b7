"""The process that speaks with Piper: `python -m daemon.adapters.speech.piper_engine`.

Piper (GPL) is optional, and loaded in this process only.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import piper

from daemon.adapters.speech.speak_worker import run
from daemon.adapters.speech.speaking import Samples, Speaking, SpeakingError


class PiperSpeaking(Speaking):
    """Piper: each voice is a model of its own."""

    def __init__(self, voices: Mapping[str, Path]) -> None:
        self._voices = {name: piper.PiperVoice.load(path) for name, path in voices.items()}
        rates = {voice.config.sample_rate for voice in self._voices.values()}
        if len(rates) > 1:
            raise SpeakingError("the two voices of Piper have different sample rates")
        self.rate = rates.pop()

    def say(self, text: str, voice: str, speed: float, language: str) -> Samples:
        config = piper.SynthesisConfig(length_scale=1 / speed)
        spoken = self._voices[voice].synthesize(text, syn_config=config)
        return np.concatenate([each.audio_float_array for each in spoken] or [np.zeros(0)]).astype(
            np.float32
        )


if __name__ == "__main__":
    sys.exit(run(lambda _model, voices, _work: PiperSpeaking(voices)))
