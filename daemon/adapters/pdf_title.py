"""Titles and authors stated in a PDF file, without those that a program made up."""

import re

_MAX_LENGTH = 300  # characters
_FILE = re.compile(
    r".*\.(?:docx?|tex|dvi|pdf|indd|pptx?|odt|rtf|qxd|ps|eps|pages|key|xlsx?|wpd)\s*$"
    r"|(?:microsoft (?:office )?(?:word|powerpoint|excel)|powerpoint|word|adobe \w+)\b.*"
    r"|[a-z]:\\.*|file:.*|https?:.*",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY = re.compile(
    r"(?:untitled|no title|title|paper|article|document|manuscript|main|draft|report|thesis|slide"
    r"|presentation|full ?text|pdf|print|layout|template|proof|test|unknown|none|null|text|output"
    r"|preprint|submission|camera[- ]ready|dokument|unbenannt|sans titre|sin título)"
    r"[\s_\-.]*(?:\d{0,4}|final|v\d+|\(?\d\)?)",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"arxiv:|(?:doi|pii|issn|isbn)\b|10\.\d{4,}/|\S*\d{4,}\S*$|(?:\S+_\S*|\S+-\S+-\S+|\w+\d+\w*)$"
    r"|(?:bio|med)rxiv|journal of|proceedings of|vol(?:ume|\.)? \d|research article$"
    r"|(?:original|review) (?:article|paper|research)$|open access$|article in press",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    r"(?:anonymous|unknown|admin(?:istrator)?|user|author|owner|root|test|windows user|default|none"
    r"|null|n/?a|scanner|hp|dell|pc|microsoft(?: office)?(?: user)?|acer|lenovo|laptop|desktop)\d*"
    r"|.*[\\/@<>{}\[\]#|].*|.*\.(?:com|org|net|edu|pdf|docx?)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def plausible_title(declared: str) -> str:
    """Return the title that a file states, or "" if a program made it up."""
    title = " ".join(declared.replace("\x00", "").split())
    if not 4 <= len(title) <= _MAX_LENGTH or len(_LETTER.findall(title)) < len(title) / 2:
        return ""
    made_up = _FILE.fullmatch(title) or _EMPTY.fullmatch(title) or _STAMP.match(title)
    return "" if made_up else title


def plausible_authors(declared: str) -> list[str]:
    """Return the stated authors without entries that are not names."""
    authors = " ".join(declared.replace("\x00", "").split())
    names = re.split(r"\s*[;,]\s*|\s+(?:and|und|et|y|&)\s+", authors) if authors else []
    return [
        name
        for name in names
        if len(name) <= 80 and _LETTER.search(name) and not _NOBODY.fullmatch(name)
    ]
