"""The rows of the table, and how they are printed."""

from collections.abc import Iterable
from dataclasses import dataclass

_HEADS = ("what", "measured", "beside it", "ratio", "to reach", "reached")


@dataclass(frozen=True, slots=True)
class Row:
    """One number beside its peer or its limit, measured in the same run.

    `reached` is None where there is nothing to reach, only to show.
    """

    what: str
    measured: str
    beside: str = ""
    ratio: str = ""
    to_reach: str = ""
    reached: bool | None = None


def markdown(rows: Iterable[Row]) -> str:
    """Lay rows out as a Markdown table whose columns are aligned for reading as text."""
    lines = [_HEADS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    reached = {None: "", True: "yes", False: "NO"}[row.reached]
    return (row.what, row.measured, row.beside, row.ratio, row.to_reach, reached)
