"""Restore the reading order of a two-column page whose lines were written across both columns.

Most programs write a PDF's text column by column, so the order in the file is the reading order.
Some, especially text recognition, write it by height: a line of the left column, then its
neighbour. Such pages are recognised by how often they jump, and reordered.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

MIN_LINES = 8  # of each column
MIN_WIDTH = 0.25  # of the page's width, for a column's median line; a table's cells are narrower
MAX_CROSSING_SHARE = 0.3  # of all lines may cross the gutter: titles, figures, footers
MIN_JUMP_SHARE = 0.4  # jumps back to the left column, by lines: an ordered page jumps once or twice
MIN_FLOW_SHARE = 0.3  # of a column's lines continue in the next one; a table's do not
# where a gutter is searched for, of the width
_GUTTERS = [0.35 + 0.01 * step for step in range(31)]
_ENDS = (".", "!", "?", ":", ";", "。")


@dataclass(frozen=True, slots=True)
class Box:
    """A stretch of text on a page, in points; the origin is at the lower left."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    def is_beside(self, other: "Box") -> bool:
        """Return whether both are on one line."""
        height = min(self.top - self.bottom, other.top - other.bottom)
        return abs(self.middle - other.middle) < height / 2

    def joined(self, other: "Box") -> "Box":
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )


def in_reading_order(
    boxes: Sequence[Box], width: float, text_in: Callable[[Box], str]
) -> list[str] | None:
    """Return the lines of a page with mixed columns, in order; None if they are not mixed.

    `boxes` are the page's stretches of text in the order of the file, `width` is the page's.
    """
    gutter = _gutter(boxes, width)
    if gutter is None:
        return None
    sides = [_side(box, gutter) for box in boxes]
    left = _lines(box for box, side in zip(boxes, sides, strict=True) if side < 0)
    right = _lines(box for box, side in zip(boxes, sides, strict=True) if side > 0)
    if min(len(left), len(right)) < MIN_LINES:
        return None
    if min(median(box.right - box.left for box in column) for column in (left, right)) < (
        MIN_WIDTH * width
    ):
        return None
    placed = [side for side in sides if side]
    leaps = sum(one > 0 > other for one, other in pairwise(placed))
    if leaps < MIN_JUMP_SHARE * min(len(left), len(right)):
        return None
    across = _lines(box for box, side in zip(boxes, sides, strict=True) if side == 0)
    if min(_flow(list(map(text_in, column))) for column in (left, right)) < MIN_FLOW_SHARE:
        return None
    return [text_in(box) for box in _ordered(left, right, across)]


def _gutter(boxes: Sequence[Box], width: float) -> float | None:
    """Return the position that the fewest stretches cross, if they are few."""
    if len(boxes) < 2 * MIN_LINES:
        return None
    crossed = [(sum(box.left < at * width < box.right for box in boxes), at) for at in _GUTTERS]
    fewest = min(count for count, _ in crossed)
    if fewest > MAX_CROSSING_SHARE * len(boxes):
        return None
    places = [at for count, at in crossed if count == fewest]
    return median(places) * width


def _side(box: Box, gutter: float) -> int:
    return 0 if box.left < gutter < box.right else (-1 if box.right <= gutter else 1)


def _lines(boxes: Iterable[Box]) -> list[Box]:
    """Join the stretches on one line; the highest line comes first."""
    lines: list[Box] = []
    for box in sorted(boxes, key=lambda each: -each.middle):
        if lines and lines[-1].is_beside(box):
            lines[-1] = lines[-1].joined(box)
        else:
            lines.append(box)
    return lines


def _flow(lines: Sequence[str]) -> float:
    """Return the share of lines that continue in the next one."""
    pairs = [(one.strip(), other.strip()) for one, other in pairwise(lines)]
    runs = sum(not one.endswith(_ENDS) and other[:1].islower() for one, other in pairs)
    return runs / len(pairs) if pairs else 0.0


def _ordered(left: list[Box], right: list[Box], across: list[Box]) -> Iterator[Box]:
    """Order left before right between two lines that cross both columns."""
    for divider in [*across, None]:
        floor = divider.middle if divider is not None else float("-inf")
        for column in (left, right):
            while column and column[0].middle > floor:
                yield column.pop(0)
        if divider is not None:
            yield divider
