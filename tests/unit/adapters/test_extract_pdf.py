"""PDFs: lines become paragraphs, words become whole, and what has no text says so."""

import pytest

from daemon.adapters.extract_pdf import extract_pdf, tidy
from daemon.model.errors import ExtractError
from tests.fakes.pdf import make_pdf


def tidied(pages: list[str]) -> str:
    return tidy(pages)[0]


def test_text_title_and_authors_come_out_of_a_pdf() -> None:
    read = extract_pdf(make_pdf([["The tide turns twice a day."]], title="Tides", author="A; B"))
    assert read["text"] == "The tide turns twice a day."
    assert (read["title"], read["authors"]) == ("Tides", ["A", "B"])
    assert read["extracted_by"] == "pdfium"


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - x", "paper.tex", "draft.docx"])
def test_a_title_that_a_program_made_up_is_none(title: str) -> None:
    assert extract_pdf(make_pdf([["Some text here."]], title=title))["title"] == ""


def test_a_pdf_of_pictures_is_said_to_have_no_text() -> None:
    with pytest.raises(ExtractError, match=r"only pictures \(1 page\)"):
        extract_pdf(make_pdf([[]]))
    with pytest.raises(ExtractError, match=r"only pictures \(3 pages\)"):
        extract_pdf(make_pdf([["Scan 1"], [], []]))


@pytest.mark.parametrize("body", [b"%PDF-1.7\ngarbage", b"%PDF-", make_pdf([["x"]])[:120]])
def test_a_broken_pdf_is_said_to_be_broken(body: bytes) -> None:
    with pytest.raises(ExtractError, match="broken"):
        extract_pdf(body)


def test_an_empty_file_is_reported_as_empty() -> None:
    with pytest.raises(ExtractError, match="empty"):
        extract_pdf(b"")


def test_words_split_at_a_line_end_are_joined() -> None:
    assert tidied(["The mo\x02on and the navi-\ngation of ships"]) == (
        "The moon and the navigation of ships"
    )
    assert tidied(["A soft\u00ad\nware tool"]) == "A software tool"


def test_a_hyphen_that_belongs_to_a_word_stays() -> None:
    page = "A state-of-the-art tool.\nIt is state-of\x02the-art. In 1990-\n95 from North-\nSouth."
    assert tidied([page]).endswith("It is state-of-the-art. In 1990-95 from North-South.")


def test_lines_of_a_paragraph_are_joined_and_paragraphs_are_not() -> None:
    page = (
        "A heading\r\n"
        "The tide turns twice a day, because the earth turns below two\r\n"
        "swellings of the sea that the moon holds in their places, and\r\n"
        "the sun helps.\r\n"
        "Neap tides are the small ones, and come when sun and moon pull\r\n"
        "at right angles to each other, as seen from the earth itself."
    )
    heading, first, second = tidied([page]).split("\n\n")
    assert heading == "A heading"
    assert first.startswith("The tide")
    assert first.endswith("the sun helps.")
    assert second.startswith("Neap tides")
    assert "\n" not in first + second


def test_a_paragraph_goes_on_over_a_page() -> None:
    pages = ["All of this sentence stands on", "two pages of the very same book."]
    assert tidied(pages) == "All of this sentence stands on two pages of the very same book."


def test_running_headers_and_page_numbers_are_excluded() -> None:
    pages = [
        f"Journal of Tides, vol. {n}\nText number {word} of the page is here.\n{n}"
        for n, word in enumerate(["one", "two", "three", "four"], start=1)
    ]
    text = tidied(pages)
    assert "Journal" not in text
    assert text.count("of the page is here.") == 4
    assert not any(part.isdigit() for part in text.split())


def test_a_number_or_a_repeated_line_in_the_middle_of_a_page_stays() -> None:
    page = "Top line\nwith more\n1984\nThe same words.\nAnd then some\nuntil the end."
    assert tidied([page.replace("Top", f"Top{n}") for n in "abcd"]).count("1984") == 4


def test_control_characters_do_not_survive() -> None:
    assert tidied(["a\x00b\x03c\ufffdd\uffffe\x0cf"]) == "abcdef"


def test_pages_are_known_in_the_text_also_where_a_word_or_a_page_was_dropped() -> None:
    entries = "\n".join(f"[{n}] A. Smith. Tides. 201{n}." for n in range(5))
    pages = ["The first page of it, with a navi-", "gation that goes on.", f"References\n{entries}",
             "Appendix A\nThe last page."]  # fmt: skip
    text, places = tidy(pages)
    assert "navigation that goes on." in text
    assert [name for _, name in places] == ["p. 1", "p. 2", "p. 4"]
    assert text[places[2][0] :].startswith("Appendix A")
    assert text[: places[1][0]].endswith("with a ")
    assert "Smith" not in text
