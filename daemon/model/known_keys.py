"""Keys that this process has read, so that they never appear in output or logs.

Sources remove their own keys from answers before anything reads them. This is the last defence:
tracebacks, and messages of libraries.
"""

import json
from urllib.parse import quote, quote_plus

REDACTED = "(key)"
_MIN_LENGTH = 8  # characters; a shorter value may be an ordinary word
# As `html.escape`, without the names of two thousand other characters.
_IN_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
_known: set[str] = set()


def remember(key: str) -> None:
    """Register a key for `mask`, in plain and in the encodings of URLs, JSON and HTML."""
    if len(key) < _MIN_LENGTH:
        return
    written = json.dumps(key)[1:-1]
    in_urls = {quote(key), quote(key, safe=""), quote_plus(key)}
    _known.update({key, written, *in_urls, key.translate(_IN_HTML)})


def mask(text: str) -> str:
    """Remove every registered key."""
    for key in sorted(_known, key=len, reverse=True):
        text = text.replace(key, REDACTED)
    return text
