"""Split text into words: `words` as written, `segments` with scripts without spaces segmented."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

import budoux

from daemon.language.scripts import KANA, SPACELESS, marks

# Letters and digits with their marks, joined by an apostrophe, or as in C++, C# and Node.js.
_PART = rf"(?:[^\W_{SPACELESS}][{marks()}]*)+"
WORD = re.compile(rf"[{SPACELESS}]+|{_PART}(?:['’+#.]{_PART}|\+\+|#)*")
SPACELESS_RUN = re.compile(f"[{SPACELESS}]+")
_KANA = re.compile(f"[{KANA}]")
_THAI = re.compile("[\u0e00-\u0e7f]")
# BudouX leaves a particle with its noun; an inflected verb stays whole.
_PARTICLE = re.compile("(?<=[^\u3040-\u309f])(?=(?:から|まで|より|[のをはがにでともへや])$)")
_HAN_OR_KANA = re.compile("[\u3005-\u30ff\u3400-\u9fff]")


def words(text: str) -> list[str]:
    """Return all words of a text as written, including stop words; a run without spaces counts as
    one.
    """
    return WORD.findall(unicodedata.normalize("NFC", text))


def segments(text: str) -> list[str]:
    """Return all words of a text as written; runs of Chinese, Japanese and Thai are segmented.

    Runs of Lao, Burmese and Khmer stay whole.
    """
    lines = unicodedata.normalize("NFC", text).splitlines()
    return [segment for line in lines for segment in _segments(line)]


def segment_run(run: str, *, is_japanese: bool = False) -> list[str]:
    """Split one run without spaces into words; `is_japanese` if the text around it has kana."""
    if _THAI.match(run):
        return _parser("thai")(run)
    if is_japanese or _KANA.search(run):
        return [part for phrase in _parser("japanese")(run) for part in _PARTICLE.split(phrase)]
    if _HAN_OR_KANA.match(run):
        return _parser("chinese")(run)
    return [run]


def _segments(text: str) -> Iterator[str]:
    is_japanese = _KANA.search(text) is not None
    for word in WORD.findall(text):
        if SPACELESS_RUN.match(word):
            yield from segment_run(word, is_japanese=is_japanese)
        else:
            yield word


@cache
def _parser(name: str) -> Callable[[str], list[str]]:
    loaders = {
        "chinese": budoux.load_default_simplified_chinese_parser,
        "japanese": budoux.load_default_japanese_parser,
        "thai": budoux.load_default_thai_parser,
    }
    return loaders[name]().parse
