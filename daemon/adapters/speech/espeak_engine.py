"""The process that speaks with espeak-ng: `python -m daemon.adapters.speech.espeak_engine`.

It uses the C interface (speak_lib.h) of the library (GPL) that the system brings.
"""

import ctypes
import sys
from typing import Any, ClassVar

import numpy as np

from daemon.adapters.speech.speak_worker import run
from daemon.adapters.speech.speaking import Samples, Speaking, SpeakingError


class EspeakSpeaking(Speaking):
    """The library of espeak-ng, which the system brings: its C interface, speak_lib.h."""

    _RETRIEVAL, _NO_EXIT, _UTF8, _RATE = 2, 0x8000, 1, 1
    _WORDS_A_MINUTE: ClassVar[int] = 165
    _CALLBACK = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
    )

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        self._parts: list[Samples] = []
        self.rate = self._library.espeak_Initialize(self._RETRIEVAL, 0, None, self._NO_EXIT)
        if self.rate <= 0:
            raise SpeakingError("espeak-ng found no voices")
        self._callback = self._CALLBACK(self._take)  # must live as long as the library uses it
        self._library.espeak_SetSynthCallback(self._callback)

    def say(self, text: str, voice: str, speed: float, language: str) -> Samples:
        name = voice if language in ("en", "") else language
        if self._library.espeak_SetVoiceByName(name.encode()) != 0:
            if name == voice:
                raise SpeakingError(f"espeak-ng has no voice called {voice}")
            self._library.espeak_SetVoiceByName(voice.encode())
        self._library.espeak_SetParameter(self._RATE, round(self._WORDS_A_MINUTE * speed), 0)
        self._parts.clear()
        data = text.encode() + b"\0"
        self._library.espeak_Synth(data, len(data), 0, 0, 0, self._UTF8, None, None)
        self._library.espeak_Synchronize()
        return np.concatenate(self._parts or [np.zeros(0, np.float32)])

    def _take(self, samples: Any, count: int, _events: Any) -> int:
        if samples and count:
            whole = np.ctypeslib.as_array(samples, (count,))
            self._parts.append(whole.astype(np.float32) / np.float32(32768))
        return 0


if __name__ == "__main__":
    sys.exit(run(lambda model, _voices, _work: EspeakSpeaking(str(model[0]))))
