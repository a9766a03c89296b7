"""Keys that this process has read, so that nothing it prints or logs can hold one by accident.

Sources take their own keys out of what they get back before anybody reads it. This is the last
door: tracebacks, and what libraries say.
"""

import json
from html import escape
from urllib.parse import quote, quote_plus

STANDS_IN = "(key)"
_LEAST = 8  # characters; what is shorter may be a word that people write
_known: set[str] = set()


def remember(key: str) -> None:
    """Have `mask` find this key from now on, as it is and as URLs, JSON and HTML write it."""
    if len(key) < _LEAST:
        return
    written = json.dumps(key)[1:-1]
    _known.update({key, written, quote(key), quote(key, safe=""), quote_plus(key), escape(key)})


def mask(text: str) -> str:
    """Take out every key that was remembered."""
    for key in sorted(_known, key=len, reverse=True):
        text = text.replace(key, STANDS_IN)
    return text
