"""A depositor types the DOI of a famous paper; what that may take over, in every form of source."""

import asyncio
from dataclasses import replace

import pytest

from daemon.model.errors import FetchError
from daemon.model.evidence import Hit, SourceType
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.dedup import merge, offers
from daemon.research.retrieved import document_of, retrieve
from daemon.research.screen import screen, screen_result
from daemon.research.weigh import base_of, retracted, weigh
from tests.fakes.run_parts import NOW

DOI = "10.1038/s41586-020-2649-2"
TITLE = "Array programming with a library of arrays"
PEOPLE = ("Charles Harris", "Jarrod Millman")
PAPER = Hit("openalex", SourceType.PAPER, f"https://doi.org/{DOI}", TITLE, "", PEOPLE, "2020-09-16",
            doi=DOI, citations=15_000, venue="Nature")  # fmt: skip
DEPOSITS = {
    "zenodo": "https://zenodo.org/records/5",
    "figshare": "https://figshare.com/articles/preprint/x/5",
    "osf": "https://osf.io/abcde/",
    "ssrn": "https://papers.ssrn.com/sol3/papers.cfm?abstract_id=5",
    "arxiv": "https://arxiv.org/abs/2611.00001v1",
    "core": "https://core.ac.uk/works/5",
    "hal": "https://hal.science/hal-00000005",
    "openreview": "https://openreview.net/forum?id=5",
    "a repository": "https://hdl.handle.net/1721.1/5",
    "an MCP server": "https://evil.example/paper",
}


def _deposit(name: str, title: str = TITLE, **values: object) -> Hit:
    arxiv = "2611.00001" if name == "arxiv" else ""
    hit = Hit(name, SourceType.PREPRINT, DEPOSITS[name], title, "An array is slow.", PEOPLE,
              "2020", DOI, arxiv, 20_000, venue="Nature", retracted=True)  # fmt: skip
    return screen_result(replace(hit, **values))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", DEPOSITS)
def test_a_deposit_with_the_doi_of_a_paper_is_worth_no_more_than_its_site(name: str) -> None:
    hit = _deposit(name, f"RETRACTED: {TITLE}")
    assert (hit.doi, hit.citations, hit.venue, hit.retracted) == ("", None, "", False)
    assert base_of(hit)[1] <= 0.5
    assert retracted(hit) == ""
    assert retracted(replace(PAPER, title=f"RETRACTED: {TITLE}")) == "its title"


@pytest.mark.parametrize("name", DEPOSITS)
@pytest.mark.parametrize("title", [TITLE, f"RETRACTED: {TITLE}"])
@pytest.mark.parametrize("comes_first", [True, False])
def test_a_deposit_takes_nothing_over_from_the_paper(
    name: str, title: str, *, comes_first: bool
) -> None:
    hits = [_deposit(name, title), PAPER] if comes_first else [PAPER, _deposit(name, title)]
    found = {offer.hit.url: offer for offer in offers([[hit] for hit in hits])}
    paper = found[PAPER.url].hit
    assert paper.title == TITLE
    assert (paper.doi, paper.citations, paper.snippet) == (DOI, 15_000, "")
    assert (paper.content_url, paper.retracted, paper.source) == ("", False, "openalex")
    for url in found.keys() - {PAPER.url}:
        assert (found[url].hit.doi, found[url].hit.citations) == ("", None)
        assert not found[url].ref.startswith("doi:")


@pytest.mark.parametrize("name", DEPOSITS)
def test_a_record_without_an_identifier_takes_nothing_over_by_its_title(name: str) -> None:
    (offer,) = offers([[_deposit(name, doi="", retracted=False)], [PAPER]])
    assert (offer.hit.url, offer.hit.citations) == (PAPER.url, 15_000)
    assert offer.deposit is not None


def test_a_deposit_with_a_doi_of_its_own_site_keeps_it() -> None:
    own = _deposit("zenodo", doi="10.5281/zenodo.5")
    assert (own.doi, own.citations) == ("10.5281/zenodo.5", 20_000)
    both = [offer.hit.doi for offer in offers([[own], [PAPER]])]
    assert both == ["10.5281/zenodo.5", DOI]
    at_home = replace(PAPER, url="https://www.nature.com/articles/s41586-020-2649-2")
    assert screen_result(at_home).doi == DOI


def test_the_doi_of_a_deposit_in_an_address_counts_more_than_a_typed_one() -> None:
    url = "https://doi.org/10.5281/zenodo.5"
    assert (_deposit("zenodo", url=url).doi, _deposit("zenodo", url=url).citations) == ("", None)
    assert screen_result(PAPER) == PAPER


def test_a_preprint_joins_the_record_whose_doi_its_author_typed() -> None:
    early = _deposit("arxiv", published="2016")
    (offer,) = offers([[early], [PAPER]])
    assert offer.keys == ("arxiv:2611.00001", f"doi:{DOI}", f"url:doi.org/{DOI}")
    others = ("Somebody Else",)
    assert len(offers([[_deposit("arxiv", published="2016", authors=others)], [PAPER]])) == 2


def test_what_an_index_says_is_one_work_is_one() -> None:
    said = replace(PAPER, content_url="https://arxiv.org/pdf/2611.00001")
    preprint = replace(_deposit("arxiv"), content_url="https://arxiv.org/pdf/2611.00001v1")
    (offer,) = offers([[preprint], [said]])
    assert (offer.hit.content_url, offer.hit.citations) == (preprint.content_url, 15_000)
    assert offer.deposit is None


def _retrieved(hit: Hit, text: str, by: str = "trafilatura") -> RetrievedDocument:
    extracted = Extracted(text, by)
    return RetrievedDocument(hit, hit.url, text.encode(), "text/html", NOW, extracted)


@pytest.mark.parametrize("name", ["zenodo", "arxiv"])
def test_a_deposit_that_is_read_in_place_of_the_paper_is_itself(name: str) -> None:
    async def get(hit: Hit) -> RetrievedDocument:
        if hit.url == PAPER.url:
            raise FetchError("HTTP 403")
        return _retrieved(hit, f"{TITLE}. Charles Harris. An array is slow.")

    (offer,) = offers([[PAPER], [replace(PAPER, source="pubmed")], [_deposit(name)]])
    read, retrieved = asyncio.run(retrieve(offer, get))
    document = document_of(retrieved, screen(retrieved), read.ref)
    document = replace(document, also_from=read.also_from)
    assert document.key != offer.ref
    assert weigh(document, None).score <= 0.5


def test_only_arxiv_replaces_the_summary_of_a_paper() -> None:
    async def get(hit: Hit) -> RetrievedDocument:
        return _retrieved(hit, "Words.", "abstract" if hit.url == PAPER.url else "pdfium")

    for name, url in (("zenodo", PAPER.url), ("arxiv", DEPOSITS["arxiv"])):
        (offer,) = offers([[PAPER], [_deposit(name)]])
        assert asyncio.run(retrieve(offer, get))[1].final_url == url


def test_a_deposit_that_was_read_does_not_represent_the_paper() -> None:
    texts = {PAPER: "An array is memory with a shape.", _deposit("zenodo"): "An array is slow."}
    read = [_retrieved(hit, text) for hit, text in texts.items()]
    documents = [document_of(each, screen(each), f"url:{each.hit.url}") for each in read]
    for order in (documents, documents[::-1]):
        merged = merge(order)[documents[0].id]
        assert (merged.hit.doi, merged.text) == (DOI, texts[PAPER])
