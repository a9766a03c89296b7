"""Notes about one work: a paper, a book, a film, a page. Their questions are the work's."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from daemon.analysis.phrases import phrases_of, title_parts
from daemon.analysis.query_text import as_typed, weight
from daemon.analysis.single import occur_together
from daemon.analysis.vault_names import Names
from daemon.language.guess import guess

_CITED_WORDS = """
doi issn pmid pmcid arxiv arxivid authors journal journaltitle venue booktitle citekey citationkey
bibkey itemtype publicationtitle zotero zoterolink
"""
_CITED_KEYS = frozenset(_CITED_WORDS.split())
_KEYS = frozenset({"isbn", "isbn10", "isbn13", "imdb", "imdbid", "doubanid", "oclc"})
_ADDRESSES = frozenset("url link source sourceurl originalurl uri website".split())  # noqa: SIM905
_MAKERS = frozenset("author director creator artist writer".split())  # noqa: SIM905
_DATES = frozenset("year published publisher publication datepublished released".split())  # noqa: SIM905
_ABSTRACT = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\bwe (?:propose|present|show|find|found|introduce|argue|investigate|examine|report)",
        r"\bwe (?:demonstrate|evaluate|describe|analy[sz]e|compare|develop|conducted)",
        r"\b(?:this|the present|in this|our) (?:paper|study|article|thesis|review|research)\b",
        r"^\W*(?:abstract|background|objectives?|aims?|methods|results|conclusions?)\b\W*[:\n]",
        r"\bour (?:results|findings|approach|method|analysis|experiments|model)\b",
        r"\bet al\b",
        r"\b(?:results|findings) (?:show|suggest|indicate|reveal)",
    )
)
_MIN_SIGNS = 2
_MAX_ABSTRACT_WORDS = 600  # words
_SUBJECT_WORDS = 3  # significant words from which one phrase is a subject
_MAX_QUERY_WORDS = 7  # words
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>|\]]+")


def is_work(frontmatter: Mapping[str, Any], text: str) -> bool:
    """Return whether a note is about one work: by its properties, or because it reads as an
    abstract.
    """
    values = {_key(name): value for name, value in frontmatter.items() if value}
    if values.keys() & (_CITED_KEYS | _KEYS):
        return True
    if any("://" in str(values[name]) for name in values.keys() & _ADDRESSES):
        return True
    if values.keys() & _MAKERS and values.keys() & _DATES:
        return True
    return _reads_as_abstract(text)


def is_cited(frontmatter: Mapping[str, Any], text: str) -> bool:
    """Return whether a note is about a work that later ones cite: a paper, not a film or a
    recipe.
    """
    values = {_key(name) for name, value in frontmatter.items() if value}
    return bool(values & _CITED_KEYS) or _reads_as_abstract(text)


def _reads_as_abstract(text: str) -> bool:
    signs = sum(pattern.search(text) is not None for pattern in _ABSTRACT)
    return signs >= _MIN_SIGNS and len(text.split()) <= _MAX_ABSTRACT_WORDS


def identities(title: str, frontmatter: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identifiers of a work: its DOI and its addresses as written, and its title."""
    values = [str(value) for name, value in frontmatter.items() if isinstance(value, str | list)]
    dois = (found for value in values for found in _DOI.findall(value))
    addresses = (value for value in values if value.startswith(("http://", "https://")))
    return tuple(dict.fromkeys((*dois, *addresses, title)))


def published(frontmatter: Mapping[str, Any]) -> int | None:
    """Return the year that a work states."""
    for name, value in frontmatter.items():
        if _key(name) in {
            "year",
            "published",
            "date",
            "issued",
            "datepublished",
            "publicationdate",
        }:
            found = _YEAR.search(str(value))
            if found:
                return int(found[0])
    return None


def subjects(
    title: str, headings: Sequence[str], text: str, names: Names, *, limit: int = 3
) -> list[str]:
    """Return a work's subject as queries of one long phrase or of two, best first.

    The phrases of its title come first, in order; then one of them with what its text repeats.
    """
    language = guess(f"{title}\n{text}")

    def says(phrase: str) -> int:
        return weight(phrase, language)

    found = phrases_of(title, headings, text, names)
    titled = sorted(
        (phrase.text for phrase in found if phrase.is_titled), key=lambda text: _place(text, title)
    )
    values = [each.text for each in found if not each.is_titled and says(each.text) > 1]
    parts = [typed for part in title_parts(title) if says(typed := as_typed(part)) > 1]
    parts.sort(key=says, reverse=True)  # “Friend or foe” says less than what follows it
    about = _occurring_together(titled, says)
    lines = [f"{title} {text.lstrip()}"]
    beside = [phrase for phrase in values if about and occur_together(about[0], phrase, lines)]
    more = (
        [_with(about[0], each) for each in beside] if about else _occurring_together(values, says)
    )
    if about and says(about[0]) < _SUBJECT_WORDS:
        about = [*(more[:1] or parts[:1] or about[:1]), *about[1:]]
    about = [*(about or parts[:1]), *more]
    return list(dict.fromkeys(each for each in about if says(each) > 1))[:limit]


def _occurring_together(phrases: Sequence[str], count: Callable[[str], int]) -> list[str]:
    """Join short phrases in pairs; a long one is a subject of its own."""
    joined: list[str] = []
    waiting = ""
    for phrase in phrases:
        if count(phrase) >= _SUBJECT_WORDS:
            joined.append(phrase)
        elif waiting:
            joined.append(f"{waiting} {phrase}")
            waiting = ""
        else:
            waiting = phrase
    return [*joined, waiting] if count(waiting) > 1 else joined


def _with(subject: str, phrase: str) -> str:
    return (
        f"{subject} {phrase}" if len(f"{subject} {phrase}".split()) <= _MAX_QUERY_WORDS else phrase
    )


def _place(phrase: str, title: str) -> int:
    return title.casefold().find(phrase.casefold())


def _key(name: object) -> str:
    return re.sub(r"[\W_]", "", str(name)).casefold()
