"""Which language a text is in, by its script and its short words: fast, and without a model.

For the languages of a whole vault there is `detect`, which knows more of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from daemon.language.scripts import LATIN, script_language
from daemon.language.stop_words import stop_words
from daemon.language.words import words

# Languages that share a script, by its main one.
_SHARED: Mapping[str, tuple[str, ...]] = {
    "en": (
        "en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "no", "fi", "pl", "cs", "hu", "ro",
        "tr", "id", "ca",
    ),
    "ru": ("ru", "uk", "bg"),
    "ar": ("ar", "fa", "ur"),
}  # fmt: skip
_READ = 600  # characters of a text
_MOST_TEXTS = 300  # that tell the languages of many
_LONGEST = 6  # letters: shorter words are mostly grammar
_LEAST = 2  # words of a language that must speak for it, and more than for the main one
_MOST_LANGUAGES = 3
_LEAST_SHARE = 0.1  # of the texts of a script


def guess(text: str) -> str:
    """Return the language of a text; the main one of its script where its words do not tell."""
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
    return best if votes[best] >= max(_LEAST, votes[script] + 1) else script


def count_languages(texts: Iterable[str]) -> dict[str, int]:
    """Return how many of some texts are in each language, the most frequent first."""
    return _counted(map(guess, texts))


def _counted(guesses: Iterable[str]) -> dict[str, int]:
    counts = Counter(guesses)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def by_script(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return, by the main language of a script, the languages of texts in it, most frequent first.

    One of few texts is not named. Takes how many texts are in each language.
    """
    scripts: dict[str, dict[str, int]] = {}
    for language, count in counts.items():
        scripts.setdefault(script_of(language), {})[language] = count
    return {
        script: [
            language
            for language, count in sorted(each.items(), key=lambda item: (-item[1], item[0]))
            if count >= _LEAST_SHARE * sum(each.values())
        ][:_MOST_LANGUAGES]
        for script, each in scripts.items()
    }


def script_of(language: str) -> str:
    """Return the main language of the script that a language is written in."""
    return next((script for script, shared in _SHARED.items() if language in shared), language)


def languages_of(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the languages of many texts as `by_script` does, told from a sample of them."""
    return languages_among(map(guess, sample_of(list(texts))))


def languages_among(guesses: Iterable[str]) -> dict[str, list[str]]:
    """Return what `by_script` does, of the languages that some texts were guessed to be in."""
    return by_script(_counted(guesses))


def sample_of(texts: Sequence[str]) -> Sequence[str]:
    """Return as many texts, or names of texts, as tell the languages of all."""
    return texts[:: max(1, len(texts) // _MOST_TEXTS)]


def _main_script(scripts: Counter[str]) -> str:
    """The script of most words; a few kana make Japanese of a text in Chinese characters.

    So do letters of its own make Ukrainian of one in Cyrillic.
    """
    best, _ = max(scripts.items(), key=lambda item: (item[1], item[0]))
    other = {"zh": "ja", "ru": "uk"}.get(best, best)
    return other if 4 * scripts[other] >= scripts[best] else best


@cache
def _known(script: str) -> Mapping[str, tuple[str, ...]]:
    """The short words of grammar of each language of a script, and which languages have them."""
    found: dict[str, list[str]] = {}
    for language in _SHARED.get(script, ()):
        for word in stop_words(language):
            if len(word) <= _LONGEST:
                found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}
