"""PubMed: numbers first, then their records, in the order of the numbers."""

from daemon.model.evidence import SourceStatus
from tests.fakes.api import BASE, ask
from tests.fakes.fetcher import FakeFetcher, answered

SEARCH, FETCH = (f"{BASE}/entrez/eutils/{tool}.fcgi" for tool in ("esearch", "efetch"))
NUMBERS = b"<eSearchResult><IdList><Id>2</Id><Id>1</Id></IdList></eSearchResult>"


def article(number: int, more: str = "", kinds: str = "") -> str:
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article>"
        f"<ArticleTitle>Sleep <i>and</i> tides {number}.</ArticleTitle>{more}"
        f"<PublicationTypeList>{kinds}</PublicationTypeList></Article></MedlineCitation>"
        "<PubmedData><ArticleIdList><ArticleId IdType='doi'>10.1000/S</ArticleId>"
        "<ArticleId IdType='pmc'>PMC7</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"
    )


def articles(*found: str) -> FakeFetcher:
    body = f"<PubmedArticleSet>{''.join(found)}</PubmedArticleSet>".encode()
    return FakeFetcher({SEARCH: answered(SEARCH, NUMBERS), FETCH: answered(FETCH, body)})


def test_records_come_in_the_order_of_the_search() -> None:
    fetcher = articles(article(1), article(2))
    answer = ask("pubmed", fetcher)
    assert [hit.title for hit in answer.hits] == ["Sleep and tides 2", "Sleep and tides 1"]
    assert answer.hits[0].url == "https://pubmed.ncbi.nlm.nih.gov/2/"
    assert answer.hits[0].content_url == "https://pmc.ncbi.nlm.nih.gov/articles/PMC7/"
    (_, searched, _), (_, fetched, _) = fetcher.asked
    assert (searched["term"], searched["retmax"]) == ("harbour tides", "10")
    assert (fetched["id"], fetched["retmode"]) == ("2,1", "xml")
    for params in (searched, fetched):
        assert params["email"] == "ada@example.org"
        assert (params["tool"], params["api_key"], params["db"]) == ("lacuna", "key-1", "pubmed")


def test_parts_of_an_abstract_keep_their_lines_and_a_group_is_an_author() -> None:
    more = (
        "<Abstract><AbstractText>One  part.</AbstractText><AbstractText>Two.</AbstractText>"
        "</Abstract><AuthorList><Author><CollectiveName>Sleep Group</CollectiveName></Author>"
        "<Author><LastName>Marsh</LastName><ForeName>Ada</ForeName></Author></AuthorList>"
        "<ArticleDate><Year>2020</Year><Month>02</Month><Day>3</Day></ArticleDate>"
    )
    (hit,) = ask("pubmed", articles(article(1, more))).hits
    assert hit.snippet == "One part.\nTwo."
    assert hit.authors == ("Sleep Group", "Ada Marsh")
    assert (hit.published, hit.doi) == ("2020-02-03", "10.1000/s")


def test_a_retracted_publication_is_marked() -> None:
    kinds = "<PublicationType>Retracted Publication</PublicationType>"
    assert ask("pubmed", articles(article(1, kinds=kinds))).hits[0].retracted
    assert not ask("pubmed", articles(article(1))).hits[0].retracted


def test_nothing_found_is_empty_and_asks_no_second_time() -> None:
    body = b"<eSearchResult><IdList/></eSearchResult>"
    fetcher = FakeFetcher({SEARCH: answered(SEARCH, body)})
    assert ask("pubmed", fetcher).status is SourceStatus.EMPTY
    assert len(fetcher.asked) == 1


def test_an_error_with_status_200_is_unavailable() -> None:
    body = b"<eSearchResult><ERROR>Search Backend failed</ERROR></eSearchResult>"
    answer = ask("pubmed", FakeFetcher({SEARCH: answered(SEARCH, body)}))
    assert answer.status is SourceStatus.UNAVAILABLE
    assert "Search Backend failed" in answer.why
    body = b'{"error": "API rate limit exceeded", "count": "11"}'
    answer = ask("pubmed", FakeFetcher({SEARCH: answered(SEARCH, body)}))
    assert answer.status is SourceStatus.UNAVAILABLE


def test_no_file_is_read_for_an_entity() -> None:
    hostile = (
        b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>"
        b"<eSearchResult><IdList><Id>&x;</Id></IdList></eSearchResult>"
    )
    fetcher = FakeFetcher({SEARCH: answered(SEARCH, hostile)})
    assert ask("pubmed", fetcher).hits == ()
