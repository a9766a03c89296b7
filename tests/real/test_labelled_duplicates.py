"""Bibliographic records that people labelled duplicate or not; the data stay where they are."""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.dedup import merge, offers

DATA = Path(__file__).resolve().parents[2] / "../shared/data/dedup/dedupe_sweep/test/data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the labelled records are not here")
SETS = ("copper", "tafenoquine")


def _text(node: ET.Element | None) -> str:
    return "".join(node.itertext()).strip() if node is not None else ""


def _read(name: str) -> tuple[list[Hit], list[bool]]:
    """Return the records, each at an address of its own, and whether each is labelled."""
    records = list(ET.parse(DATA / f"{name}.xml").getroot().iter("record"))
    hits = [
        Hit(
            source="records",
            source_type=SourceType.PAPER,
            url=f"https://records.example/{number}",
            title=_text(record.find("titles/title")),
            snippet=_text(record.find("abstract")),
            authors=tuple(map(_text, record.findall("contributors/authors/author"))),
            published=_text(record.find("dates/year")),
            doi=_text(record.find("electronic-resource-num")),
        )
        for number, record in enumerate(records)
    ]
    return hits, [_text(record.find("caption")) == "Duplicate" for record in records]


def _document(hit: Hit) -> Document:
    key = f"url:{hit.url}"
    return Document(
        id=sha256(key.encode()).hexdigest()[:16],
        key=key,
        hit=hit,
        final_url=hit.url,
        fetched_at=datetime(2026, 11, 21, tzinfo=UTC),
        sha256=sha256(hit.url.encode()).hexdigest(),
        text=hit.snippet or hit.title,
        extracted_by="abstract",
    )


def _measured(labels: list[bool], joined: list[bool]) -> tuple[float, float]:
    """Return (sensitivity, specificity) of what was joined with another record."""
    hits = sum(label and join for label, join in zip(labels, joined, strict=True))
    passes = sum(not label and not join for label, join in zip(labels, joined, strict=True))
    return hits / sum(labels), passes / labels.count(False)


@pytest.mark.parametrize("name", SETS)
def test_documents_are_merged_like_the_labels(name: str) -> None:
    hits, labels = _read(name)
    documents = [_document(hit) for hit in hits]
    merged = merge(documents)
    groups = [merged[document.id].id for document in documents]
    sensitivity, specificity = _measured(labels, [groups.count(group) > 1 for group in groups])
    assert sensitivity >= 0.97
    assert specificity >= 0.995


@pytest.mark.parametrize("name", SETS)
def test_search_results_are_merged_like_the_labels(name: str) -> None:
    hits, labels = _read(name)
    group_of = {key: number for number, offer in enumerate(offers([hits])) for key in offer.keys}
    groups = [group_of[f"url:{hit.url.removeprefix('https://')}"] for hit in hits]
    sensitivity, specificity = _measured(labels, [groups.count(group) > 1 for group in groups])
    assert sensitivity >= 0.97
    assert specificity >= 0.995
