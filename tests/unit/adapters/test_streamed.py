"""What a page's scripts put in place is read in its place; what they do not, stays hidden."""

import lxml.html
import pytest

from daemon.adapters.hidden import remove_hidden
from daemon.adapters.streamed import place_streamed

TEXT = "The tide turns twice a day in this harbour"
PAGE = (
    '<p>Before.</p><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--><p>After.</p>'
    f'<div hidden id="S:0"><p>{TEXT}.</p></div> tail <script>{{}}</script>'
)


def read(script: str, page: str = PAGE) -> str:
    tree = lxml.html.document_fromstring(page.replace("{}", script))
    remove_hidden(tree)
    return " ".join(tree.text_content().split())


def test_a_streamed_part_stands_where_the_page_puts_it() -> None:
    assert read('$RC("B:0","S:0")') == f"Before.{TEXT}.After. tail"


@pytest.mark.parametrize(
    "script",
    ["", '$RC("B:0","S:1")', '$RC("B:1","S:0")', 'run("B:0","S:0")', '$RS("B:0","S:0")'],
)
def test_a_part_that_nothing_puts_in_place_stays_hidden(script: str) -> None:
    assert TEXT not in read(script)


def test_a_segment_takes_the_place_of_its_template_and_parts_lie_within_parts() -> None:
    page = (
        '<main><template id="B:0"></template></main><div hidden id="S:0"><p>One.</p>'
        '<template id="P:1"></template><p>Three.</p></div><div hidden id="S:1"><p>Two.</p></div>'
        '<script>$RS("S:1","P:1");$RC("B:0","S:0")</script>'
    )
    tree = lxml.html.document_fromstring(page)
    assert place_streamed(tree) == 2
    assert tree.find(".//main").text_content() == "One.Two.Three."


def test_a_part_is_not_put_into_itself() -> None:
    page = '<div hidden id="S:0"><template id="B:0"></template></div><script>{}</script>'
    tree = lxml.html.document_fromstring(page.replace("{}", '$RC("B:0","S:0")'))
    assert place_streamed(tree) == 0
