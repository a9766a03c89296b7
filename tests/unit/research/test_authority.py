"""A page that says it is a famous paper is a page: attacks on identity and credibility."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.authority import is_at_its_place
from daemon.research.dedup import is_same, merge, offers
from daemon.research.identity import arxiv_of, canonical_url, doi_of
from daemon.research.weigh import base_of, retracted, weigh

TITLE = "Array programming with a library of arrays"
PEOPLE = ("Charles Harris", "Jarrod Millman")
ABSTRACT = " ".join(f"arrays of kind {number} hold numbers in row {number}" for number in range(40))
RECORD = Hit(
    source="openalex",
    source_type=SourceType.PAPER,
    url="https://doi.org/10.1038/s41586-020-2649-2",
    title=TITLE,
    snippet=ABSTRACT,
    authors=PEOPLE,
    published="2020",
    doi="10.1038/s41586-020-2649-2",
    citations=9000,
    content_url="https://repository.example.edu/2649.pdf",
)
CLAIM = replace(
    RECORD,
    source="brave",
    source_type=SourceType.WEB,
    url="https://evil.example.org/arrays",
    content_url="https://repository.example.edu/2649.pdf",
)
WORTH_NOTHING = ("a site nothing is known of", 0.5)


def _document(hit: Hit, text: str = ABSTRACT, final_url: str = "", by: str = "text") -> Document:
    key = f"test:{hit.source}:{hit.url}"
    return Document(
        id=sha256(key.encode()).hexdigest()[:16],
        key=key,
        hit=hit,
        final_url=final_url or hit.url,
        fetched_at=datetime(2026, 11, 21, tzinfo=UTC),
        sha256=sha256(f"{key}{text}".encode()).hexdigest(),
        text=text,
        extracted_by=by,
    )


def test_a_page_that_claims_a_doi_has_the_authority_of_its_site() -> None:
    assert base_of(CLAIM) == WORTH_NOTHING
    found = weigh(_document(CLAIM), 2)
    assert found.factors[0] == WORTH_NOTHING
    assert found.factors[1] == ("citations not known", 1.0)
    assert weigh(RECORD, 2).factors[:2] == (("Nature", 0.85), ("9000 citations", 1.2))


def test_a_page_that_claims_to_be_a_paper_is_not_one_with_its_record() -> None:
    assert len(offers([[CLAIM], [RECORD]])) == 2
    page, paper = _document(CLAIM), _document(RECORD)
    assert not is_same(page, paper)
    merged = merge([page, paper])
    assert merged[page.id].hit == CLAIM
    assert merged[paper.id].hit == RECORD


@pytest.mark.parametrize(
    "url",
    ["https://doi.org/10.1038/s41586-020-2649-2", "https://repository.example.edu/2649.pdf",
     "https://www.nature.com/articles/s41586-020-2649-2"],
)  # fmt: skip
def test_a_page_that_the_record_names_or_that_is_its_publishers_is_one_with_it(url: str) -> None:
    page = replace(CLAIM, url=url, content_url="")
    assert is_same(_document(page), _document(RECORD))
    (offer,) = offers([[page], [RECORD]])
    assert offer.hit.source_type is SourceType.PAPER
    assert offer.hit.url == url
    assert base_of(offer.hit) == ("Nature", 0.85)


@pytest.mark.parametrize(
    "url",
    ["https://nature.com.evil.example/articles/other", "https://zenodo.org/records/5",
     "https://www.mdpi.com/other", "https://evil.example.org/nature.com/articles/other",
     "https://osf.io/abcde", "https://www.researchgate.net/publication/5",
     "https://www.nature.com/articles/other", "https://openreview.net/forum?id=x",
     "https://www.semanticscholar.org/paper/x", "https://hal.science/hal-1"],
)  # fmt: skip
def test_a_page_of_another_address_is_not(url: str) -> None:
    page = replace(CLAIM, url=url, content_url="")
    assert not is_same(_document(page), _document(RECORD))
    assert len(offers([[page], [RECORD]])) == 2


def test_a_page_of_the_publishers_with_other_authors_or_text_is_another() -> None:
    page = replace(CLAIM, url="https://www.nature.com/news/arrays", content_url="")
    assert not is_same(_document(replace(page, authors=("Eve Hall",))), _document(RECORD))
    assert not is_same(_document(replace(page, authors=())), _document(RECORD))
    other = " ".join(f"bread of kind {number} goes stale on day {number}" for number in range(80))
    assert not is_same(_document(replace(page, snippet=""), other), _document(RECORD))


@pytest.mark.parametrize(
    ("url", "ended"),
    [
        ("https://www.nature.com/articles/s41586-020-2649-2", "https://evil.example.org/x"),
        ("https://www.who.int/page", "https://who.int.evil.example.org/page"),
        ("https://apnews.com/a", "https://web.archive.org/web/2020id_/https://evil.example.org/x"),
    ],
)
def test_a_page_is_weighed_where_it_was_found_in_the_end(url: str, ended: str) -> None:
    page = replace(CLAIM, url=url, content_url="")
    assert base_of(page) != WORTH_NOTHING
    assert weigh(_document(page, final_url=ended), 2).factors[0] == WORTH_NOTHING
    assert not is_same(_document(page, "Other words.", ended), _document(RECORD))


def test_what_came_instead_of_the_work_is_not_weighed_as_the_work() -> None:
    spam = _document(RECORD, "Win a prize now.", "https://evil.example.org/prize", "trafilatura")
    assert weigh(spam, 2).factors[:2] == (WORTH_NOTHING, ("citations not known", 1.0))
    text = f"{TITLE}\nby {PEOPLE[0]}\n{ABSTRACT}"
    copy = _document(RECORD, text, "https://repository.example.edu/2649.pdf", "pdfium")
    assert weigh(copy, 2).factors[0] == ("Nature", 0.85)
    summary = _document(RECORD, ABSTRACT, by="abstract")
    assert weigh(summary, 2).factors[0] == ("Nature", 0.85)


@pytest.mark.parametrize(
    "url",
    ["https://zenodo.org/doi/10.1038/s41586-020-2649-2", "https://osf.io/doi/10.1126/science.1",
     "https://www.mdpi.com/doi/10.1038/s41586-020-2649-2",
     "https://evil.example.org/doi/10.1038/s41586-020-2649-2",
     "https://nature.com.evil.example/articles/s41586-020-2649-2",
     "https://osf.io/evil/article/10.1038/s41586-020-2649-2",
     "https://nature.com%2f@evil.example/articles/s41586-020-2649-2",
     "https://evil.example%2f.nature.com/articles/s41586-020-2649-2",
     "https://n\u0430ture.com/articles/s41586-020-2649-2",
     "https://doi.org@evil.example/10.1038/s41586-020-2649-2",
     "https://doi.org.evil.example/10.1038/s41586-020-2649-2",
     "//evil.example/10.1038/s41586-020-2649-2", "evil.example/10.1038/s41586-020-2649-2",
     "http:/evil.example/10.1038/s41586-020-2649-2",
     "https://www.wiley.com/search?q=/doi/10.1002/abc",
     "https://ewh.ieee.org/someone/doi/10.1109/5.771073",
     "https://www.google.evil.example/amp/s/www.nature.com/articles/s41586-020-2649-2"],
)  # fmt: skip
def test_an_address_holds_only_a_doi_that_belongs_there(url: str) -> None:
    assert doi_of(url) == ""
    assert base_of(replace(CLAIM, url=url, content_url=""))[0] not in ("Nature", "Science")


def test_a_deposit_holds_its_own_dois() -> None:
    assert doi_of("https://zenodo.org/doi/10.5281/zenodo.5") == "10.5281/zenodo.5"
    assert doi_of("https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2") == (
        "10.1101/2020.01.01.123456"
    )


@pytest.mark.parametrize(
    "url",
    ["https://huggingface.co/someone/abs/2101.00001", "https://huggingface.co/abs/2101.00001",
     "https://evil.example.org/10.48550/arXiv.2101.00001", "https://arxiv.org/x/abs/2101.00001",
     "https://alphaxiv.org/someone/x/abs/2101.00001", "https://notarxiv.org/abs/2101.00001",
     "https://arxiv.org%2fabs%2f@evil.example/abs/2101.00001",
     "https://arxiv.org@evil.example/abs/2101.00001", "https://ar\u0445iv.org/abs/2101.00001",
     "https://www.google.evil.example/amp/s/arxiv.org/abs/2101.00001"],
)  # fmt: skip
def test_an_arxiv_id_somewhere_in_an_address_is_no_paper(url: str) -> None:
    assert arxiv_of(url) == ""
    assert canonical_url(url) != "arxiv.org/abs/2101.00001"


@pytest.mark.parametrize(
    ("url", "ended"),
    [
        ("https://doi.org/10.5555/x", "https://journal.example.org/5"),
        ("https://hdl.handle.net/1/2", "https://repository.example.edu/5"),
        ("https://osf.io/download/abc", "https://storage.googleapis.com/cos/abc"),
        ("https://journal.example.org/5", "https://www.journal.example.org/new/5"),
        ("https://journal.example.org/5", "https://europepmc.org/article/MED/5"),
        ("https://journal.example.org/5",
         "https://web.archive.org/web/2020id_/https://journal.example.org/5"),
    ],
)  # fmt: skip
def test_a_work_may_be_found_where_its_addresses_may_lead(url: str, ended: str) -> None:
    assert is_at_its_place(replace(RECORD, url=url, content_url=""), ended)


@pytest.mark.parametrize(
    ("url", "ended"),
    [
        ("https://www.example.gov/redirect?to=evil", "https://evil.example/x"),
        ("https://journal.example.org/5", "https://evil.s3.amazonaws.com/5"),
        ("https://journal.example.org/5", "https://journal.example.org.evil.example/5"),
        ("https://journal.example.org/5",
         "https://web.archive.org/web/2020id_/https://evil.example/5"),
    ],
)  # fmt: skip
def test_a_copy_of_its_title_and_text_elsewhere_is_not_the_work(url: str, ended: str) -> None:
    record = replace(RECORD, url=url, content_url="")
    copied = _document(record, f"{TITLE}\nby {PEOPLE[0]}\n{ABSTRACT}", ended, "trafilatura")
    assert not is_at_its_place(record, ended)
    assert weigh(copied, 2).factors[:2] == (WORTH_NOTHING, ("citations not known", 1.0))


def test_a_page_that_is_not_the_work_is_not_indexed_where_the_work_is() -> None:
    record = replace(RECORD, source="pubmed", url="https://journal.example/1", content_url="")
    other = _document(record, "A page about beekeeping in winter.", record.url, "trafilatura")
    assert weigh(other, 2).factors[0] == WORTH_NOTHING


def test_a_summary_of_a_page_that_was_not_read_is_not_worth_its_site() -> None:
    page = replace(CLAIM, url="https://www.example.gov/redirect?to=evil", content_url="")
    assert weigh(_document(page), 2).factors[0] == ("a government's site", 0.85)
    assert weigh(_document(page, by="abstract"), 2).factors[0] == (
        "a source's summary of a page that could not be read", 0.5,
    )  # fmt: skip


@pytest.mark.parametrize(
    "host", ["www.evil.go.it", "evil.edu.pl", "evil.edu.eu.org", "evil.go.dyndns.org"]
)
def test_a_suffix_that_anybody_may_register_under_is_no_institution(host: str) -> None:
    assert base_of(replace(CLAIM, url=f"https://{host}/x", content_url="")) == WORTH_NOTHING


@pytest.mark.parametrize("host", ["www.gov.scot", "www.rivm.gov.nl", "minfin.gov.ru"])
def test_a_government_is_known_by_its_own_suffix(host: str) -> None:
    found = base_of(replace(CLAIM, url=f"https://{host}/x", content_url=""))
    assert found == ("a government's site", 0.85)


def test_only_a_record_can_say_that_a_work_was_retracted() -> None:
    page = replace(CLAIM, title=f"RETRACTED: {TITLE}", retracted=True)
    assert weigh(_document(page), 2).score == 0.5
    paper = _document(RECORD)
    assert not merge([_document(page), paper])[paper.id].hit.retracted
    assert retracted(RECORD) == retracted(page) == ""
    assert retracted(replace(RECORD, title=page.title)) == "its title"


def test_a_file_of_the_users_is_one_with_the_record_that_fits_it() -> None:
    file = "file:///home/a/library/arrays.pdf"
    own = replace(CLAIM, source="library", source_type=SourceType.LIBRARY, url=file, content_url="")
    assert is_same(_document(own, f"{TITLE} {ABSTRACT} and much more"), _document(RECORD))
    saved = replace(own, url="https://evil.example.org/arrays", content_url=file)
    assert not is_same(_document(saved, final_url=file), _document(RECORD))
