"""What a work cites and what cites it, as three indexes tell it, and every way not to tell it."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import SOURCES
from daemon.adapters.sources.index import IndexSource
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.source_parts import Parts
from daemon.model.citations import Citations
from daemon.model.errors import FetchError
from daemon.model.evidence import Hit, SourceStatus, SourceType
from daemon.ports import CitationIndex, Fetched
from daemon.research.identity import keys_of
from tests.fakes.api import BASE, no_wait
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher, answered

DOI = "10.1000/tides"
WORK = Hit("x", SourceType.PAPER, f"https://doi.org/{DOI}", "Tides", doi=DOI)
INDEXES = [source for source in SOURCES if issubclass(source, IndexSource)]


def json_at(path: str, body: object, status: int = 200) -> dict[str, Fetched | FetchError]:
    return {BASE + path: answered(BASE + path, json.dumps(body).encode(), status=status)}


class ByParams(FakeFetcher):
    """Answers by the parameters, too: lists of one API share an address."""

    def __init__(self, lists: Mapping[str, object], **answers: Any) -> None:
        super().__init__(answers.pop("answers", None))
        self.lists = lists

    async def get(self, url: str, **how: Any) -> Fetched:
        params = dict(how.get("params") or {})
        wanted = params.get("filter", "")
        for begin, body in self.lists.items():
            if wanted.startswith(begin):
                self.asked.append((url, params, dict(how.get("headers") or {})))
                return answered(url, json.dumps(body).encode())
        return await super().get(url, **how)


def index(kind: str, fetcher: FakeFetcher) -> IndexSource:
    parts = Parts(
        name=kind,
        entry=load_registry()[kind].model_copy(update={"base_url": BASE, "rate": Rate()}),
        fetcher=fetcher,
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
        key="key-1",
        contact="ada@example.org",
        sleep=no_wait,
    )
    built = next(source for source in INDEXES if source.kind == kind).build(parts)
    assert isinstance(built, IndexSource)
    return built


def ask(kind: str, fetcher: FakeFetcher, hit: Hit = WORK, limit: int = 50) -> Citations:
    return asyncio.run(index(kind, fetcher).citations(hit, limit=limit))


def openalex_work(number: int, **more: object) -> dict[str, object]:
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.1000/W{number}",
        "display_name": f"Work {number}",
        "cited_by_count": number,
        **more,
    }


OPENALEX = json_at(
    f"/works/doi:{DOI}",
    {
        "id": "https://openalex.org/W1",
        "referenced_works": ["https://openalex.org/W2"],
        "cited_by_count": 1,
    },
)


def test_the_three_citation_indexes_are_found_by_capability() -> None:
    kinds = sorted(source.kind for source in INDEXES)
    assert kinds == ["crossref", "openalex", "semanticscholar"]
    assert all(isinstance(index(kind, FakeFetcher()), CitationIndex) for kind in kinds)


def test_openalex_resolves_the_id_once_and_then_returns_both_lists() -> None:
    lists = {
        "cited_by:W1": {"results": [openalex_work(2, is_retracted=True)]},
        "cites:W1": {"results": [openalex_work(3)]},
    }
    fetcher = ByParams(lists, answers=OPENALEX)
    stated = ask("openalex", fetcher)
    assert stated.status is SourceStatus.OK
    assert [(hit.doi, hit.citations, hit.retracted) for hit in stated.references] == [
        ("10.1000/w2", 2, True)
    ]
    assert [hit.title for hit in stated.citing] == ["Work 3"]
    assert stated.requests == len(fetcher.asked) == 3
    assert {params["api_key"] for _, params, _ in fetcher.asked} == {"key-1"}
    assert fetcher.asked[1][1]["sort"] == "cited_by_count:desc"


def test_openalex_is_not_queried_for_empty_lists() -> None:
    alone = {"id": "https://openalex.org/W1", "referenced_works": [], "cited_by_count": 0}
    fetcher = FakeFetcher(json_at(f"/works/doi:{DOI}", alone))
    stated = ask("openalex", fetcher)
    assert (stated.status, stated.why, stated.requests) == (
        SourceStatus.EMPTY,
        "",
        1,
    )


def test_openalex_knows_a_preprint_by_its_data_cite_doi_and_its_own_works_by_number() -> None:
    preprint = Hit("x", SourceType.PREPRINT, "https://arxiv.org/abs/2401.01234v2", "A preprint")
    fetcher = FakeFetcher()
    ask("openalex", fetcher, preprint)
    own = Hit("x", SourceType.PAPER, "https://openalex.org/W77", "A work")
    ask("openalex", fetcher, own)
    assert {url.removeprefix(BASE) for url, _, _ in fetcher.asked} == {
        "/works/doi:10.48550/arxiv.2401.01234",
        "/works/W77",
    }


S2 = f"/graph/v1/paper/DOI:{DOI}"
REFERENCES = {"data": [{"citedPaper": {"paperId": "ab" * 20, "title": "Old", "citationCount": 9}}]}
CITATIONS = {
    "data": [
        {"citingPaper": {"paperId": None, "title": "Nobody knows it"}},
        {"citingPaper": None},
        {"citingPaper": {"paperId": "cd" * 20, "title": "New", "externalIds": {"ArXiv": "2401.1"}}},
    ]
}


def test_semantic_scholar_returns_both_lists_without_works_that_lack_an_identifier() -> None:
    answers = {**json_at(f"{S2}/references", REFERENCES), **json_at(f"{S2}/citations", CITATIONS)}
    stated = ask("semanticscholar", FakeFetcher(answers))
    assert stated.status is SourceStatus.OK
    assert [(hit.title, hit.citations) for hit in stated.references] == [("Old", 9)]
    assert [(hit.title, hit.arxiv_id) for hit in stated.citing] == [("New", "2401.1")]


def test_a_list_withheld_by_semantic_scholar_is_empty() -> None:
    answers = {
        **json_at(f"{S2}/references", {"data": None}),
        **json_at(f"{S2}/citations", {"data": []}),
    }
    assert ask("semanticscholar", FakeFetcher(answers)).status is SourceStatus.EMPTY


@pytest.mark.parametrize(
    ("hit", "name"),
    [
        (Hit("x", SourceType.PREPRINT, "https://arxiv.org/pdf/math/0309136v1", "A"), "ARXIV:math"),
        (
            Hit("x", SourceType.PAPER, f"https://www.semanticscholar.org/paper/{'ab' * 20}", "A"),
            "ab" * 20,
        ),
    ],
)
def test_semantic_scholar_is_queried_by_the_known_identifier(hit: Hit, name: str) -> None:
    fetcher = FakeFetcher()
    ask("semanticscholar", fetcher, hit)
    assert f"/paper/{name}" in fetcher.asked[0][0]


def test_if_one_list_fails_the_other_is_returned() -> None:
    answers = {**json_at(f"{S2}/references", {}, 500), **json_at(f"{S2}/citations", CITATIONS)}
    stated = ask("semanticscholar", FakeFetcher(answers))
    assert stated.status is SourceStatus.DEGRADED
    assert stated.why == "references missing: has a server error (HTTP 500)"
    assert [hit.title for hit in stated.citing] == ["New"]


def crossref_work(*dois: str) -> dict[str, Fetched | FetchError]:
    references = [{"DOI": doi, "article-title": f"About {doi}", "year": "1999"} for doi in dois]
    return json_at(f"/works/{DOI}", {"message": {"DOI": DOI, "reference": references}})


def test_crossref_looks_up_what_its_references_are_twenty_at_once() -> None:
    known = {
        "DOI": "10.1000/R1",
        "title": ["Known"],
        "is-referenced-by-count": 12,
        "updated-by": [],
    }
    fetcher = ByParams(
        {"doi:": {"message": {"items": [known]}}},
        answers=crossref_work(*(f"10.1000/R{number}" for number in range(25)), DOI, "10.1000/r1"),
    )
    stated = ask("crossref", fetcher)
    assert stated.status is SourceStatus.OK
    assert len(stated.references) == 25
    assert (stated.references[1].title, stated.references[1].citations) == ("Known", 12)
    reported = stated.references[2]
    assert (reported.title, reported.published, reported.citations) == (
        "About 10.1000/R2",
        "1999",
        None,
    )
    assert stated.citing == ()
    assert len(fetcher.asked) == stated.requests == 3


def test_crossref_gives_references_by_their_doi_when_it_cannot_look_them_up() -> None:
    answers = {**crossref_work("10.1000/r1"), **json_at("/works", {}, 503)}
    stated = ask("crossref", FakeFetcher(answers))
    assert stated.status is SourceStatus.DEGRADED
    assert [hit.doi for hit in stated.references] == ["10.1000/r1"]


def test_crossref_skips_references_without_a_doi() -> None:
    body = {"message": {"reference": [{"unstructured": "A book"}, "odd", {"DOI": "nonsense"}]}}
    stated = ask("crossref", FakeFetcher(json_at(f"/works/{DOI}", body)))
    assert (stated.status, stated.references) == (SourceStatus.EMPTY, ())


def test_a_huge_list_is_truncated_to_the_limit() -> None:
    stated = ask(
        "crossref", FakeFetcher(crossref_work(*map("10.1000/r{}".format, range(4000)))), WORK, 40
    )
    assert len(stated.references) == 40


@pytest.mark.parametrize("kind", ["openalex", "semanticscholar", "crossref"])
class TestEvery:
    def test_a_missing_work_is_an_empty_result(self, kind: str) -> None:
        class Nothing(FakeFetcher):
            async def get(self, url: str, **_how: Any) -> Fetched:
                return answered(url, b"Resource not found.", status=404, content_type="text/plain")

        stated = ask(kind, Nothing())
        assert (stated.status, stated.why) == (
            SourceStatus.EMPTY,
            "does not know the work",
        )

    def test_a_work_without_identifiers_is_not_asked_about(self, kind: str) -> None:
        fetcher = FakeFetcher()
        page = Hit("x", SourceType.WEB, "https://example.org/tides", "A page")
        stated = ask(kind, fetcher, page)
        assert stated.status is SourceStatus.EMPTY
        assert stated.why.startswith("has no ")
        assert fetcher.asked == []
        assert stated.requests == 0

    @pytest.mark.parametrize("status", [400, 401, 403, 429, 500, 503])
    def test_errors_are_reported_and_never_taken_for_an_empty_list(
        self, kind: str, status: int
    ) -> None:
        class Trouble(FakeFetcher):
            async def get(self, url: str, **_how: Any) -> Fetched:
                return answered(url, b"{}", status=status)

        stated = ask(kind, Trouble())
        assert stated.status is SourceStatus.UNAVAILABLE
        assert f"HTTP {status}" in stated.why

    @pytest.mark.parametrize(
        "body",
        [b"<!doctype html><p>captcha", b'{"data": [', b"[1, 2]", b'{"error": "quota"}', b"{}"],
    )
    def test_an_invalid_answer_is_unavailable(self, kind: str, body: bytes) -> None:
        class Odd(FakeFetcher):
            async def get(self, url: str, **_how: Any) -> Fetched:
                return answered(url, body)

        assert ask(kind, Odd()).status is SourceStatus.UNAVAILABLE

    def test_a_missing_network_is_reported_as_such(self, kind: str) -> None:
        stated = ask(kind, FakeFetcher())
        assert stated.status is SourceStatus.UNAVAILABLE
        assert stated.references == stated.citing == ()


def test_a_doi_with_angle_brackets_in_it_is_kept_whole() -> None:
    sici = "10.1002/1097-4636(200110)57:1<25::AID-JBM1137>3.0.CO;2-H"
    stated = ask("crossref", FakeFetcher(crossref_work(sici)))
    assert [hit.doi for hit in stated.references] == [sici.lower()]
    assert keys_of(stated.references[0])[0] == f"doi:{sici.lower()}"


def test_a_doi_is_requested_unchanged() -> None:
    sici = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"
    fetcher = FakeFetcher()
    ask("crossref", fetcher, replace(WORK, url="https://doi.org/x", doi=sici))
    url = fetcher.asked[0][0]
    assert url.endswith("/works/10.1002/(sici)1097-4571(199806)49:8%3C693::aid-asi4%3E3.0.co%3B2-o")
