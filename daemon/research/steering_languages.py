"""How much a sentence in any of several languages means what steering sentences mean.

`steering_languages.toml` has words for what such sentences express: who is addressed, what to cite,
buy or trust, what to ignore. `steering_meanings.json` has the weights of these meanings and of
pairs of them, the same in every language, and a threshold for each language, trained by
`python -m bench.steering_languages`.
"""

import json
import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import combinations

from daemon.analysis.note_words import key
from daemon.language.guess import guess
from daemon.language.scripts import LATIN

_MAX_LENGTH = 1_500  # characters of one sentence that are checked
_UNCERTAIN = ("de", "fr", "es", "it", "pt", "nl", "pl")  # for a sentence in none of the languages
# Languages with the words of another, as far as they go.
_LIKE = {"ca": "es", "uk": "ru", "bg": "ru", "ro": "it"}
_POLISH = re.compile("[ąćęłńśźż]")
_UNSPACED = frozenset(("zh", "ja"))
_NAMELESS = frozenset(("de",))  # every noun begins with a capital letter
_WHERE = re.compile(
    r"https?:|www\.|@\w|\b[\w-]{2,60}\.(?:com|net|org|io|biz|info|app|shop|store|example|site|online"
    r"|dev|eu|de|at|ch|fr|es|it|pt|br|nl|be|pl|ru|cn|jp|uk|me|ai|co)\b"
)
_WORD = re.compile(r"[^\W\d_][\w’'.&-]*[^\W_]|[^\W\d_]")
_INSIDE = re.compile(r"[^\W\d_A-ZÀ-Þ][A-Z]|\w&\w|[^\W\d_]\d")
_QUOTED = re.compile(r"[«„“\"「『《]\s?([^«»„“”\"「」『』《》]{2,40})[»“”\"」』》]")
_LATIN_NAME = re.compile(r"[A-Za-z][\w.&-]{2,}|[ァ-ヴー]{4,}")
_OPENS = '.!?:;«„“"(–—'  # after these, a capital letter means nothing
_SMALL = 2  # letters of a name that are small
_FOREIGN_END = re.compile(r"(?:[aoix]|us|is|ix|ex|ux|on|ora|que)$")
# "von Gipfelwacht", "mit Dumpwächter": a name, or a noun without an article.
_BARE = re.compile(
    r"\b(?:von|mit|bei|durch|für|laut|ohne|an|auf|zu|über|gegen|statt|nach|wie|als|dank|nur|allein"
    r"|ausschließlich|und|oder|bietet|heißt|empfiehlt|nennt) ([A-ZÄÖÜ][\w-]{3,})"
)
NAME, PLACE, MAYBE = "name", "place", "maybe"
WORDS, MEANINGS = "steering_languages.toml", "steering_meanings.json"


def resembles_any(sentence: str, terms: Collection[str]) -> bool:
    """Return whether a sentence in one of the languages but English steers its reader.

    `terms` are the keys of the question.
    """
    found, thresholds = language_of(sentence), _table()["thresholds"]
    if found == LATIN:
        return False
    languages = [found] if found in thresholds else _UNCERTAIN
    return any(
        score(features(sentence, terms, language)) >= thresholds[language] for language in languages
    )


def language_of(sentence: str) -> str:
    """Return the language whose words a sentence is compared with."""
    found = guess(sentence)
    if found == LATIN and _POLISH.search(sentence):
        return "pl"
    return _LIKE.get(found, found)


def score(found: Collection[str]) -> float:
    """Sum the weights of meanings and of pairs of them."""
    weights: Mapping[str, float] = _table()["weights"]
    return round(sum(weights.get(each, 0.0) for each in found), 3)


def features(sentence: str, terms: Collection[str], language: str) -> list[str]:
    """Return what a sentence means, one by one and in pairs."""
    text = unmarked(sentence[:_MAX_LENGTH])
    asked = frozenset(map(unmarked, terms))
    found = sorted(
        name
        for name, pattern in _patterns(language).items()
        if any(not _is_asked(word[0], asked) for word in pattern.finditer(text))
    )
    found += sorted(set(_names(sentence[:_MAX_LENGTH], terms, language)))
    pairs = [f"{one} {other}" for one, other in combinations(found, 2)]
    return [*found, *pairs]


def _is_asked(word: str, asked: Collection[str]) -> bool:
    return any(word.startswith(each) for each in asked if len(each) > 3)


def _names(sentence: str, terms: Collection[str], language: str) -> Iterator[str]:
    """Yield which kinds of names and addresses a sentence has that the question has not."""
    if _WHERE.search(sentence.casefold()):
        yield PLACE
    quoted = [each for each in _QUOTED.findall(sentence) if key(each) not in terms]
    if language in _UNSPACED:
        if quoted or any(key(each) not in terms for each in _LATIN_NAME.findall(sentence)):
            yield NAME
        return
    if any(_capitalised(sentence, terms, language)) or any(map(_is_capital, quoted)):
        yield NAME
    if language in _NAMELESS and any(key(each) not in terms for each in _BARE.findall(sentence)):
        yield MAYBE


def _capitalised(sentence: str, terms: Collection[str], language: str) -> Iterator[str]:
    """Yield words that look like names and are not in the question."""
    words = list(_WORD.finditer(sentence))
    was_name = False
    for at, found in enumerate(words):
        word, after = found[0], words[at + 1][0] if at + 1 < len(words) else ""
        is_first = at == 0 or sentence[: found.start()].rstrip()[-1:] in _OPENS
        is_beside = was_name or _is_capital(after)
        was_name = (
            sum(map(str.islower, word)) >= _SMALL
            and any(map(str.isupper, word))
            and key(word) not in terms
            and _is_name(word, language, is_first=is_first, is_beside=is_beside)
        )
        if was_name:
            yield word


def _is_name(word: str, language: str, *, is_first: bool, is_beside: bool) -> bool:
    """Return whether a word with a capital letter is a name, by its form and its place."""
    if _INSIDE.search(word):
        return True
    if language in _NAMELESS:
        return not is_first and bool(is_beside or _FOREIGN_END.search(word.casefold()))
    return not is_first or is_beside


def _is_capital(text: str) -> bool:
    return text[:1].isupper()


def unmarked(text: str) -> str:
    """Return a text in small letters without accents."""
    plain = unicodedata.normalize("NFD", text.casefold().replace("’", "'").replace("ё", "е"))
    return "".join(each for each in plain if not unicodedata.combining(each))


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    """Return the words of one language by what they express."""
    table = tomllib.loads(files(__package__).joinpath(WORDS).read_text("utf-8"))
    return {
        name: _pattern(words[language], language)
        for name, words in table.items()
        if language in words
    }


def _pattern(words: str, language: str) -> re.Pattern[str]:
    each = (re.escape(unmarked(word).replace("_", " ")) for word in words.split())
    if language in _UNSPACED:
        return re.compile("|".join(each))
    joined = "|".join(word.replace("!", r"(?!\w)") for word in each)
    return re.compile(rf"(?<!\w)(?:{joined})\w*")


@cache
def _table() -> dict[str, dict[str, float]]:
    text = files(__package__).joinpath(MEANINGS).read_text("utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found
