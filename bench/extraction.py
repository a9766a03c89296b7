"""Main text, measured as the article extraction benchmark of Scrapinghub (now Zyte) does it.

Pages and truth are that benchmark's; so are the scores: shares of runs of four words, precision
and recall averaged over the pages, F1 of the two averages, and 1.96 standard deviations of a
thousand bootstrap samples.
"""

import gzip
import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.page_kinds import kind_rows
from bench.places import Places
from bench.table import Row
from daemon.adapters.extract import ChildExtractor
from daemon.model.errors import ExtractError

MIN_F1 = 0.955
SAMPLES = 1000
_PAGES = Path(__file__).resolve().parents[1] / "../shared/data/html/article_extraction_benchmark"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a page's text was found and right, found and wrong, and missed; sums to 1."""

    right: float
    wrong: float
    missed: float

    @property
    def precision(self) -> float | None:
        """None when nothing was found."""
        found = self.right + self.wrong
        return self.right / found if found else None

    @property
    def recall(self) -> float | None:
        """None when there was nothing to find."""
        wanted = self.right + self.missed
        return self.right / wanted if wanted else None


def rows(places: Places) -> Iterator[Row]:
    """Measure on the benchmark's pages, on a tenth of them when it is to be quick."""
    if not _PAGES.is_dir():
        yield Row("main text, F1", "not measured: the benchmark is not here")
        return
    truth = json.loads((_PAGES / "ground-truth.json").read_text("utf-8"))
    names = sorted(truth)[:: 10 if places.quick else 1]
    began = time.perf_counter()
    texts = _read(names)
    seconds = (time.perf_counter() - began) / len(names)
    shares = [share(truth[name].get("articleBody", ""), texts[name]) for name in names]
    precision, recall, f1 = scores(shares)
    spread = _spread(shares)
    what = f"main text of {len(names)} pages"
    yield Row(
        f"{what}, F1",
        f"{f1:.3f} ± {spread[2]:.3f}",
        beside="trafilatura 2.0.0: 0.958",
        ratio=f"{f1 / 0.958:.3f}",
        to_reach=f"≥ {MIN_F1}",
        reached=f1 >= MIN_F1,
    )
    yield Row(f"{what}, precision", f"{precision:.3f} ± {spread[0]:.3f}", beside="0.938")
    yield Row(f"{what}, recall", f"{recall:.3f} ± {spread[1]:.3f}", beside="0.978")
    exact = statistics.mean(each.wrong == each.missed == 0 for each in shares)
    yield Row(f"{what}, exact", f"{exact:.3f}", beside="0.293")
    yield Row("seconds per page, in the reading process", f"{seconds:.3f}")
    yield from kind_rows(places)


def share(expected: str, found: str) -> Share:
    """Compare two texts by their runs of four words."""
    wanted, counted = _runs(expected), _runs(found)
    right = (wanted & counted).total()
    wrong, missed = (counted - wanted).total(), (wanted - counted).total()
    whole = right + wrong + missed
    return Share(right / whole, wrong / whole, missed / whole) if whole else Share(0, 0, 0)


def scores(shares: Sequence[Share]) -> tuple[float, float, float]:
    """Precision and recall, averaged over the pages, and their F1."""
    precision = statistics.mean(p for each in shares if (p := each.precision) is not None)
    recall = statistics.mean(r for each in shares if (r := each.recall) is not None)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _spread(shares: Sequence[Share]) -> tuple[float, float, float]:
    """1.96 standard deviations of each score over bootstrap samples of the pages."""
    chance = random.Random(0)
    samples = [scores(chance.choices(shares, k=len(shares))) for _ in range(SAMPLES)]
    precision, recall, f1 = (1.96 * statistics.stdev(each) for each in zip(*samples, strict=True))
    return precision, recall, f1


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    runs = (tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3)))
    return Counter(run for run in runs if run)


def _read(names: Sequence[str]) -> dict[str, str]:
    """Take the text of every page, in the process that reads documents."""
    extractor = ChildExtractor()
    try:
        return {name: _text(extractor, _PAGES / "html" / f"{name}.html.gz") for name in names}
    finally:
        extractor.close()


def _text(extractor: ChildExtractor, path: Path) -> str:
    body = gzip.decompress(path.read_bytes())
    try:
        return extractor.extract(body, content_type="text/html", url="https://page.example/").text
    except ExtractError:
        return ""
