"""Guess the language of a text by its script and its short words: fast, without a model.

For the languages of a whole vault use `detect`, which knows more of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from daemon.language.scripts import LATIN, script_language
from daemon.language.stop_words import stop_words
from daemon.language.words import words

# Languages that share a script, by the main language of the script.
_SHARED: Mapping[str, tuple[str, ...]] = {
    "en": (
        "en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "no", "fi", "pl", "cs", "hu", "ro",
        "tr", "id", "ca",
    ),
    "ru": ("ru", "uk", "bg"),
    "ar": ("ar", "fa", "ur"),
}  # fmt: skip
_READ = 600  # characters of a text
_MAX_TEXTS = 300  # texts in a sample for the languages of many
_MAX_GRAMMAR_LETTERS = 6  # letters: shorter words are mostly grammar
_MIN_WORDS = 2  # words that must belong to a language, and more than to the main one
_MAX_LANGUAGES = 3
_MIN_SHARE = 0.1  # of the texts in a script


def guess(text: str) -> str:
    """Return the language of a text; the main one of its script if its words do not decide."""
    sample = text[:_READ]
    scripts = Counter(map(script_language, words(sample)))
    if not scripts:
        return LATIN
    script = _main_script(scripts)
    known = _known(script)
    votes: Counter[str] = Counter()
    weights: defaultdict[str, float] = defaultdict(float)
    for word in words(sample):
        languages = known.get(word.casefold(), ())
        votes.update(languages)
        for language in languages:
            weights[language] += 1 / len(languages)
    best = max(votes, key=lambda each: (votes[each], weights[each], each), default=script)
    return best if votes[best] >= max(_MIN_WORDS, votes[script] + 1) else script


def count_languages(texts: Iterable[str]) -> dict[str, int]:
    """Return how many texts are in each language, most frequent first."""
    return _counted(map(guess, texts))


def _counted(guesses: Iterable[str]) -> dict[str, int]:
    counts = Counter(guesses)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def by_script(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the languages of texts by the main language of their script, most frequent first.

    A language with few texts is omitted. Takes the number of texts in each language.
    """
    scripts: dict[str, dict[str, int]] = {}
    for language, count in counts.items():
        scripts.setdefault(script_of(language), {})[language] = count
    return {
        script: [
            language
            for language, count in sorted(each.items(), key=lambda item: (-item[1], item[0]))
            if count >= _MIN_SHARE * sum(each.values())
        ][:_MAX_LANGUAGES]
        for script, each in scripts.items()
    }


def script_of(language: str) -> str:
    """Return the main language of the script that a language is written in."""
    return next((script for script, shared in _SHARED.items() if language in shared), language)


def languages_of(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the languages of many texts as `by_script` does, guessed from a sample."""
    return languages_among(map(guess, sample_of(list(texts))))


def languages_among(guesses: Iterable[str]) -> dict[str, list[str]]:
    """Return what `by_script` does, for languages already guessed."""
    return by_script(_counted(guesses))


def sample_of(texts: Sequence[str]) -> Sequence[str]:
    """Return a sample of texts, or of names of texts, large enough to determine the languages of
    all.
    """
    return texts[:: max(1, len(texts) // _MAX_TEXTS)]


def _main_script(scripts: Counter[str]) -> str:
    """Return the main language of the script of most words.

    A few kana make a text with Chinese characters Japanese; Ukrainian letters make a Cyrillic text
    Ukrainian.
    """
    best, _ = max(scripts.items(), key=lambda item: (item[1], item[0]))
    other = {"zh": "ja", "ru": "uk"}.get(best, best)
    return other if 4 * scripts[other] >= scripts[best] else best


@cache
def _known(script: str) -> Mapping[str, tuple[str, ...]]:
    """Return the short grammar words of each language of a script, and which languages share
    them.
    """
    found: dict[str, list[str]] = {}
    for language in _SHARED.get(script, ()):
        for word in stop_words(language):
            if len(word) <= _MAX_GRAMMAR_LETTERS:
                found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}
