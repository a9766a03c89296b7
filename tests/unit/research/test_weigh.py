from dataclasses import replace
from math import prod

import pytest

from daemon.model.evidence import Credibility, Hit, SourceType
from daemon.model.finding import Confidence
from daemon.research.weigh import base_of, confidence, weigh


def _hit(
    url: str, *, doi: str = "", citations: int | None = None, title: str = "A title",
    kind: SourceType | None = None,
) -> Hit:  # fmt: skip
    reported = SourceType.PAPER if doi or citations is not None else SourceType.WEB
    return Hit("x", kind or reported, url, title, doi=doi, citations=citations)


@pytest.mark.parametrize(
    ("url", "score"),
    [
        ("https://www.nature.com/articles/x", 0.85),
        ("https://signature.com/", 0.50),
        ("https://nature.com.example.org/", 0.50),
        ("https://doi.org/10.1038/abc", 0.85),
        ("https://doi.org/10.9999/abc", 0.65),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.1v1", 0.50),
        ("https://pubmed.ncbi.nlm.nih.gov/1", 0.70),
        ("https://www.nih.gov/", 0.85),
        ("https://www.gov.uk/x", 0.85),
        ("https://mit.edu/", 0.75),
        ("https://www.ox.ac.uk/", 0.75),
        ("https://example.ac/", 0.50),
        ("https://go.dev/", 0.50),
        ("https://ec.europa.eu/", 0.80),
        ("https://www.reuters.com/", 0.70),
        ("https://www.bbc.co.uk/news", 0.65),
        ("https://somebody.medium.com/", 0.40),
        ("https://somebody.blogspot.com/", 0.30),
        ("https://old.reddit.com/r/x", 0.25),
        ("https://arxiv.org/abs/2101.00001", 0.50),
        ("https://doi.org/10.48550/arXiv.2101.00001", 0.50),
        ("not an address", 0.50),
        ("https://nature.com.evil.org/", 0.50),
        ("https://nature.com@evil.org/", 0.50),
        ("https://evil.org\\@nature.com/", 0.50),
        ("https://evil.org/doi/10.1038/nature12345", 0.50),
        ("https://onlinelibrary.wiley.com/doi/10.1002/abc", 0.65),
        ("https://notbbc.co.uk/", 0.50),
        ("https://bbc.co.uk.example.org/", 0.50),
        ("https://example.org/nature.com/", 0.50),
        ("https://user@nature.com:443/x", 0.85),
        ("https://www.science.org/doi/10.1126/science.1", 0.85),
        ("https://www.science.org.au/", 0.50),
        ("https://www.nejm.org/x", 0.85),
        ("https://www.thelancet.com/x", 0.85),
        ("https://doi.org/10.1016/S1473-3099(20)30120-1", 0.85),
        ("https://doi.org/10.1016/j.cell.2020.01.001", 0.80),
        ("https://doi.org/10.1016/0092-8674(95)90124-8", 0.80),
        ("https://doi.org/10.1016/j.cellsig.2020.1", 0.65),
        ("https://doi.org/10.1101/2020.01.01.123456", 0.50),
        ("https://doi.org/10.1101/gr.123456.111", 0.65),
        ("https://www.medrxiv.org/content/x", 0.50),
        ("https://doi.org/10.21203/rs.3.rs-1/v1", 0.50),
        ("https://www.ncbi.nlm.nih.gov/pubmed/1", 0.70),
        ("https://www.ncbi.nlm.nih.gov/books/1", 0.85),
        ("https://www.ncbi.nlm.nih.gov/pubmedia/1", 0.85),
        ("https://europepmc.org/article/MED/1", 0.70),
        ("https://europepmc.org/article/PPR/PPR1", 0.50),
        ("https://news.un.org/x", 0.80),
        ("https://data.worldbank.org/x", 0.80),
        ("https://www.bloomberg.com/x", 0.70),
        ("https://apnews.com/x", 0.70),
        ("https://www.wsj.com/x", 0.65),
        ("https://www.nytimes.com/x", 0.65),
        ("https://somebody.substack.com/p/x", 0.40),
        ("https://somebody.wordpress.com/", 0.30),
        ("https://www.quora.com/x", 0.25),
        ("https://notreddit.com/x", 0.50),
    ],
)
def test_the_base_is_that_of_the_site_or_identifier_and_never_of_a_substring(
    url: str, score: float
) -> None:
    assert base_of(_hit(url))[1] == score


