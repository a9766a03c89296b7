"""Whether a question is clear without its note, or needs the note's name. Pure."""

import re

from daemon.analysis.note_words import is_unspaced, words_of
from daemon.analysis.query_text import MAX_QUESTION_WORDS, weight
from daemon.analysis.vault_names import name_key

_ENOUGH_WORDS = 2  # significant words of a question that names its subject
_FRAGMENT = 3  # words, from which a question with one significant word may be a sentence
_SUBJECT_WORDS = 10  # of a subject: a longer one is the title of a work
# Words that refer to something outside of the question, by language; without those that are as
# often grammar (German “es”, French “ce”, Dutch “het”).
_POINTING = {
    "en": (
        r"this(?! (?:year|month|week|century|decade)\b)|these(?! days\b)|here"
        r"|such(?! as\b)"
        r"|those(?! (?:who|that|which|with|of|in)\b)|the (?:former|latter|above|below)"
        r"|above(?=\W*$)"
        r"|below(?=\W*$)|(?:is|was|are|does|did|do|would|will|can|could|why|how) that(?=\W*$)"
        r"|(?:^|\b(?:is|was|does|did|would|of|to|for|about|with|like|from|by|on) )that"
        r"(?= (?:is|was|means?|works?|happens?|matters?|helps?|so|true|possible|why|how)\b|\W*$)"
    ),
    "de": (
        r"dies(?:e[rsmn]?)?|jene[rsmn]?|hier|oben"
        r"|d(?:amit|abei|afür|avon|adurch|aran|arauf|arin|arüber|azu)(?!,)"
    ),
    "fr": r"cet|cette|ces|ceci|cela|ça|ici|ci-dessus|celui-ci|celle-ci|ceux-ci",
    "es": r"est[aeo]s?|es[ao]s?|ese|aquí|ahí|ello",
    "pt": r"est[ae]s?|ess[ae]s?|isto|isso|aqui|disso|disto|nisso|dess[ae]s?|ness[ae]s?",
    "it": r"quest[aeio]|quell[aeo]|ciò|sopra",
    "nl": r"deze|dit|hier|hiermee|daarmee|hiervan|daarvan",
    "ru": r"эт(?:от|о|а|и|ого|ой|ом|их|им|у)|здесь|тут",
}
_UNSPACED = re.compile(r"这|這|那(?!么|麼)|上述|它|此(?!外)|これ|この|それ|その|ここ|上記")
_KOREAN = re.compile(r"(?<!\w)(?:이것|그것|여기|이런|그런|이러한)")
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|theirs|he|she|him|her|his)\b", re.IGNORECASE)
_DUMMY = re.compile(  # “how long does it take to …”, “is it possible to …”
    r"\bit (?:\w+ )?(?:takes?|costs?|possible|necessary|worth|better|best|safe|true|hard|difficult"
    r"|easy|important|matters?|mean|makes? sense|feel|legal|ok|okay|good|bad|useful|likely)\b",
    re.IGNORECASE,
)


def understandable(question: str, subject: str, language: str = "") -> str:
    """Return a question that is clear on its own, or "" if that is impossible.

    One that refers back, or is a fragment, is prefixed with the note's subject.
    """
    is_fragment = weight(question, language) < _ENOUGH_WORDS and _is_short(question)
    if not (is_fragment or points_back(question, language)):
        return question
    if not subject or not weight(subject, language):
        return ""
    if set(name_key(subject).split()) <= set(name_key(question).split()):
        return question
    joined = f"{subject.rstrip('?？!. ')} {question}"
    return joined if len(joined.split()) <= MAX_QUESTION_WORDS else ""


def subject_beside(question: str, subject: str) -> str:
    """Return the subject of the note that a question stands in, shortened; "" if the question
    names it.
    """
    if not weight(subject) or set(name_key(subject).split()) <= set(name_key(question).split()):
        return ""
    return " ".join(subject.rstrip(":：?？!. ").split()[:_SUBJECT_WORDS])


def points_back(question: str, language: str = "") -> bool:
    """Return whether a question refers to something outside of it.

    A pronoun after a significant word of the question most likely stands for that.
    """
    if _UNSPACED.search(question) or _KOREAN.search(question):
        return True
    known = _POINTING.get(language or "en", _POINTING["en"])
    if re.search(rf"(?<!\w)(?:{known})(?!\w)", question, re.IGNORECASE):
        return True
    if language not in ("", "en"):
        return False
    pronoun = _PRONOUN.search(_DUMMY.sub(" ", question))
    return pronoun is not None and not weight(question[: pronoun.start()], "en")


def _is_short(question: str) -> bool:
    words = words_of(question)
    return len(words) < _FRAGMENT and not any(map(is_unspaced, words))
