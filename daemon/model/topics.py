"""When two topics are the same topic."""

import re
import unicodedata

_APART = re.compile(r"[^\w+#]+")


def topic_key(topic: str) -> str:
    """Bring a topic into its comparable form: without case, punctuation or doubled spaces.

    `+` and `#` stay, because C, C++ and C# are three topics. May be empty.
    """
    folded = unicodedata.normalize("NFKC", topic).casefold()
    return " ".join(_APART.sub(" ", folded).split())
