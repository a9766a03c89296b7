"""Conditions in a query: properties, tags, paths, phrases, and what is excluded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.indexed_vault import IndexedVault

NOTES = {
    "Work/Plan.md": "---\nstatus: open\ntags: [garden/beds]\n---\nDig the raised beds in spring.\n",
    "Work/Done.md": "---\nstatus: [done, Open]\n---\nThe beds were raised in spring.\n",
    "Home/Tea.md": "---\nstatus: done\nurgent: true\n---\nTea in spring. #garden\n",
    "Home/Time.md": "A meeting at 10:30 about std::vector in spring.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    made = IndexedVault(tmp_path)
    for path, text in NOTES.items():
        made.write(path, text)
    made.sync()
    yield made
    made.db.close()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("spring status:open", {"Work/Plan.md", "Work/Done.md"}),
        ("status:OPEN -path:done", {"Work/Plan.md"}),
        ("urgent:true", {"Home/Tea.md"}),
        ("tag:#garden", {"Work/Plan.md", "Home/Tea.md"}),
        ("tag:garden -tag:garden/beds", {"Home/Tea.md"}),
        ("path:home/ spring", {"Home/Tea.md", "Home/Time.md"}),
        ('"raised beds"', {"Work/Plan.md"}),
        ('spring -"raised beds" -tea -meeting', {"Work/Done.md"}),
        ("-status:open -status:done", {"Home/Time.md"}),
        ("status:nothing", set()),
    ],
)
def test_every_result_meets_every_condition(
    vault: IndexedVault, query: str, found: set[str]
) -> None:
    assert {each.path for each in vault.search.search(query)} == found


@pytest.mark.parametrize("query", ["std::vector", "10:30", "meeting http://x.org/a"])
def test_a_colon_in_a_word_is_no_condition(vault: IndexedVault, query: str) -> None:
    assert vault.search.filters(query).conditions == ()
    assert vault.search.search(query)[0].path == "Home/Time.md"
