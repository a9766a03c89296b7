"""Detect the languages of a vault with a trained model: for `init` and `doctor`, which end soon.

The model takes a second and 40 MB to load; the daemon uses `guess`, which knows fewer languages.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from daemon.language.guess import guess
from daemon.model.late import LateModule

if TYPE_CHECKING:
    import py3langid
else:
    py3langid = LateModule("py3langid")  # loads numpy, 12 MB

_MIN_LENGTH = 40  # letters: a shorter text is too little for the detector
_MIN_SHARE = 0.1
# Languages that the detector mistakes for a related one, which few users of the related one write.
_AS = {"nb": "no", "nn": "no", "bs": "hr", "yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar"}

NAMES: Mapping[str, str] = {
    "af": "Afrikaans",
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil",
    "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
    "cy": "Welsh", "eo": "Esperanto", "eu": "Basque", "ga": "Irish", "gl": "Galician",
    "hy": "Armenian", "is": "Icelandic", "ka": "Georgian", "la": "Latin", "mk": "Macedonian",
    "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "sq": "Albanian",
    "sw": "Swahili", "te": "Telugu", "ur": "Urdu",
}  # fmt: skip


def detect(texts: Iterable[str]) -> dict[str, float]:
    """Return the share of texts in each language, largest first.

    Texts with few letters and languages with few texts do not count.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        letters = sum(map(str.isalpha, text))
        quick = guess(text)
        if letters >= _MIN_LENGTH or (
            letters >= _MIN_LENGTH // 4 and quick in ("ja", "ko", "th", "zh")
        ):
            # A text of several languages or of code is often taken for one that few people write.
            ranked = (str(language) for language, _ in py3langid.rank(text))
            counts[next(name for each in ranked if (name := _AS.get(each, each)) in NAMES)] += 1
    named = [
        (language, count)
        for language, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= _MIN_SHARE * counts.total()
    ]
    total = sum(count for _, count in named)
    return {language: count / total for language, count in named}


def listed(shares: Mapping[str, float]) -> str:
    """Format languages with their shares for display: `Chinese 82 %, English 18 %`."""
    return ", ".join(
        f"{NAMES.get(language, language)} {share:.0%}".replace("%", " %")
        for language, share in shares.items()
    )
