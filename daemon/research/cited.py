"""Documents that the vault's notes already cite, by address or DOI: they are not offered again."""

import re
from collections.abc import Iterable, Iterator, Mapping

from daemon.model.evidence import Hit, SourceType
from daemon.research.identifiers import SICI
from daemon.research.identity import doi_of, keys_of
from daemon.store.notes import NoteStore

_URL = re.compile(r"https?://[^\s<>\"'`\]|\\]+", re.IGNORECASE)
_NAMED = re.compile(
    rf"\b(?:doi:\s*|(?=10\.\d{{4,9}}/))(10\.\d{{4,9}}/(?:[^\s\"<>|\]]|{SICI})+)"
    r"|\barxiv:\s*([\w.-]+/?\d+)",
    re.IGNORECASE,
)
# A text without any of these cites nothing.
_MARKS = ("http://", "https://", "doi", "10.", "arxiv")


def cited_by_notes(notes: NoteStore) -> Mapping[str, str]:
    """Return the key of everything that notes cite, in text or properties → a note's path.

    Our own notes do not count: what they offered is known anyway.
    """
    return cited_in(_texts(notes))


def cited_in(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the key of everything that the texts, given as (path, text), cite → the first path."""
    found: dict[str, str] = {}
    for path, text in texts:
        for key in _keys_in(text):
            found.setdefault(key, path)
    return found


def _texts(notes: NoteStore) -> Iterator[tuple[str, str]]:
    ours = {row.path for row in notes.with_property("lacuna_id")}
    for path, text in notes.texts_with(*_MARKS):
        if path not in ours:
            yield path, text


def _keys_in(text: str) -> Iterable[str]:
    for match in _URL.finditer(text):
        yield from keys_of(_hit(_closed(match[0])))
    for match in _NAMED.finditer(text):
        doi, arxiv = match[1], match[2]
        hit = _hit("", doi=doi_of(_closed(doi))) if doi else _hit("", arxiv_id=arxiv)
        yield from keys_of(hit)


def _hit(url: str, doi: str = "", arxiv_id: str = "") -> Hit:
    return Hit("", SourceType.WEB, url, "", doi=doi, arxiv_id=arxiv_id)


def _closed(text: str) -> str:
    """Strip what follows an address in a sentence or a Markdown link."""
    text = text.rstrip(".,;:!?*_")
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip(".,;:!?*_")
    return text
