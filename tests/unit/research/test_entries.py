"""A document is split into what its reader sees as one."""

from datetime import UTC, datetime

import pytest

from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.entries import entries


def _split(text: str, kind: str = "text") -> list[tuple[str, tuple[str, ...]]]:
    hit = Hit("library", SourceType.LIBRARY, "file:///a", "A")
    document = Document("a", "a", hit, hit.url, datetime(2026, 1, 1, tzinfo=UTC), "sha", text, kind)
    return [(text[each.start : each.end], each.under) for each in entries(document)]


MANUAL = """NAME
       standup - tell what was committed

OPTIONS
       -d days-ago

       The start of the history. Defaults to 1.

       -w weekdays

       Limit the search to weekdays.

   Unit commands
       list [PATTERN...]
           List the units that are in memory.

           Units that failed are among them.

       reset [PATTERN...]
           Reset the state of all units.
"""


def test_an_option_of_a_manual_is_one_with_all_that_is_said_of_it() -> None:
    found = [(" ".join(text.split()), under) for text, under in _split(MANUAL)]
    assert found == [
        ("NAME standup - tell what was committed", ()),
        ("OPTIONS -d days-ago The start of the history. Defaults to 1.", ()),
        ("-w weekdays Limit the search to weekdays.", ("OPTIONS",)),
        (
            (
                "Unit commands list [PATTERN...] List the units that are in memory."
                " Units that failed are among them."
            ),
            ("OPTIONS",),
        ),
        (
            "reset [PATTERN...] Reset the state of all units.",
            ("OPTIONS", "Unit commands"),
        ),
    ]


def test_a_page_is_split_at_its_headings() -> None:
    long = "A loaf rests for an hour before it goes into the oven of the bakery in town. " * 3
    page = (
        f"Baking bread\n{long}\nKeeping it\n{long}\nIt also keeps in a bag:\n- of cloth\n- of paper"
    )
    found = _split(page, "trafilatura")
    assert [text.split("\n")[0] for text, _ in found] == [
        "Baking bread",
        "Keeping it",
        "It also keeps in a bag:",
    ]
    assert found[2] == ("It also keeps in a bag:\n- of cloth\n- of paper", ("Keeping it",))


def test_a_term_and_its_description_in_a_list_are_one() -> None:
    page = "- The blame view\n- Shows who wrote each line.\n- The log view\n- Shows all commits."
    found = [text for text, _ in _split(page, "trafilatura")]
    assert found[0].startswith("- The blame view\n- Shows who")


def test_code_is_not_torn_from_the_line_that_leads_to_it() -> None:
    page = "# Set-up\n\nRun this:\n\n```\npip install it\n\nit run\n```\n\nThen open the page.\n"
    found = [text for text, _ in _split(page, "markdown")]
    assert any("Run this:\n\n```\npip install it\n\nit run\n```" in text for text in found)


@pytest.mark.parametrize("kind", ["text", "trafilatura"])
def test_nothing_is_lost_and_a_long_paragraph_is_cut_between_sentences(kind: str) -> None:
    text = "\n\n".join(["A sentence of seven words is here. " * 40, "Another one.", "x " * 900])
    found = [part for part, _ in _split(text, kind)]
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(part.rstrip().endswith((".", "x")) for part in found)
