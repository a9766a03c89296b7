"""Pages of two columns are read column by column, however they were written."""

import textwrap

import pytest

from daemon.adapters.extract_pdf import extract_pdf
from daemon.adapters.pdf_columns import Box, in_reading_order
from tests.fakes.pdf import columns_pdf

LEFT = (
    "The tide turns twice a day, because the earth turns below two swellings of the sea. Sailors"
    " have known the hours of high water for as long as there have been harbours, and wrote them"
    " down in tables that their sons could read. A table holds for one place only, since the shape"
    " of a bay makes a small swelling of the open sea into a wall of water, or into nothing at all."
    " Neap tides come when sun and moon pull at right angles, and spring tides when they pull as"
    " one. Winds that blow for days add to both, and no table knows of them."
)
RIGHT = (
    "Rivers carry the tide far into the land. It grows where their beds grow narrow, and it"
    " is late there by hours. In some of them its front is a wave that people ride on boards,"
    " and that takes down what was built too near to the water. Towns upstream keep gates"
    " which are shut when a storm and a spring tide come on the same night. The gates of one"
    " such town have been shut more often in the last ten years than in the forty years"
    " before, and nobody thinks that this is chance. What lies behind them is lower than the"
    " river by now."
)
TITLE = "On the hours of the tide, and on what keeps the water out of the towns behind the gates"


def _rows(left: str, right: str) -> list[tuple[str, str]]:
    columns = [textwrap.wrap(text, 45) for text in (left, right)]
    return list(zip(*columns, strict=False))


@pytest.mark.parametrize("by_row", [True, False])
def test_columns_are_read_one_after_the_other_however_they_were_written(by_row: bool) -> None:
    text = extract_pdf(columns_pdf(TITLE, _rows(LEFT, RIGHT), by_row=by_row))["text"]
    flat = " ".join(text.split())
    assert flat.startswith(TITLE)
    assert "wrote them down in tables that their sons could read." in flat
    assert "its front is a wave that people ride on boards, and that takes down" in flat
    assert flat.index("Neap tides") < flat.index("Rivers carry")


def test_a_table_is_read_row_by_row() -> None:
    rows = [
        (f"Harbour of number {n} in the long list", f"High water at {n} hours") for n in range(20)
    ]
    text = " ".join(extract_pdf(columns_pdf("Hours", rows))["text"].split())
    assert "number 3 in the long list High water at 3 hours" in text


def test_a_heading_across_both_columns_divides_them() -> None:
    rows = [(x, y) for y in range(700, 500, -10) for x in (50.0, 310.0)]
    boxes = [Box(x, float(y), x + 230, y + 8.0) for x, y in rows]
    boxes.insert(20, Box(50, 598, 540, 606))
    lines = in_reading_order(boxes, 595, lambda box: f"l{box.left:.0f} {box.bottom:.0f}")
    assert lines is not None
    heading = lines.index("l50 598")
    assert lines[0] == "l50 700"
    assert lines[heading - 1] == "l310 600"
    assert lines[heading + 1] == "l50 590"
    assert len(lines) == len(boxes)


def test_a_page_in_order_or_of_one_column_or_of_little_text_is_left_as_it_is() -> None:
    column = [Box(50, 700.0 - 10 * n, 280, 708.0 - 10 * n) for n in range(20)]
    beside = [Box(310, 700.0 - 10 * n, 540, 708.0 - 10 * n) for n in range(20)]
    wide = [Box(50, 700.0 - 10 * n, 540, 708.0 - 10 * n) for n in range(20)]
    mixed = [box for pair in zip(column, beside, strict=True) for box in pair]
    for boxes in (column + beside, wide, mixed[:12], []):
        assert in_reading_order(boxes, 595, lambda box: "goes on") is None
    assert in_reading_order(mixed, 595, lambda box: "goes on") is not None
