"""Which sentences of a document may be quoted: whole, plain statements, and no commands."""

import re
from collections.abc import Collection

from daemon.analysis.words import is_telling, key, words_of
from daemon.model.evidence import Document
from daemon.research.instructions import is_request
from daemon.research.screen import commands_in
from daemon.research.sentences import WRAPPED, Sentence, sentences

MOST = 200  # sentences of one document that are looked at
SHORTEST, LONGEST = 40, 400  # characters
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WIDE_WORTH = 3  # a character of these scripts says as much as that many letters
_TAINT = 300  # characters around a command in which nothing is quoted

_END_MATTER = re.compile(
    r"^[ \t]*(?:#+[ \t]*)?(?:\d+\.?[ \t]*)?(?:references|bibliography|works cited"
    r"|literature(?: cited)?|further reading|external links|see also|notes and references"
    r"|acknowledge?ments?|footnotes|related (?:posts|articles|content)|comments|sources"
    r"|参考文献|参考资料|引用)[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_END_MATTER_FROM = 0.4  # of the text: what stands before is a list of contents
_REFERENCE = re.compile(
    r"^\[?\d{1,3}[\].]\s+[A-Z]|\bet al\.,? \(?(?:19|20)\d\d|\bdoi:|\barXiv:\d|\bpp\. ?\d"
    r"|\bvol\. ?\d|\bISBN\b|\bISSN\b|\bRetrieved (?:on |from )|\bAccessed (?:on )?\d"
    r"|\b(?:19|20)\d\d[a-z]?\)\.? [A-Z]"
)
_BOILERPLATE = re.compile(
    r"\b(?:cookies?|subscribe|newsletter|sign(?:ed)? (?:up|in)|log ?in|all rights reserved"
    r"|copyright|privacy policy|terms of (?:use|service)|click here|read more|learn more"
    r"|share this|follow us|advertis\w+|sponsored|affiliate|enable javascript|your browser"
    r"|page not found|add to cart|free trial|min(?:utes)? (?:to )?read|posted (?:on|by|in)"
    r"|filed under|last updated|leave a (?:comment|reply)|table of contents"
    r"|in this (?:article|post|section|chapter|video)"
    r"|this (?:article|post|page|leaflet|document) (?:was|is) (?:written|published|part)"
    r"|we (?:use|value) your|download (?:the |our )?(?:app|pdf)|written for this)\b|©",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_OPENS = re.compile(r"[\"'“‘«(\[*_]*(?:[A-Z0-9]|[^\W\d_a-z])")


def quotable(document: Document, terms: Collection[str], *, has_commands: bool) -> list[Sentence]:
    """Return at most `MOST` sentences in order; of a long text, those that name `terms` first.

    `terms` are keys of words; `has_commands` says that screening saw instructions in the text.
    """
    wrapped = document.extracted_by in WRAPPED
    text = document.text
    end = _end_of_matter(text)
    tainted = commands_in(text, wrapped=wrapped) if has_commands else []
    found = [
        sentence
        for sentence in sentences(text, wrapped=wrapped)
        if sentence.end <= end
        and is_statement(sentence.text)
        and not _is_tainted(sentence, tainted)
    ]
    if len(found) <= MOST:
        return found
    ranked = sorted(found, key=lambda one: (-len(keys_in(one.text) & set(terms)), one.start))
    return sorted(ranked[:MOST], key=lambda one: one.start)


def is_statement(text: str) -> bool:
    """Whether a sentence says something by itself and is not part of a page's furniture."""
    length = len(text) + (_WIDE_WORTH - 1) * len(_WIDE.findall(text))
    if not SHORTEST <= length <= LONGEST or not _OPENS.match(text):
        return False
    if len(_LETTER.findall(text)) < 0.6 * len(text.replace(" ", "")) or text.isupper():
        return False
    return not (is_request(text) or _BOILERPLATE.search(text) or _REFERENCE.search(text))


def keys_in(text: str) -> frozenset[str]:
    """Return the keys of the telling words of a text."""
    return frozenset(key(word) for word in words_of(text) if is_telling(word))


def _end_of_matter(text: str) -> int:
    """Return where the references and other end matter begin."""
    ends = (found.start() for found in _END_MATTER.finditer(text))
    return next((end for end in ends if end >= _END_MATTER_FROM * len(text)), len(text))


def _is_tainted(sentence: Sentence, commands: Collection[tuple[int, int]]) -> bool:
    return any(
        sentence.start < end + _TAINT and sentence.end > start - _TAINT for start, end in commands
    )
