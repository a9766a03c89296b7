"""Writing systems: which put no spaces between words, and which script a text uses."""

import re
import unicodedata
from itertools import groupby
from operator import itemgetter

THAI_LIKE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
KANA = "\u3040-\u30ff\u31f0-\u31ff"
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HANGUL = "\uac00-\ud7a3"
SPACELESS = THAI_LIKE + KANA + HAN  # for a character class of a regular expression


# The main languages of scripts that determine their language, or nearly so.
_RANGES = (
    ("ja", f"[{KANA}]"),
    ("zh", f"[{HAN}]"),
    ("ko", f"[{HANGUL}\u1100-\u11ff]"),
    ("th", "[\u0e00-\u0e7f]"),
    ("lo", "[\u0e80-\u0eff]"),
    ("my", "[\u1000-\u109f]"),
    ("km", "[\u1780-\u17ff]"),
    ("uk", "[іїєґІЇЄҐ]"),  # letters that Russian lacks
    ("ru", "[\u0400-\u052f]"),
    ("el", "[\u0370-\u03ff\u1f00-\u1fff]"),
    ("ar", "[\u0600-\u06ff\u0750-\u077f]"),
    ("he", "[\u0590-\u05ff]"),
    ("hi", "[\u0900-\u097f]"),
    ("bn", "[\u0980-\u09ff]"),
    ("ta", "[\u0b80-\u0bff]"),
    ("ka", "[\u10a0-\u10ff]"),
    ("hy", "[\u0530-\u058f]"),
)
_SCRIPTS = tuple((language, re.compile(pattern)) for language, pattern in _RANGES)
LATIN = "en"
_FIRST_MARK = 0x300


def script_language(text: str) -> str:
    """Return the main language of the script of a word or a short text; "en" for Latin.

    Cyrillic counts as "ru", and so on; `guess` determines which language of the script it is.
    """
    if text.isascii():
        return LATIN
    for language, pattern in _SCRIPTS:
        if pattern.search(text):
            return language
    return LATIN


def marks() -> str:
    """Return the combining marks that belong to words, as a character class without brackets.

    Python's `\\w` excludes them, which would cut the words of Hindi, Arabic and Hebrew.
    """
    is_mark = (unicodedata.category(chr(code))[0] == "M" for code in range(_FIRST_MARK, 0x1D00))
    runs = (list(run) for is_one, run in groupby(enumerate(is_mark), itemgetter(1)) if is_one)
    codes = ((_FIRST_MARK + run[0][0], _FIRST_MARK + run[-1][0]) for run in runs)
    # As ranges: a class of 1,000 single characters takes 30 times as long to compile.
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in codes)
