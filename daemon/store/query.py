"""Normalise the words of notes and queries in the same way, so that one matches the other."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.language.scripts import HAN, HANGUL, KANA, SPACELESS, script_language
from daemon.language.stems import stem
from daemon.language.stop_words import stop_words
from daemon.language.words import segment_run

# SQLite's tokenizer would take a whole sentence of a script without spaces for one word, so each
# character is made a word of its own, and each word of a query a phrase of them. Korean has spaces,
# but its particles hang on the words.
_COUNTED = re.compile(f"[{SPACELESS}]+")
_RUN = re.compile(f"([{SPACELESS}{HANGUL}]+)")
_HANGUL = re.compile(f"[{HANGUL}]")
_PAIRED = re.compile(f"[{HAN}{KANA}]")
# The signs of Chinese and Japanese prose that are not in their normal form, with that form: a text
# that has no others needs no normalising, which takes longer than all else here.
_WIDE = tuple((sign, unicodedata.normalize("NFKC", sign)) for sign in "，：（）！？；～")
# Letters that no normal form takes apart, though a keyboard may lack them.
_PLAIN = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l",
    "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "ё": "е", "Ё": "Е",
}  # fmt: skip
_HAS_LETTERS = re.compile(f"[{''.join(_PLAIN)}]")
# Vowel points of Hebrew and Arabic, which few write and nobody searches for.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_ACCENTS = re.compile("[\u0300-\u036f]")
_MAX_TERMS = 24
_MAX_QUERY_LENGTH = 2000
_MIN_PREFIX_LENGTH = 3  # shorter ones begin too many words
_NO_LANGUAGES: Mapping[str, Sequence[str]] = {}


@dataclass(frozen=True, slots=True)
class Query:
    """A query as FTS5 expressions, and its words for choosing the best passage of a text.

    `everything` requires every significant word, and `each` has one expression per word; both are
    empty if the query has no words. `name` is the phrase of all its words as written.
    """

    everything: str
    each: tuple[str, ...]
    terms: tuple[str, ...]
    name: str = ""
    words: tuple[str, ...] = ()  # those of `each` that are in a script with spaces, in its order


def fold(text: str) -> str:
    """Return `text` as the full-text index stores it."""
    if text.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text):
        for sign, narrow in _WIDE:
            text = text.replace(sign, narrow)
        text = unicodedata.normalize("NFKC", text)
    pieces = _RUN.split(_plain_letters(text))
    pieces[1::2] = [run.replace("", " ") for run in pieces[1::2]]  # also before and after it
    return "".join(pieces)


def fold_name(name: str) -> str:
    """Normalise a note's name: no case, accents or punctuation."""
    plain = _plain_letters(unicodedata.normalize("NFKC", name).casefold())
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    return " ".join(_words(unicodedata.normalize("NFC", bare))) or " ".join(name.split())


def count_words(text: str) -> int:
    """Count words; each character of a script without spaces counts as one."""
    if text.isascii():
        return len(text.split())
    rest, runs = _COUNTED.subn(" ", text)
    return len(text) - len(rest) + runs + len(rest.split())


def parse_query(query: str, languages: Mapping[str, Sequence[str]] = _NO_LANGUAGES) -> Query:
    """Parse whatever the user types; nothing in it is syntax.

    `languages` are those of the vault, by the main language of a script: a word is stemmed in each
    language of its script.
    """
    text = _plain_letters(unicodedata.normalize("NFKC", query[:_MAX_QUERY_LENGTH]).casefold())
    runs = list(dict.fromkeys(_RUN.findall(text)))[:_MAX_TERMS]
    found = list(dict.fromkeys(_words(_RUN.sub(" ", text))))
    grammar = stop_words("en")
    words = ([word for word in found if word not in grammar] or found)[:_MAX_TERMS]
    parts = list(dict.fromkeys(part for run in runs for part in _parts(run)))[: 2 * _MAX_TERMS]
    forms = {word: _any_form(word, _of(word, languages)) for word in words}
    wanted = [form for word, form in forms.items() if not _is_grammar(word, languages)]
    return Query(
        everything=" AND ".join((wanted or list(forms.values())) + [_whole(run) for run in runs]),
        each=(*forms.values(), *map(_phrase, parts)),
        terms=(*words, *parts),
        name=_name_phrase(text),
        words=tuple(words),
    )


def _of(word: str, languages: Mapping[str, Sequence[str]]) -> Sequence[str]:
    script = script_language(word)
    return languages.get(script) or (script,)


def _is_grammar(word: str, languages: Mapping[str, Sequence[str]]) -> bool:
    return any(word in stop_words(language) for language in _of(word, languages))


def _plain_letters(text: str) -> str:
    if text.isascii():
        return text
    if _HAS_LETTERS.search(text):
        for letter, plain in _PLAIN.items():
            text = text.replace(letter, plain)
    return _POINTS.sub("", text)


def _words(text: str) -> list[str]:
    kept = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in text)
    return [word for word in "".join(kept).split() if any(map(str.isalnum, word))]


def _any_form(word: str, languages: Sequence[str]) -> str:
    """Return an expression for the word, its prefix matches and what shares its stem; rarer forms
    weigh more.
    """
    if word in stop_words("en"):
        return f'"{word}"'
    forms = [f'"{word}"']
    if len(word) >= _MIN_PREFIX_LENGTH:
        forms.append(f'"{word}"*')
    for language in languages:
        forms += [form for each in _stems(word, language) if (form := each) not in forms]
    return f"({' OR '.join(forms)})"


def _stems(word: str, language: str) -> list[str]:
    """Return prefix expressions for a word's stems, without the word itself."""
    cut = stem(word, language)
    stems = [cut]
    if language == "en" and cut.endswith("i"):  # of theories: theori and theory
        stems.append(f"{cut[:-1]}y")
    if language == "en" and word.startswith(doubled := cut + cut[-1:]):  # of jogging: jogged
        stems.append(doubled)
    # A short English stem begins too many other words, so only the stem itself matches.
    least = _MIN_PREFIX_LENGTH + (language == "en")
    return [
        f'"{each}"*' if len(each) >= least else f'"{each}"'
        for each in stems
        if each != word and len(each) >= _MIN_PREFIX_LENGTH
    ]


def _parts(run: str) -> list[str]:
    """Return the searched parts of a run of characters: Korean stems, Thai words, else pairs.

    In a Chinese vault, pairs of characters find more than a segmenter's words.
    """
    if _HANGUL.match(run):
        return [stem(run, "ko")]
    if script_language(run) == "th":
        return [word for word in segment_run(run) if word not in stop_words("th")] or [run]
    size = 2 if _PAIRED.match(run) else 3
    return [run[at : at + size] for at in range(len(run) - size + 1)] or [run]


def _whole(run: str) -> str:
    """Return an expression for a run as written, or with another particle."""
    cut = stem(run, "ko") if _HANGUL.match(run) else run
    return _phrase(run) if cut == run else f"({_phrase(run)} OR {_phrase(cut)})"


def _name_phrase(text: str) -> str:
    pieces = _RUN.split(text)
    pieces[1::2] = [run.replace("", " ") for run in pieces[1::2]]
    words = _words("".join(pieces))
    return f'"{" ".join(words)}"' if words else ""


def _phrase(run: str) -> str:
    return f'"{" ".join(run)}"'
