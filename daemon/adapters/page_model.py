"""The probability that a block of a page is content, by a table of small decision trees.

`page_model.json` is the table: boosted trees over the features in `page_features.py`, trained by
`python -m bench.page_model` on pages whose content people marked.
"""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

# A node is a leaf's value, or: the feature, its threshold, the node below it, the node above it.
Node = float | list[Any]


def likelihoods(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the probability, 0 to 1, that each block is content."""
    start, trees = _table()
    return [_logistic(start + sum(_walk(tree, row) for tree in trees)) for row in rows]


def _walk(tree: Node, row: Sequence[float]) -> float:
    while isinstance(tree, list):
        tree = tree[2] if row[tree[0]] <= tree[1] else tree[3]
    return tree


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


@cache
def _table() -> tuple[float, list[Node]]:
    table = json.loads(files(__package__).joinpath("page_model.json").read_text("utf-8"))
    return float(table["start"]), table["trees"]
