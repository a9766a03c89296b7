"""A page as it is laid out: paragraphs, items, rows, and what of them is links."""

import lxml.html
import pytest

from daemon.adapters.page_blocks import blocks_of


def texts(markup: str) -> list[str]:
    return [block.text for block in blocks_of(lxml.html.document_fromstring(markup))]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>One <b>two</b>\n three</p><p>Four</p>", ["One two three", "Four"]),
        ("<div>One<p>Two</p>three<!-- no -->four</div>", ["One", "Two", "threefour"]),
        ("<p>One<br>two</p>", ["One\ntwo"]),
        (
            "<table><tr><td>Draught<td>2 m</tr><tr><td>Beam<td>3 m</tr></table>",
            ["Draught | 2 m", "Beam | 3 m"],
        ),
        ("<table><tr><td><p>One</p><td><p>Two</p></tr></table>", ["One", "Two"]),
        ("<pre>a\n  b</pre>", ["a\n  b"]),
        ("<script>x</script><p>One</p><select><option>Two</select>", ["One"]),
        ("<ul><li>One<ul><li>Two</ul><li>Three</ul>", ["One", "Two", "Three"]),
    ],
)
def test_blocks_are_those_of_the_layout(markup: str, expected: list[str]) -> None:
    assert texts(f"<body>{markup}</body>") == expected


def test_words_in_links_are_counted() -> None:
    (block,) = blocks_of(
        lxml.html.document_fromstring("<p>See <a href='#'>the <i>tides</i></a> now</p>")
    )
    assert (block.words, block.linked, block.holder.tag) == (4, 2, "p")
