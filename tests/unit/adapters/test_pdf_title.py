"""What a PDF is called: never what a program called it."""

import pytest

from daemon.adapters.pdf_title import plausible_authors, plausible_title


@pytest.mark.parametrize(
    "reported",
    [
        "paper",
        "Paper 12",
        "untitled",
        "Microsoft Word - tides.docx",
        "main.pdf",
        "draft v2",
        "1",
        "arXiv:2101.00001v2 [cs.CL] 3 Jan 2021",
        "doi:10.1000/182",
        "S0140673620",
        "tides_final_v3",
        "PowerPoint Presentation",
        "10.1016/j.sea.2020.01.001",
        "C:\\tides.doc",
        "Research Article",
    ],
)
def test_what_a_program_made_up_is_no_title(reported: str) -> None:
    assert plausible_title(reported) == ""


@pytest.mark.parametrize(
    "reported",
    [
        "Tides",
        "On the Tides of the North Sea",
        "Paper trails: a history",
        "Article 13 and the web",
        "Title IX at fifty",
        "潮汐的历史",
        "Journals of the plague year",
    ],
)
def test_what_reads_as_a_title_is_one(reported: str) -> None:
    assert plausible_title(reported) == reported


def test_only_names_are_authors() -> None:
    assert plausible_authors("Ada Lovelace and C. Babbage; admin") == ["Ada Lovelace", "C. Babbage"]
    assert plausible_authors("Microsoft Office User") == plausible_authors("user, hp") == []
