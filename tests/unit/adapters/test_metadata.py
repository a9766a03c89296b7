"""What pages and PDFs say of themselves, and on which page of a PDF a sentence stands."""

from pathlib import Path

import lxml.html
import pytest

from daemon.adapters.extract_pdf import extract_pdf
from daemon.adapters.extract_plain import extract_markdown
from daemon.adapters.page_metadata import book_of, page_metadata

PDFS = Path(__file__).resolve().parents[3] / "../shared/data/pdf"
SCHOLARLY = """<html><head>
<meta name="citation_title" content="Tides in harbours">
<meta name="citation_author" content="Ebb, Ada"><meta name="citation_author" content="Flow, Bo">
<meta name="citation_publication_date" content="2021/3/4">
<meta name="citation_journal_title" content="Journal of Tides">
<meta name="citation_publisher" content="Port Press">
<meta name="citation_doi" content="doi:10.1000/TIDES.7">
<link rel="canonical" href="https://journal.example.org/tides"></head><body></body></html>"""
LINKED = """<html><head><meta property="og:site_name" content="Harbour News">
<script type="application/ld+json">{"@graph": [{"@type": "NewsArticle", "headline": "x",
"publisher": {"name": "Port Media"}, "url": "https://news.example.org/a",
"identifier": {"value": "https://doi.org/10.1000/x"}}]}</script>
<script type="application/ld+json">{broken</script></head><body></body></html>"""


def of(page: str) -> dict[str, object]:
    return page_metadata(lxml.html.document_fromstring(page))


def test_a_scholarly_page_names_its_work() -> None:
    assert of(SCHOLARLY) == {
        "title": "Tides in harbours",
        "authors": ["Ebb, Ada", "Flow, Bo"],
        "published": "2021-03-04",
        "venue": "Journal of Tides",
        "publisher": "Port Press",
        "doi": "10.1000/tides.7",
        "url": "https://journal.example.org/tides",
    }


def test_an_article_is_described_by_linked_data() -> None:
    assert of(LINKED) == {
        "venue": "Harbour News",
        "publisher": "Port Media",
        "doi": "10.1000/x",
        "url": "https://news.example.org/a",
    }


@pytest.mark.parametrize(
    "saved",
    [
        "<!-- saved from url=(0031)https://news.example.org/saved -->",
        "<!--\n Page saved with SingleFile \n url: https://news.example.org/saved \n-->",
    ],
)
def test_what_saved_a_page_knows_its_address_best(saved: str) -> None:
    page = (
        f"<html>{saved}<head><link rel=canonical href='https://other.example.org/'></head></html>"
    )
    assert of(page)["url"] == "https://news.example.org/saved"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "/a", "https://a b"]
)
def test_what_is_no_address_is_not_taken_for_one(address: str) -> None:
    assert "url" not in of(f'<html><head><link rel="canonical" href="{address}"></head></html>')


def test_a_markdown_file_says_where_it_is_from_in_its_properties() -> None:
    reported = extract_markdown(
        b"---\ntitle: T\ndoi: https://doi.org/10.1000/X\njournal: J\nurl: https://a.example/b\n---\nText."
    )
    assert (reported["doi"], reported["venue"], reported["url"]) == (
        "10.1000/x",
        "J",
        "https://a.example/b",
    )
    assert extract_markdown(b"---\nsource: my head\n---\nText.")["url"] == ""


@pytest.mark.skipif(not PDFS.is_dir(), reason="no sample PDFs beside the project")
def test_a_paper_names_itself_on_its_first_page_and_its_pages_are_known() -> None:
    found = next(PDFS.rglob("pasa.pdf"))
    reported = extract_pdf(found.read_bytes())
    assert reported["title"] == "PaSa: An LLM Agent for Comprehensive Academic Paper Search"
    assert reported["arxiv_id"] == "2501.10120"
    pages = [int(name.removeprefix("p. ")) for _, name in reported["places"]]
    assert pages == sorted(set(pages))
    assert pages[:8] == list(range(1, 9))
    assert pages[-1] == 15  # between them lie pages that hold nothing but references


@pytest.mark.parametrize(
    ("footer", "owner"),
    [
        ("© 2009-2023, Harbour Board (BSD License). <a>Imprint</a>", "Harbour Board"),
        (
            "Copyright © 2024 <a>The Harbour Board</a><a>Contact</a><a>Press</a>",
            "The Harbour Board",
        ),
        ("© 2024 Harbour Coaching B.V. All rights reserved", "Harbour Coaching B.V"),
        ("© 2024 Harbour.org", "Harbour.org"),
        ("© 2024 All rights reserved", None),
        ("Forum software by Boards® © 2010-2024 Boards Ltd.", None),
        ("Open since 1999", None),
    ],
)
def test_a_copyright_notice_names_the_publisher(footer: str, owner: str | None) -> None:
    page = f"<html><body><p>Text of 1999.</p><footer>{footer}</footer></body></html>"
    assert of(page).get("publisher") == owner


def test_the_name_of_the_site_is_the_publisher_before_a_copyright_notice() -> None:
    site = "<meta property='og:site_name' content='Pest~R~Us'>"
    page = f"<html><head>{site}</head><body><footer>© 2024 Pest and others</footer></body></html>"
    assert of(page)["publisher"] == "Pest~R~Us"


def test_the_start_page_that_a_page_links_to_names_its_book() -> None:
    page = "<p><a accesskey='h' href='i.html' title='Harbour 15 Manual'>Home</a></p>"
    assert book_of(lxml.html.document_fromstring(page)) == "Harbour 15 Manual"
