"""Keys by which topics are compared."""

import re
import unicodedata
from hashlib import sha256

_APART = re.compile(r"[^\w+#]+")


def question_key(query: str) -> str:
    """Return the key of a question among the keys of documents."""
    return f"question:{topic_key(query)}"


def sentence_key(sentence: str) -> str:
    """Return the key of a quoted sentence among the keys of documents."""
    line = " ".join(sentence.split()).casefold()
    return f"sentence:{sha256(line.encode('utf-8', 'replace')).hexdigest()[:16]}"


def topic_key(topic: str) -> str:
    """Normalise a topic for comparison: without case, punctuation or double spaces.

    `+` and `#` stay, because C, C++ and C# are three topics. May be empty.
    """
    folded = unicodedata.normalize("NFKC", topic).casefold()
    return " ".join(_APART.sub(" ", folded).split())
