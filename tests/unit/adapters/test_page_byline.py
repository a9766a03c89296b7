"""Who wrote a page, by its JSON-LD and by the line below its title."""

import json
from typing import Any

import pytest

from daemon.adapters.extract_html import extract_html

PROSE = "Bees keep the brood at thirty-five degrees, and they carry water to cool it in summer. "


def authors(head: str, line: str = "") -> Any:
    body = f"<h1>Bees in summer</h1><p>{line}</p><article><p>{PROSE * 4}</p></article>"
    page = f"<html><head><title>Bees in summer</title>{head}</head><body>{body}</body></html>"
    return extract_html(page.encode(), content_type="")["authors"]


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ({"@type": "Person", "name": "By TOM KRISHER, AP Auto Writer"}, ["Tom Krisher"]),
        ("Ada Ebb", ["Ada Ebb"]),
        ({"@type": "Organization", "name": "The Hive"}, []),
    ],
)
def test_the_author_of_the_work_is_stated_by_linked_data(author: object, name: list[str]) -> None:
    stated = json.dumps({"@type": "NewsArticle", "author": author})
    assert authors(f'<script type="application/ld+json">{stated}</script>') == name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Written by Rachael Link, MS, RD on November 14, 2019", ["Rachael Link"]),
        ("By Ada van der Ebb | March 3, 2020", ["Ada van der Ebb"]),
        ("By The end of the year most bees are gone.", []),
        ("By continuing you accept our terms", []),
    ],
)
def test_a_line_below_the_title_names_the_author(line: str, name: list[str]) -> None:
    assert authors("", line) == name
