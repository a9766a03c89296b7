"""Main text of pages of seven kinds, as WCXB measures it, beside trafilatura with its defaults.

The score is the F1 of words, averaged over the pages of a kind; both read the same pages in one
run, and one process.
"""

import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import trafilatura

from bench.places import Places
from bench.table import Row
from daemon.adapters.extract_html import decode, extract_html
from daemon.model.errors import ExtractError

MIN_GAIN = 0.02  # over trafilatura, of F1, on all pages
PAGES = Path(__file__).resolve().parents[1] / "../shared/data/html/wcxb_dev"
_GAINS = {"forum": 0.05, "listing": 0.05, "collection": 0.05}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class KindPage:
    """A page of a kind, with the text that people marked as its content."""

    name: str
    kind: str
    body: bytes
    truth: str


@dataclass(frozen=True, slots=True)
class _Score:
    kind: str
    ours: float
    plain: float
    ours_seconds: float
    plain_seconds: float


def kind_rows(places: Places) -> Iterator[Row]:
    """Measure on the benchmark's pages, on a seventh of them when it is to be quick."""
    if not PAGES.is_dir():
        yield Row("pages of all kinds, F1", "not measured: the benchmark is not here")
        return
    scores = [_score(page) for page in list(pages_by_kind(PAGES))[:: 7 if places.quick else 1]]
    yield _row("all kinds", scores, MIN_GAIN)
    for kind in sorted({score.kind for score in scores}):
        yield _row(kind, [each for each in scores if each.kind == kind], _GAINS.get(kind, 0.0))
    ours = sorted(each.ours_seconds for each in scores)
    plain = sorted(each.plain_seconds for each in scores)
    for name, share in (("median", 0.5), ("95th percentile", 0.95)):
        at = int(share * len(ours))
        yield Row(
            f"seconds per page, {name}", f"{ours[at]:.3f}", beside=f"trafilatura: {plain[at]:.3f}"
        )


def pages_by_kind(folder: Path) -> Iterator[KindPage]:
    """The pages of a copy of WCXB, in the order of their names."""
    for path in sorted((folder / "ground-truth").glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        body = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        kind = record["_internal"]["page_type"]["primary"]
        yield KindPage(path.stem, kind, body, record["ground_truth"]["main_content"] or "")


def word_f1(found: str, wanted: str) -> float:
    """Compare two texts as bags of words, as WCXB's `evaluate.py` does."""
    counts, truth = (Counter(_WORD.findall(text.lower())) for text in (found, wanted))
    if not counts or not truth:
        return float(not counts and not truth)
    return 2 * (counts & truth).total() / (counts.total() + truth.total())


def _row(kind: str, scores: Sequence[_Score], gain: float) -> Row:
    ours = statistics.mean(each.ours for each in scores)
    plain = statistics.mean(each.plain for each in scores)
    return Row(
        f"{kind}, {len(scores)} pages, F1",
        f"{ours:.3f}",
        beside=f"trafilatura: {plain:.3f}",
        ratio=f"{ours / plain:.3f}",
        to_reach=f"≥ {plain + gain:.3f}",
        reached=ours >= plain + gain,
    )


def _score(page: KindPage) -> _Score:
    began = time.process_time()
    plain = trafilatura.extract(decode(page.body, "text/html")) or ""
    between = time.process_time()
    try:
        ours = str(extract_html(page.body, content_type="text/html")["text"])
    except ExtractError:
        ours = ""
    seconds = time.process_time() - between
    return _Score(
        page.kind,
        word_f1(ours, page.truth),
        word_f1(plain, page.truth),
        seconds,
        between - began,
    )
