"""Which lines of a PDF are its text: not its heads, its numbers, its stamps or its bibliography."""

import pytest

from daemon.adapters.pdf_lines import body_lines

BODY = [
    "The tide turns twice a day here.",
    "It was measured at the pier.",
    "Nothing else was done.",
]
ENTRIES = [
    "[1] A. Smith. Tides of the north. Journal of the Sea, 12(3):1-9, 2014.",
    "[2] B. Jones and C. Brown. Harbours.",
    "Springer, Berlin, 2019.",
    "[3] D. White et al. Waves. doi:10.1000/182",
]


def kept(*pages: list[str]) -> list[str]:
    return [line for lines in body_lines(["\n".join(page) for page in pages]) for line in lines]


@pytest.mark.parametrize(
    "heading",
    [
        "References",
        "REFERENCES",
        "6 References",
        "VII. References",
        "Bibliography:",
        "Works Cited",
        "Literatur",
        "Literaturverzeichnis",
        "Références",
        "Bibliografía",
        "Список литературы",
        "参考文献",
    ],
)
def test_a_bibliography_is_no_text(heading: str) -> None:
    assert kept(BODY, [heading, *ENTRIES]) == BODY


def test_what_follows_a_bibliography_is_text_again() -> None:
    for heading in ("A Appendix: the instruments", "Supplementary material", "B Details of it"):
        after = [heading, "We used a tide gauge.", "It was read by hand.", "Nobody was hurt."]
        assert kept([*BODY, "References", *ENTRIES, *after]) == [*BODY, *after]


def test_the_word_references_alone_begins_no_bibliography() -> None:
    page = ["Contents", "References", "Index", *BODY]
    assert kept(page) == page


@pytest.mark.parametrize(
    "stamp",
    [
        "Downloaded from https://academic.oup.com/x by guest on 3 May 2021",
        "bioRxiv preprint doi: https://doi.org/10.1101/2020.01.01; this version posted today.",
        "(which was not certified by peer review) is the author/funder.",
        "arXiv:2101.00001v2 [cs.CL] 3 Jan 2021",
        "Authorized licensed use limited to: The Library. Downloaded on May 3,2021.",
        "Content courtesy of Springer Nature, terms of use apply. Rights reserved.",
    ],
)
def test_a_stamp_is_no_text(stamp: str) -> None:
    assert kept([BODY[0], stamp, *BODY[1:]]) == BODY


def test_heads_that_change_from_left_to_right_pages_run_too() -> None:
    heads = ["Smith et al.", "Tides of the north"]
    pages = [
        [heads[at % 2], f"Page {at + 1} of 8", f"Words of {name} page.", *BODY]
        for at, name in enumerate("abcdefgh")
    ]
    lines = kept(*pages)
    assert not set(heads) & set(lines)
    assert not any(line.startswith("Page") for line in lines)
    assert sum(line.startswith("Words of") for line in lines) == 8


def test_numbers_that_count_lines_are_dropped() -> None:
    reported = [f"Line {name} of a manuscript that is under review" for name in "abcdefghij"]
    assert kept([f"{at} {line}" for at, line in enumerate(reported, start=31)]) == reported
    apart = [part for at, line in enumerate(reported, start=1) for part in (str(at), line)]
    assert kept(apart) == reported


def test_numbers_that_count_nothing_stay() -> None:
    rows = [f"{number} boats were seen in the harbour" for number in (12, 7, 31, 8, 40, 22, 5)]
    assert kept(["A heading", "and more", *rows, "The end", "of it"])[2:-2] == rows
    items = [f"{number}. Do this and then that" for number in range(1, 9)]
    assert kept(["A heading", "and more", *items, "The end", "of it"])[2:-2] == items
