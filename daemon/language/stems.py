"""Stemming: Snowball's stemmers, by language."""

import threading
from functools import lru_cache
from typing import Any

import snowballstemmer

from daemon.language.scripts import script_language

# Languages that Snowball knows, by ISO 639-1 code.
_ALGORITHMS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish",
    "nl": "dutch", "en": "english", "et": "estonian", "fi": "finnish", "fr": "french",
    "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian",
    "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
# Written much like a language that Snowball knows.
_AS = {
    "nn": "no",
    "nb": "no",
    "be": "ru",
    "bg": "ru",
    "mk": "ru",
    "uk": "ru",
    "hr": "sr",
    "bs": "sr",
}
_PARTICLES = (  # Korean, longest first
    "에서는", "으로는", "에게서", "이라는", "에서", "에게", "으로", "까지", "부터", "보다", "처럼",
    "하고", "이나", "라는", "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도",
    "만",
)  # fmt: skip
_MIN_KOREAN_SYLLABLES = 2  # syllables that must remain before a particle
_own = threading.local()  # a Snowball stemmer is not thread-safe


@lru_cache(maxsize=100_000)
def stem(word: str, language: str = "") -> str:
    """Return the form that a word shares with its inflections and its possessive.

    Without a `language`, the main one of the word's script is used. A word in a language without a
    stemmer is only case-folded.
    """
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    code = language or script_language(folded)
    if code == "ko":
        return _without_particle(folded)
    algorithm = _ALGORITHMS.get(_AS.get(code, code))
    if algorithm is None or not folded.isalpha():
        return folded
    return str(_stemmer(algorithm).stemWord(folded)) or folded


def _without_particle(word: str) -> str:
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= _MIN_KOREAN_SYLLABLES:
            return word.removesuffix(particle)
    return word


def _stemmer(algorithm: str) -> Any:
    stemmers: dict[str, Any] = _own.__dict__
    if algorithm not in stemmers:
        stemmers[algorithm] = snowballstemmer.stemmer(algorithm)
    return stemmers[algorithm]