def test_missing_metadata_is_not_penalised() -> None:
    found = weigh(_hit("https://example.org/"), 2)
    assert found.score == 0.50
    assert ("citations not known", 1.0) in found.factors


@pytest.mark.parametrize(
    ("citations", "factor"),
    [(0, 0.8), (1, 0.9), (9, 0.9), (10, 1.0), (99, 1.0), (100, 1.1), (999, 1.1), (1000, 1.2)],
)
def test_citations_count_by_steps(citations: int, factor: float) -> None:
    assert weigh(_hit("https://example.org/", citations=citations), 2).factors[1][1] == factor


@pytest.mark.parametrize(("sources", "factor"), [(1, 0.9), (2, 1.0), (4, 1.1), (7, 1.15)])
def test_agreement_counts_by_steps(sources: int, factor: float) -> None:
    assert weigh(_hit("https://example.org/"), sources).factors[2][1] == factor


def test_the_factors_make_the_score_up_to_the_cap() -> None:
    low = weigh(_hit("https://mit.edu/", citations=3), 1)
    assert low.score == pytest.approx(prod(value for _, value in low.factors), abs=1e-4)
    assert weigh(_hit("https://nature.com/", citations=5000), 7).score == 0.95


def test_unknown_agreement_is_not_penalised() -> None:
    assert weigh(_hit("https://example.org/"), None).score == 0.50
    assert weigh(_hit("https://example.org/"), 1).score == 0.45


def test_what_pubmed_returned_is_indexed_there_wherever_its_page_is() -> None:
    hit = _hit("https://doi.org/10.9999/abc", kind=SourceType.PAPER)
    assert base_of(hit, finders=("crossref", "pubmed")) == ("indexed in PubMed", 0.70)


def test_a_doi_says_more_than_a_platform_and_less_than_an_institution() -> None:
    assert base_of(_hit("https://medium.com/x", doi="10.9999/abc"))[1] == 0.65
    assert base_of(_hit("https://arxiv.org/abs/2101.00001", doi="10.9999/abc"))[1] == 0.65
    assert base_of(_hit("https://www.who.int/x", doi="10.9999/abc"))[1] == 0.80


@pytest.mark.parametrize(
    "title",
    [
        "RETRACTED: A title", "Retracted article: A title", "[Retracted] A title",
        "A title (Retracted article. See vol. 2)", "WITHDRAWN: A title", "A title [RETRACTED]",
    ],
)  # fmt: skip
def test_a_retracted_paper_is_worth_nothing(title: str) -> None:
    found = weigh(_hit("https://nature.com/a", title=title, citations=5000), 7)
    assert found.score == 0.0
    assert found.factors == (("retracted, says its title", 0.0),)


@pytest.mark.parametrize("title", ["How retracted papers live on", "Retraction: a short history"])
def test_a_page_about_retractions_is_not_retracted(title: str) -> None:
    assert weigh(_hit("https://nature.com/a", title=title), 2).score == 0.85


def test_a_notice_of_retraction_is_no_evidence() -> None:
    notice = _hit("https://doi.org/10.1038/a", title="Retraction: On bread", kind=SourceType.PAPER)
    assert weigh(notice, 2).score == 0.0


def test_that_a_source_or_a_list_says_so_stands_above_all() -> None:
    hit = replace(_hit("https://nature.com/a", citations=5000), retracted=True)
    assert weigh(hit, 7) == Credibility(0.0, (("retracted, says its source", 0.0),))
    reported = weigh(_hit("https://nature.com/a"), 7, notice="Retraction Watch (2020-01-02)")
    assert reported == Credibility(0.0, (("retracted, says Retraction Watch (2020-01-02)", 0.0),))


def test_a_predatory_publisher_stands_above_all_but_a_retraction() -> None:
    hit = _hit("https://doi.org/10.4236/jbm.2020.1", citations=5000)
    assert weigh(hit, 7).score == 0.2
    assert "predatory" in weigh(hit, 7).factors[0][0]
    assert weigh(replace(hit, retracted=True), 7).score == 0.0
    assert weigh(_hit("https://notscirp.org/"), 2).score == 0.5


def test_confidence_needs_independent_sources() -> None:
    assert confidence([0.95]) is Confidence.LOW
    assert confidence([0.5, 0.5]) is Confidence.MEDIUM
    assert confidence([0.4, 0.4]) is Confidence.LOW
    assert confidence([0.8, 0.7, 0.75]) is Confidence.HIGH
    assert confidence([0.6, 0.7, 0.7]) is Confidence.MEDIUM
    assert confidence([]) is Confidence.LOW
