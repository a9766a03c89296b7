"""A file of the user's own: what it says of itself names it, and lends it nothing."""

from dataclasses import replace

import pytest

from daemon.model.evidence import Hit, SourceType
from daemon.research.dedup import offers
from daemon.research.identity import keys_of
from daemon.research.weigh import base_of

FILE = "file:///home/a/library/page.html"
CLAIM = Hit(
    source="library",
    source_type=SourceType.LIBRARY,
    url="https://www.nature.com/articles/s41586-020-2649-2",
    title="Array programming with a library of arrays",
    authors=("Charles Harris",),
    published="2020",
    doi="10.1038/s41586-020-2649-2",
    content_url=FILE,
)


def test_a_file_is_identified_by_its_place_whatever_it_says_of_itself() -> None:
    assert keys_of(CLAIM) == (FILE,)
    assert keys_of(replace(CLAIM, source_type=SourceType.PAPER))[0].startswith("doi:10.1038/")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.nature.com/articles/s41586-020-2649-2",
        "https://pubmed.ncbi.nlm.nih.gov/32939066/",
        "https://www.nejm.org/doi/10.1056/x",
    ],
)
def test_a_file_that_claims_to_be_a_paper_does_not_weigh_as_one(url: str) -> None:
    claimed = replace(CLAIM, url=url)
    confirmed = replace(CLAIM, source_type=SourceType.PAPER)
    assert base_of(claimed) == ("your library, found in no citation index", 0.5)
    assert base_of(confirmed) == ("Nature", 0.85)


@pytest.mark.parametrize(
    ("url", "score"),
    [("https://www.bbc.com/news/x", 0.5), ("https://www.cdc.gov/x", 0.5),
     ("https://www.ox.ac.uk/x", 0.5), ("https://someone.medium.com/x", 0.4),
     ("https://www.quora.com/x", 0.25), ("https://example.org/x", 0.5)],
)  # fmt: skip
def test_where_a_saved_page_says_it_is_from_may_lower_its_worth_and_never_raise_it(
    url: str, score: float
) -> None:
    assert base_of(replace(CLAIM, doi="", url=url))[1] == score


def test_only_a_file_of_which_nothing_is_known_is_of_unknown_origin() -> None:
    bare = replace(CLAIM, url=FILE, content_url="", doi="")
    assert base_of(bare)[0] == "your library, found in no citation index"
    published = replace(bare, publisher="PostgreSQL Global Development Group")
    assert base_of(published) == (
        "your library; the document names PostgreSQL Global Development Group as its publisher",
        0.5,
    )
    part = replace(bare, authors=(), venue="PostgreSQL 15 Documentation")
    assert base_of(part) == (
        "your library; the document says that it is part of PostgreSQL 15 Documentation",
        0.5,
    )
    nameless = replace(bare, authors=(), venue="", publisher="")
    assert base_of(nameless)[0] == "your library, of unknown origin"


def test_a_paper_in_the_library_and_in_an_index_is_one_offer_and_the_file_is_read() -> None:
    file = "file:///home/a/library/arrays.pdf"
    own = replace(CLAIM, url=file, content_url="", doi="")
    indexed = replace(
        CLAIM,
        source="openalex",
        source_type=SourceType.PAPER,
        url="https://doi.org/10.1038/s41586-020-2649-2",
        content_url="https://www.nature.com/articles/s41586-020-2649-2.pdf",
        citations=9000,
    )
    for order in ([[own], [indexed]], [[indexed], [own]]):
        (offer,) = offers(order)
        assert offer.ref == "doi:10.1038/s41586-020-2649-2"
        assert offer.hit.source == "openalex"
        assert offer.hit.file == file
        assert offer.also_from == ("library",)
