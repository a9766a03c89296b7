"""Made-up words with the statistics of real ones: few are common, most are rare."""

import itertools
import random
from collections.abc import Sequence

# Real function words come first, so that stop words are as common as they are in notes.
_COMMON = """
the of and to a in is that it for as with on be this by are or from an not can which at we you if
but have has was they their more one all so when there what will about use used than into other
some how also only its because these between where each would make time like may most new them any
way then work no two first while just very even such after through should many over without both
"""
_ONSETS = "b c d f g h k l m n p r s t v w b c d f g l m n p r s t br ch cl fr gr pl pr sh st th tr"
_NUCLEI = "a e i o u a e i o u ai ea io ou"
_CODAS = ",,,,,l,m,n,nd,r,s,st,t"
_ENDINGS = ("", "", "", "", "", "s", "ed", "ing", "er", "ion", "al", "ly")
_ACCENTED = str.maketrans("aeou", "áéöü")
_ACCENTED_SHARE = 0.01


def vocabulary(size: int, seed: int) -> list[str]:
    """Return `size` different words, the commonest first."""
    chance = random.Random(f"words {seed}")
    words = dict.fromkeys(_COMMON.split())
    while len(words) < size:
        syllables = chance.choices((1, 2, 3), (2, 6, 3))[0]
        word = "".join(_syllable(chance) for _ in range(syllables)) + chance.choice(_ENDINGS)
        if chance.random() < _ACCENTED_SHARE:
            word = word.translate(_ACCENTED)
        if len(word) > 2:
            words.setdefault(word)
    return list(words)


def zipf(count: int, exponent: float = 1.05) -> list[float]:
    """Cumulative weights: the word of rank r is drawn as often as 1 / r^exponent says."""
    return list(itertools.accumulate(1 / rank**exponent for rank in range(1, count + 1)))


class Language:
    """Draws words: mostly what everybody says, and often what this subject says."""

    def __init__(self, seed: int, *, words: int = 40_000, of_subject: float = 0.22) -> None:
        self.words = vocabulary(words, seed)
        self.common = len(_COMMON.split())
        self._weights = zipf(words)
        self._of_subject = of_subject

    def subject(self, chance: random.Random, words: int = 70) -> Sequence[str]:
        """The words of one subject, the most telling first."""
        return chance.sample(self.words[self.common * 3 :], words)

    def draw(self, chance: random.Random, subject: Sequence[str], count: int) -> list[str]:
        """Draw `count` words of a text on `subject`."""
        drawn = chance.choices(self.words, cum_weights=self._weights, k=count)
        spread = len(subject)
        for at in range(count):
            if chance.random() < self._of_subject:
                drawn[at] = subject[int(spread * chance.random() ** 2)]
        return drawn


def _syllable(chance: random.Random) -> str:
    return (
        chance.choice(_ONSETS.split())
        + chance.choice(_NUCLEI.split())
        + chance.choice(_CODAS.split(","))
    )
