"""What every engine of speech can do."""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]


class SpeakingError(Exception):
    """An engine cannot speak; the message says why."""


class Speaking(ABC):
    """A speech engine: speaks a text with a voice, as samples from -1 to 1."""

    rate: int  # samples per second

    @abstractmethod
    def say(self, text: str, voice: str, speed: float, language: str) -> Samples:
        """Return `(n,)` float32. `language` is an ISO 639-1 code, which not every voice knows."""
