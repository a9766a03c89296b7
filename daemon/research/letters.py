"""Characters that are invisible to a reader, or look like others."""

import re
import unicodedata
from collections import Counter

_ZERO_WIDTH = (
    "\u200b\u200c\u200d\u2060-\u2065\u00ad\u034f\u180e\ufeff\ufff9-\ufffb\u115f\u1160\u3164\uffa0"
)
_BIDI = "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"
_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
# Joiners belong in emoji and in scripts that use them to shape letters.
_JOINED = re.compile(
    "(?<=[\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18ff])[\u200c\u200d](?=\\w)"
    "|(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)
_SELECTED = re.compile(f"(?<![{_SELECTORS}])[{_SELECTORS}](?![{_SELECTORS}])")
_UNSEEN = re.compile(f"[{_ZERO_WIDTH}{_BIDI}{_TAGS}{_SELECTORS}{_CONTROL}]+")
# A lone soft hyphen or a break after a slash is typography, and the invisible signs of a formula
# (U+2061 to U+2064) are mathematics; inside words, or in a row, such characters are not.
_SUSPECT = re.compile(
    "(?<=[A-Za-z])[\u200b-\u200d\u2060\u2065\ufeff](?=[A-Za-z])"
    "|[\u200b-\u200d\u2060-\u2065\u034f\u180e\ufeff]{2,}"
    f"|[{_SELECTORS}]{{2,}}"
)
# Overrides that reverse text: to the left always; to the right only text written to the left (an
# address book puts U+202D before telephone numbers). The others separate languages.
_TURNS = re.compile("\u202e|\u202d(?=[^\u202c\n]{0,200}[\u0590-\u08ff])")
_TAG_RUN = re.compile("(?<!\U0001f3f4)[\U000e0000-\U000e007f]{2,}")

# Letters that look Latin and are not, in pairs: the letter, and the one it looks like.
_PAIRS = (
    "аaеeоoрpсcуyхxіiјjѕsԁdһhӏlԛqԝwѵvгrпnмmтtкkвbнhззАAВBЕEЅSІIЈJКKМMНHОOРPСCТTУYХXԜWԌG"
    "αaοoνvρpυuιiκkτtχxεeηnωwσoγyΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX"
    "ɑaɡgıiɩiʏyꓮAꓐBꓑPꓗKꓔTꓒPꓢSꓰE"
)
LOOK_ALIKE = str.maketrans(dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True)))
_FOREIGN = re.compile(f"[{re.escape(''.join(sorted(set(_PAIRS[::2]))))}]")
_WORD = re.compile(r"[^\W\d_]{4,}")
_LATIN = re.compile(r"[A-Za-z]")
_GREEK = "\u0370-\u03ff"
# "TNFα", "βcatenin", "NFκB", "ΔΨm": names of substances and quantities, not words in disguise.
_SYMBOL = re.compile(
    f"^[{_GREEK}]{{1,2}}(?=[A-Za-z])|(?<=[A-Za-z])[{_GREEK}]{{1,2}}$|(?<=[A-Z])[{_GREEK}](?=[A-Z])"
)
_CAPITAL = re.compile("^[\u0391-\u03a9](?=[a-z])")  # "Ιgnore" begins with a Greek letter
# "A" to "z" as mathematics, circles and full width write them, a few words in a row, or within
# a plain word: one alone is a name in a formula, or a name in a text of another script.
_SET = "[\U0001d400-\U0001d7cb\u24b6-\u24e9\uff21-\uff3a\uff41-\uff5a]"
_DRESSED = re.compile(
    f"{_SET}{{2,}}(?:[ \u3000]{_SET}+){{2,}}|(?<=[A-Za-z]){_SET}{{3,}}|{_SET}{{3,}}(?=[A-Za-z])"
)


def clean(text: str) -> tuple[str, Counter[str]]:
    """Remove invisible characters; return the text and the suspicious ones, counted."""
    text = _LINE_ENDS.sub("\n", text)
    if text.isascii():
        return _UNSEEN.sub("", text), Counter()
    seen = Counter(
        {
            "zero-width characters": sum(len(run[0]) for run in _SUSPECT.finditer(text)),
            "bidi characters": len(_TURNS.findall(text)),
            "tag characters": sum(len(run[0]) for run in _TAG_RUN.finditer(text)),
            "look-alike letters": sum(1 for word in _WORD.finditer(text) if _is_disguised(word[0]))
            + len(_DRESSED.findall(text)),
        }
    )
    text = _UNSEEN.sub(_visible, text)
    return text, +seen


def fold(text: str) -> str:
    """Normalise text for the rules: one case, one alphabet, single spaces."""
    text = unicodedata.normalize("NFKC", text)
    words = text.split()
    if not text.isascii():
        words = [
            word.translate(LOOK_ALIKE) if _is_mixed(word) or not _is_foreign(word) else word
            for word in words
        ]
    return " ".join(words).casefold()


def _visible(run: re.Match[str]) -> str:
    """Keep a joiner or a variation selector in its proper use."""
    whole, start = run.string, run.start()
    return "".join(
        char
        for at, char in enumerate(run[0], start)
        if _JOINED.match(whole, at) or _SELECTED.match(whole, at)
    )


def _is_mixed(word: str) -> bool:
    """Return whether a word mixes Latin letters and letters that only look Latin."""
    return (
        not word.isascii() and len(_LATIN.findall(word)) >= 2 and _FOREIGN.search(word) is not None
    )


def _is_disguised(word: str) -> bool:
    """Return whether a mixed word is meant to be read as Latin, and is not a symbol or two
    words.
    """
    if not _is_mixed(word):
        return False
    rest = word if _is_capital(word) else _SYMBOL.sub("", word)
    others = re.sub(r"[\u0000-\u024f]", "", rest)
    return bool(others) and all(map(_FOREIGN.match, others))


def _is_capital(word: str) -> bool:
    """Return whether a word begins with a Greek capital that replaces the Latin one."""
    return _CAPITAL.match(word) is not None and _FOREIGN.match(word) is not None


def _is_foreign(word: str) -> bool:
    """Return whether a word is written entirely in Cyrillic or Greek."""
    return _FOREIGN.search(word) is not None and not _LATIN.search(word)
