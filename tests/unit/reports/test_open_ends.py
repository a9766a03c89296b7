"""What sources leave open: their questions, but not those that their next lines answer."""

from daemon.model.evidence import Passage
from daemon.model.finding import Quote
from daemon.reports.open_ends import open_statements
from tests.fakes.values import a_document

ASKED = "Does daily practice lower the pressure of blood?"
TEXT = f"Practice helps.\n\nIs it safe for children?\n\nIt is safe. {ASKED} Nobody has measured it."


def quoted(text: str) -> Quote:
    start = TEXT.index(text)
    return Quote(a_document(text=TEXT), Passage("p1", start, start + len(text), text))


def test_a_question_in_the_text_is_open_and_one_that_is_a_heading_is_not() -> None:
    asked, heading = quoted(ASKED), quoted("Is it safe for children?")
    assert open_statements([heading, asked]) == [asked]
