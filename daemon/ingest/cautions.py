"""What a document says against itself at its beginning: that it is old, or was withdrawn. Pure."""

import re
from collections.abc import Sequence

from daemon.research.sentences import Sentence

_HEAD = 3000  # characters
_CAUTION = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been|now) "
    r"(?:very |now |quite |officially |largely |already )?(?:old|outdated|out of date|obsolete"
    r"|deprecated|discontinued|retired|archived|superseded|retracted|withdrawn)"
    r"|no longer (?:\w+ )?(?:maintained|updated|supported|available|accurate|developed)"
    r"|(?:won['’]t|will not) be (?:updated|maintained|supported))\b",
    re.IGNORECASE,
)
_OF_ITSELF = re.compile(
    r"\b(?:th(?:is|ese) (?:\w+ ){0,3}(?:docs?|documentation|pages?|articles?|posts?|guides?"
    r"|documents?|projects?|packages?|librar(?:y|ies)|tutorials?|versions?|sites?|papers?|manuals?"
    r"|repositor(?:y|ies)|wiki))\b",
    re.IGNORECASE,
)


def cautions_in(quotable: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the sentences in which a document says of itself that it is out of date."""
    head = (each for each in quotable if each.start < _HEAD)
    return tuple(
        each for each in head if _CAUTION.search(each.text) and _OF_ITSELF.search(each.text)
    )
