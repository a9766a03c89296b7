"""Titles without the site's name, and authors that are names."""

import pytest

from daemon.adapters.page_names import page_authors, page_title


@pytest.mark.parametrize(
    ("title", "headings", "site", "expected"),
    [
        ("Spring tides | The Harbour", ["Spring tides"], "", "Spring tides"),
        (
            "Spring tides - how they come - The Harbour",
            ["Spring tides - how they come"],
            "",
            "Spring tides - how they come",
        ),
        ("Spring tides — The Harbour", ["Menu"], "The Harbour", "Spring tides"),
        ("Spring tides: a history", ["Something else"], "The Harbour", "Spring tides: a history"),
        ("North-South trade – a history", [], "", "North-South trade – a history"),
        ("", [], "", ""),
    ],
)
def test_a_title_ends_where_the_sites_name_begins(
    title: str, headings: list[str], site: str, expected: str
) -> None:
    assert page_title(title, headings, site) == expected


@pytest.mark.parametrize(
    "named",
    [
        "View more posts",
        "See all articles",
        "Read more",
        "Sign In",
        "Name",
        "admin",
        "Author",
        "September",
        "Sun Dec",
        "12 3",
        "All posts by",
        "https://example.org/ada",
        "CEO",
        "",
        "The State University ©",
        "Share on",
        "a b c d e f g h i j",
    ],
)
def test_what_is_no_name_is_no_author(named: str) -> None:
    assert page_authors([named]) == []


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (["Ada Lovelace", " Ada  Lovelace "], ["Ada Lovelace"]),
        (
            ["Rachel Post", "Herbert Read", "Thomas More"],
            ["Rachel Post", "Herbert Read", "Thomas More"],
        ),
        (["May Sarton", "April Allen"], ["May Sarton", "April Allen"]),
        (["Ada Lovelace Tech Reporter", "Wyndo Dec"], ["Ada Lovelace", "Wyndo"]),
        (["B boobaloo Full Member", "JosephF J"], ["boobaloo", "JosephF"]),
        (["Reuters", "Editorial Board"], ["Reuters", "Editorial Board"]),
    ],
)
def test_names_stay_and_lose_what_stands_around_them(named: list[str], expected: list[str]) -> None:
    assert page_authors(named) == expected
