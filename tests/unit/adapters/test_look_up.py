"""The user's own documents looked up in indexes: what fits is believed, once, and nothing else."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from daemon.adapters.documents import get_document
from daemon.adapters.look_up import LookUp
from daemon.adapters.pages import Retrievers
from daemon.library.library import Library
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.own_copy import is_copy_of
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher
from tests.fakes.library import indexed_library
from tests.fakes.values import NOW

TITLE = "Tides in harbours turn when the moon says so"
TEXT = f"{TITLE}\n\nAda Ebb and Bo Flow, Port University\n\nThe tide turns twice a day."
RECORD = Hit(
    "crossref",
    SourceType.PAPER,
    "https://doi.org/10.1371/tides.1",
    TITLE,
    authors=("Ada Ebb", "Bo Flow"),
    published="2021",
    doi="10.1371/tides.1",
    citations=12,
    venue="PLOS Tides",
)


class Index:
    """Answers every question with the same hits."""

    is_local: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return "crossref"

    def __init__(self, *hits: Hit, status: SourceStatus = SourceStatus.OK) -> None:
        self.hits, self.status = hits, status
        self.asked: list[str] = []

    async def search(self, query: str, *, limit: int) -> Answer:
        self.asked.append(query)
        return Answer(self.name, query, self.status, self.hits)


class Scene:
    def __init__(self, tmp_path: Path, name: str = "a.pdf", **reported: object) -> None:
        self.path = tmp_path / "library" / name
        self.path.parent.mkdir()
        self.path.write_text(TEXT)
        extracted = replace(Extracted(TEXT, "pdfium", TITLE), **reported)  # type: ignore[arg-type]
        extractor = FakeExtractor({TEXT.encode(): extracted})
        self.library: Library = indexed_library(
            self.path.parent, state=tmp_path, extractor=extractor
        )
        self.extracted = extracted

    @property
    def hit(self) -> Hit:
        own = self.path.as_uri()
        url = self.extracted.url or own
        hit = Hit("library", SourceType.LIBRARY, url, self.extracted.title, content_url=own)
        return replace(hit, authors=self.extracted.authors)

    def get(self, index: Index, days: int = 0) -> RetrievedDocument:
        async def get(hit: Hit) -> RetrievedDocument:
            retrievers = Retrievers(FakeFetcher(), FakeExtractor())
            return await get_document(hit, retrievers=retrievers, library=self.library)

        look_up = LookUp(get, self.library, [index], clock=lambda: NOW + timedelta(days=days))
        return asyncio.run(look_up(self.hit))


def test_a_document_whose_record_fits_is_what_the_record_says(tmp_path: Path) -> None:
    scene, index = Scene(tmp_path, doi="10.1371/tides.1"), Index(RECORD)
    got = scene.get(index)
    assert index.asked == ["10.1371/tides.1"]
    assert (got.hit.source_type, got.hit.doi, got.hit.citations) == (
        *(SourceType.PAPER, "10.1371/tides.1", 12),
    )
    assert (got.hit.source, got.hit.venue, got.hit.url) == ("library", "PLOS Tides", RECORD.url)
    assert (got.hit.file, got.extracted.text) == (scene.path.as_uri(), TEXT)


def test_an_index_is_asked_once_and_after_a_month_for_what_it_did_not_know(tmp_path: Path) -> None:
    scene, index = Scene(tmp_path), Index()
    for days, asked in ((0, 1), (3, 1), (31, 2)):
        assert scene.get(index, days).hit.source_type is SourceType.LIBRARY
        assert len(index.asked) == asked
    index.hits = (RECORD,)
    assert scene.get(index, 70).hit.doi == RECORD.doi
    scene.get(index, 400)
    assert len(index.asked) == 3


def test_an_index_that_cannot_be_reached_is_asked_again_in_the_next_run(tmp_path: Path) -> None:
    scene, index = Scene(tmp_path), Index(status=SourceStatus.UNAVAILABLE)
    scene.get(index)
    scene.get(index)
    assert index.asked == [TITLE, TITLE]


@pytest.mark.parametrize(
    "record",
    [
        replace(RECORD, title="Sediment transport in the estuaries of Brittany"),
        replace(RECORD, authors=("Cy Surge", "Di Neap")),
        replace(RECORD, authors=()),
    ],
)
def test_a_record_of_another_title_or_other_people_is_not_believed(
    tmp_path: Path, record: Hit
) -> None:
    got = Scene(tmp_path, doi="10.1371/tides.1").get(Index(record))
    assert (got.hit.source_type, got.hit.doi) == (SourceType.LIBRARY, "")


@pytest.mark.parametrize(
    "url",
    ["https://journals.plos.org/article?id=x", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1/",
     "https://blog.example.org/about-tides", ""],
)  # fmt: skip
def test_a_saved_page_is_no_work_wherever_it_says_it_is_from(tmp_path: Path, url: str) -> None:
    scene = Scene(tmp_path, "a.html", url=url, authors=("Ada Ebb", "Bo Flow"))
    got = scene.get(Index(replace(RECORD, url=url or RECORD.url)))
    assert (got.hit.source_type, got.hit.doi) == (SourceType.LIBRARY, "")


def test_a_file_with_another_text_than_the_abstract_is_not_the_work(tmp_path: Path) -> None:
    abstract = " ".join(f"gauge {number} rose in the night of day {number}" for number in range(9))
    scene = Scene(tmp_path)
    filler = " ".join(f"bread of kind {number} goes stale on day {number}" for number in range(80))
    record = replace(RECORD, snippet=abstract)
    for text, is_copy in ((f"{TEXT} {filler}", False), (f"{TEXT} {abstract} {filler}", True)):
        assert is_copy_of(scene.hit, text, record, is_web_page=False) is is_copy


def test_what_is_no_indexs_record_makes_no_file_a_work(tmp_path: Path) -> None:
    got = Scene(tmp_path).get(Index(replace(RECORD, source_type=SourceType.WEB)))
    assert got.hit.doi == ""
