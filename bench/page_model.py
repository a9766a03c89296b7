"""Train the table that tells a page's content from the rest: `python -m bench.page_model`.

The pages are those of two benchmarks, in which people marked the content. It writes
`daemon/adapters/page_model.json`, and prints the figures of a threefold cross-validation: the hash
of a page's name decides its fold.
"""

import gzip
import hashlib
import json
import math
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from bench.page_kinds import pages_by_kind, word_f1
from daemon.adapters import page_model
from daemon.adapters.extract_html import decode, parse
from daemon.adapters.hidden import remove_hidden
from daemon.adapters.main_text import Readings, choose, is_article, readings
from daemon.adapters.page_blocks import Block

DATA = Path(__file__).resolve().parents[1] / "../shared/data/html"
TABLE = Path(page_model.__file__).with_suffix(".json")
PARTS = 3
_TREES = 70
_LEAVES = 12
_RUN = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read, with the text that people marked as its content."""

    name: str
    kind: str
    truth: str
    is_article: bool
    read: Readings
    marks: list[bool]  # of each block: whether it is content


def main() -> None:
    found = [page(*each) for each in sources()]
    for kind, f1 in held_out(found).items():
        sys.stdout.write(f"{kind:15} {f1:.3f}\n")
    TABLE.write_text(as_json(fitted(found)), "utf-8")


def sources() -> Iterator[tuple[str, str, bytes, str]]:
    """Name, kind, bytes and marked text of every page."""
    for each in pages_by_kind(DATA / "wcxb_dev"):
        yield each.name, each.kind, each.body, each.truth
    folder = DATA / "article_extraction_benchmark"
    for name, truth in sorted(
        json.loads((folder / "ground-truth.json").read_text("utf-8")).items()
    ):
        body = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
        yield name, "news", body, truth.get("articleBody", "")


def page(name: str, kind: str, body: bytes, truth: str) -> Page:
    """Read a page as Lacuna does, and mark its blocks by the marked text."""
    tree = parse(decode(body, "text/html"))
    article = is_article(tree)
    remove_hidden(tree)
    read = readings(tree)
    return Page(name, kind, truth, article, read, marked(read.blocks, truth) if read.rows else [])


def marked(blocks: Sequence[Block], truth: str) -> list[bool]:
    """Return whether most of each block is in the marked text; short ones with their neighbours."""
    words = _words(truth)
    runs = {tuple(words[at : at + n]) for n in (3, 4, 5) for at in range(len(words) - n + 1)}
    lines = {" ".join(_words(line)) for line in truth.split("\n")}
    own = [_words(block.text) for block in blocks]
    found = []
    for at, mine in enumerate(own):
        before = own[at - 1][-2:] if at else []
        after = own[at + 1][:2] if at + 1 < len(own) else []
        if len(mine) > 2:
            found.append(_covered(mine, runs) > 0.5)
        else:
            beside = [each for each in ((*before, *mine), (*mine, *after)) if len(each) > 2]
            found.append(" ".join(mine) in lines or any(each in runs for each in beside))
    return found


def _covered(words: list[str], runs: set[tuple[str, ...]]) -> float:
    size = min(_RUN, len(words))
    hit = [False] * len(words)
    for at in range(len(words) - size + 1):
        if tuple(words[at : at + size]) in runs:
            hit[at : at + size] = [True] * size
    return sum(hit) / len(words)


def held_out(pages: Sequence[Page]) -> dict[str, float]:
    """Mean F1 by kind, of pages that the table was not trained on."""
    scores: dict[str, list[float]] = {}
    for part in range(PARTS):
        model = fitted([each for each in pages if _part(each.name) != part])
        for each in pages:
            if _part(each.name) == part:
                scores.setdefault(each.kind, []).append(word_f1(_text(model, each), each.truth))
    return {kind: statistics.mean(each) for kind, each in sorted(scores.items())}


def _text(model: HistGradientBoostingClassifier, each: Page) -> str:
    if not each.read.rows:
        return each.read.strict or each.read.plain
    chances = model.predict_proba(np.array(each.read.rows))[:, 1].tolist()
    return choose(each.read, chances, article=each.is_article)


def fitted(pages: Sequence[Page]) -> HistGradientBoostingClassifier:
    """Train the trees; every page counts alike, and in it the root of a block's words."""
    used = [each for each in pages if each.read.rows]
    rows = np.array([row for each in used for row in each.read.rows], np.float32)
    marks = np.array([mark for each in used for mark in each.marks])
    weights = []
    for each in used:
        own = np.sqrt([block.words + 0.5 for block in each.read.blocks])
        weights.append(own / own.sum() * 1000)
    model = HistGradientBoostingClassifier(
        max_iter=_TREES,
        max_leaf_nodes=_LEAVES,
        learning_rate=0.12,
        min_samples_leaf=40,
        max_bins=64,
        l2_regularization=5,
        early_stopping=False,
        random_state=0,
    )
    return model.fit(rows, marks, sample_weight=np.concatenate(weights))


def as_json(model: HistGradientBoostingClassifier) -> str:
    """Write the trees as `page_model.py` reads them, a tree a line."""
    trees = [_nested(each[0].nodes, 0) for each in model._predictors]  # noqa: SLF001 its only way out
    start = _rounded(float(model._baseline_prediction[0, 0]))  # noqa: SLF001 as above
    lines = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in trees)
    return f'{{"start": {start}, "trees": [\n{lines}\n]}}\n'


def _nested(nodes: Any, at: int) -> Any:
    node = nodes[at]
    if node["is_leaf"]:
        return _rounded(float(node["value"]))
    sides = (_nested(nodes, int(node[side])) for side in ("left", "right"))
    return [int(node["feature_idx"]), _rounded(float(node["num_threshold"])), *sides]


def _rounded(value: float) -> float:
    return round(value, 5 - math.floor(math.log10(abs(value)))) if value else 0.0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _part(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % PARTS


if __name__ == "__main__":
    main()
