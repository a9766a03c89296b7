"""How much of one text occurs in another verbatim: whether it was republished."""

import re
import zlib
from functools import cached_property

_RUN = 5  # words in a row
_MAX_RUNS = 4000
_MAX_LENGTH = 8 * _RUN * _MAX_RUNS  # characters that are read
_FEW_RUNS = 40  # with fewer, chance and common phrases decide
_WORDS = re.compile(r"\w+")


class Print:
    """The five-word runs of a text, each as a number; computed on first use."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def runs(self) -> frozenset[int]:
        words = _WORDS.findall(self._text.casefold()[:_MAX_LENGTH])
        count = min(len(words) - _RUN + 1, _MAX_RUNS)
        return frozenset(
            zlib.crc32(" ".join(words[at : at + _RUN]).encode("utf-8", "replace"))
            for at in range(count)
        )

    @property
    def is_distinctive(self) -> bool:
        """Return whether the text is long enough for shared runs to be significant."""
        return len(self.runs) >= _FEW_RUNS

    def share(self, other: "Print") -> float:
        """Return the share of the shorter text's runs that the longer one also has, 0 to 1."""
        smaller = min(len(self.runs), len(other.runs))
        return len(self.runs & other.runs) / smaller if smaller else 0.0

    def is_as_long_as(self, other: "Print", times: float = 3.0) -> bool:
        """Return whether neither text is more than `times` as long as the other."""
        small, large = sorted((len(self.runs), len(other.runs)))
        return large <= times * small
