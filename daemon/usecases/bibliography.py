"""What a run cites, for reference managers: BibTeX and RIS."""

from collections.abc import Iterator

import rispy
from bibtexparser.entrypoint import write_string
from bibtexparser.library import Library
from bibtexparser.model import Block, Entry, Field

from daemon.usecases.runs import Citations, CitedSource

_DOI = "doi:"


def as_bibtex(cited: Citations) -> str:
    """Return an entry for each cited document."""
    entries: list[Block] = [
        Entry("misc", f"lacuna{at}", [Field(*each) for each in _fields(source)])
        for at, source in enumerate(cited.sources, 1)
    ]
    return str(write_string(Library(entries)))


def as_ris(cited: Citations) -> str:
    """Return a record for each cited document."""
    return str(rispy.dumps([_record(source) for source in cited.sources]))


def _fields(source: CitedSource) -> Iterator[tuple[str, str]]:
    """Yield the fields of a BibTeX entry; braces would end one early."""
    values = {
        "title": source.title,
        "author": " and ".join(source.authors),
        "year": source.published[:4],
        "doi": _doi(source),
        "url": source.url,
    }
    for name, value in values.items():
        text = " ".join(value.replace("{", "(").replace("}", ")").replace("\\", "/").split())
        if text:
            yield name, text


def _record(source: CitedSource) -> dict[str, object]:
    values: dict[str, object] = {
        "type_of_reference": "GEN",
        "title": " ".join(source.title.split()),
        "authors": [" ".join(name.split()) for name in source.authors],
        "year": source.published[:4],
        "doi": _doi(source),
        "urls": [source.url],
    }
    return {name: value for name, value in values.items() if value}


def _doi(source: CitedSource) -> str:
    return source.key.removeprefix(_DOI) if source.key.startswith(_DOI) else ""
