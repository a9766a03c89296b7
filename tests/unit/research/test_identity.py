import pytest

from daemon.model.evidence import Hit, SourceType
from daemon.research.identity import arxiv_of, canonical_url, doi_of, keys_of, site_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.Example.org/a/?utm_source=x&b=2&a=1#part", "http://example.org/a?a=1&b=2"),
        ("https://example.org/a//b/", "https://example.org:443/a/b"),
        ("https://example.org/x?fbclid=1&gclid=2", "https://example.org/x"),
        ("https://m.example.org/x/amp/", "https://example.org/x"),
        ("https://www.google.com/amp/s/www.example.org/x/", "https://example.org/x"),
        ("https://example-org.cdn.ampproject.org/c/s/example.org/x", "https://example.org/x"),
        ("https://en.m.wikipedia.org/wiki/CRDT", "https://en.wikipedia.org/wiki/CRDT"),
        ("https://example.org/index.html", "https://example.org"),
        ("https://example.org/caf%C3%A9", "https://example.org/café"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://example.org/amp/story", "https://example.org/story"),
        ("https://example.org/a;jsessionid=1F?id=2", "https://example.org/a?id=2"),
        ("https://web.archive.org/web/2020id_/http://example.org/a", "https://example.org/a"),
        ("https://old.reddit.com/r/x/1", "https://www.reddit.com/r/x/1"),
        ("https://export.arxiv.org/pdf/2101.00001v2.pdf", "https://arxiv.org/abs/2101.00001"),
        ("https://ar5iv.labs.arxiv.org/html/2101.00001", "https://arxiv.org/abs/2101.00001v1"),
        ("https://ar5iv.org/abs/math/0309136", "https://arxiv.org/abs/math.GT/0309136"),
        ("https://dx.doi.org/10.1000/ABC", "https://doi.org/10.1000/abc?x=1"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/123", "https://pubmed.ncbi.nlm.nih.gov/123/"),
        (
            "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC12/pdf/a.pdf",
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC12/",
        ),
    ],
)
def test_addresses_of_one_page_are_equal(one: str, other: str) -> None:
    assert canonical_url(one) == canonical_url(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a?id=1", "https://example.org/a?id=2"),
        ("https://example.org/a", "https://example.com/a"),
        ("https://example.org/a", "https://example.org/A"),
        ("https://m.org/x", "https://example.org/x"),
        ("https://example.org:8080/a", "https://example.org/a"),
        ("https://notarxiv.org/abs/2101.00001", "https://arxiv.org/abs/2101.00001"),
        ("https://example.org/arxiv.org/abs/2101.00001", "https://arxiv.org/abs/2101.00001"),
        ("https://notdoi.org/10.1000/abc", "https://doi.org/10.1000/abc"),
        ("https://amp.dev/story", "https://dev/story"),
    ],
)
def test_addresses_of_two_pages_are_not(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize("url", ["", "http://[bad", "file:///a/b.md", "http://a:99999/", "x"])
def test_what_is_no_web_address_stays_as_it_is(url: str) -> None:
    assert canonical_url(url) == url


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("https://doi.org/10.1000/ABC.1", "10.1000/abc.1"),
        ("doi:10.1000/xyz(1)2.", "10.1000/xyz(1)2"),
        ("(10.1000/182)", "10.1000/182"),
        ("https://onlinelibrary.wiley.com/doi/full/10.1002/abc.123", "10.1002/abc.123"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf",
         "10.1101/2020.01.01.123456"),
        ("https://link.springer.com/article/10.1007/s00-1?x=1", "10.1007/s00-1"),
        ("https://blog.example.org/on-10.1000/abc", ""),
        ("https://evil.example.org/doi/10.1038/nature12345", ""),
        ("https://wiley.com.example.org/doi/10.1002/abc", ""),
        ("https://pubs.acs.org/doi/abs/10.1021/acs.1c1", "10.1021/acs.1c1"),
        ("https://www.nature.com/articles/s41598-019-52473-2.pdf", "10.1038/s41598-019-52473-2"),
        ("https://www.nature.com/articles/d41586-020-1", ""),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.1",
         "10.1371/journal.pone.1"),
        ("10.1101/2020.01.01.123456v2", "10.1101/2020.01.01.123456"),
        ("https://doi.org/10.21203/rs.3.rs-123/v1", "10.21203/rs.3.rs-123"),
        ("10.20944/preprints202001.0001.v1", "10.20944/preprints202001.0001"),
        ("10.26434/chemrxiv-2021-x1-v2", "10.26434/chemrxiv-2021-x1"),
        ("10.1002/abc.v2", "10.1002/abc.v2"),
        ("10.1/too-short", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_doi_is_found_in_every_form(text: str, doi: str) -> None:
    assert doi_of(text) == doi


@pytest.mark.parametrize(
    ("text", "arxiv"),
    [
        ("2101.00001v2", "2101.00001"),
        ("arXiv:2101.00001", "2101.00001"),
        ("https://arxiv.org/pdf/2101.00001v3.pdf", "2101.00001"),
        ("http://arxiv.org/abs/math.GT/0309136v1", "math/0309136"),
        ("https://doi.org/10.48550/arXiv.2101.00001", "2101.00001"),
        ("https://huggingface.co/papers/2101.00001", "2101.00001"),
        ("https://example.org/2101.00001", ""),
        ("https://arxiv.org.example.com/abs/2101.00001", ""),
        ("version 2101.00001", ""),
    ],
)
def test_an_arxiv_id_is_found_without_its_version(text: str, arxiv: str) -> None:
    assert arxiv_of(text) == arxiv


def _hit(url: str, doi: str = "", arxiv_id: str = "") -> Hit:
    return Hit("x", SourceType.PAPER, url, "T", doi=doi, arxiv_id=arxiv_id)


def test_the_strongest_identity_comes_first() -> None:
    hit = _hit("https://arxiv.org/abs/2101.00001v2", doi="10.1000/A")
    assert keys_of(hit) == ("doi:10.1000/a", "arxiv:2101.00001")
    assert keys_of(_hit("https://example.org/a/")) == ("url:example.org/a",)
    assert keys_of(_hit("https://arxiv.org/abs/2101.00001", doi="10.48550/arXiv.2101.00001")) == (
        "arxiv:2101.00001",
    )


def test_a_file_is_not_known_by_where_it_is() -> None:
    assert keys_of(_hit("file:///home/a.md")) == ("file:///home/a.md",)


def test_sites_are_registrable_domains() -> None:
    assert site_of("https://news.bbc.co.uk/x") == "bbc.co.uk"
    assert site_of("https://signature.com/") == "signature.com"
    assert site_of("http://localhost:8000/") == "localhost"
    assert site_of("file:///a") == ""
