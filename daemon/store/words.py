"""How the words of notes and of queries are folded, so that one finds the other."""

import re
import unicodedata
from dataclasses import dataclass

# Scripts written without spaces. SQLite's tokenizer would take a whole sentence for one word, so
# each of their characters is made a word of its own, and a query becomes a phrase of them.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_RUN = re.compile(f"([{_SPACELESS}]+)")
# The signs of Chinese and Japanese prose that are not in their normal form, with that form: a text
# that has no others needs no normalising, which takes longer than all else here.
_WIDE = tuple((sign, unicodedata.normalize("NFKC", sign)) for sign in "，：（）！？；～")
_MOST_TERMS = 24
_LONGEST_QUERY = 2000
_SHORTEST_PREFIX = 3  # shorter ones begin too many words

_COMMON = (
    "a about an and are as at be by can do does for from has have how i if in into is it its my not"
    " of on or so than that the their then there these this to was we were what when where which"
    " who why will with you your"
)
_STOP_WORDS = frozenset(_COMMON.split())
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "y", "e")


@dataclass(frozen=True, slots=True)
class Query:
    """A query as FTS5 expressions, and its words for finding the best stretch of a text.

    `everything` wants every word, and `each` has one expression per word; both are empty when the
    query has no words at all.
    """

    everything: str
    each: tuple[str, ...]
    terms: tuple[str, ...]


def fold(text: str) -> str:
    """Return `text` as it is given to the full-text index."""
    if text.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text):
        for sign, narrow in _WIDE:
            text = text.replace(sign, narrow)
        text = unicodedata.normalize("NFKC", text)
    pieces = _RUN.split(text)
    pieces[1::2] = [run.replace("", " ") for run in pieces[1::2]]  # also before and after it
    return "".join(pieces)


def count_words(text: str) -> int:
    """Count words; each character of a script without spaces counts as one."""
    if text.isascii():
        return len(text.split())
    rest, runs = _RUN.subn(" ", text)
    return len(text) - len(rest) + runs + len(rest.split())


def parse_query(query: str) -> Query:
    """Read whatever a person types; nothing in it is syntax."""
    text = unicodedata.normalize("NFKC", query[:_LONGEST_QUERY]).casefold()
    runs = list(dict.fromkeys(_RUN.findall(text)))
    words = list(dict.fromkeys(_words(_RUN.sub(" ", text))))
    words = [word for word in words if word not in _STOP_WORDS] or words
    words, runs = words[:_MOST_TERMS], runs[:_MOST_TERMS]
    pairs = list(dict.fromkeys(pair for run in runs for pair in _pairs(run)))[: 2 * _MOST_TERMS]
    each = [_any_form(word) for word in words]
    return Query(
        everything=" AND ".join(each + [_phrase(run) for run in runs]),
        each=(*each, *map(_phrase, pairs)),
        terms=(*words, *pairs),
    )


def _words(text: str) -> list[str]:
    kept = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in text)
    return [word for word in "".join(kept).split() if any(map(str.isalnum, word))]


def _any_form(word: str) -> str:
    """The word itself, what begins with it, and what shares its stem; the rarer weighs more."""
    if word in _STOP_WORDS:
        return f'"{word}"'
    forms = [f'"{word}"']
    if len(word) >= _SHORTEST_PREFIX:
        forms.append(f'"{word}"*')
    # A short stem begins too many other words, so it has to stand for itself.
    forms += [
        f'"{stem}"*' if len(stem) > _SHORTEST_PREFIX else f'"{stem}"' for stem in _stems(word)
    ]
    return f"({' OR '.join(forms)})"


def _stems(word: str) -> list[str]:
    """Take off one English ending where enough of the word is left: jogging is jogg and jog."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_PREFIX:
            stem = word.removesuffix(ending)
            doubled = ending in ("ing", "ings", "ed") and stem[-1] == stem[-2]
            return [stem, stem[:-1]] if doubled else [stem]
    return []


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _phrase(run: str) -> str:
    return f'"{" ".join(run)}"'
