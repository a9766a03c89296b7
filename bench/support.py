"""Do the checks of written sentences tell supported ones from unsupported ones?

The labels are made: sentences of abstracts and articles are altered by fixed edits that keep what
they say, or do not. The limits of `daemon.models.checks` are chosen on every other abstract of
PubMedQA, and checked on the others and on articles of the web. Of equal shares the strictest is
taken, and of equal logits 0, the boundary of the cross-encoder itself. It takes ten minutes.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

from bench.altered import Altered, names_in, other, same
from bench.model_work import DATA
from bench.places import Places
from bench.table import Row
from daemon.composition import open_models
from daemon.config import Settings
from daemon.models import checks
from daemon.models.checks import MIN_IN_ORDER, MIN_LOGIT, Claim, Given, why_removed
from daemon.models.restating import share_in_order
from daemon.research.sentences import sentences

_WEB = Path(__file__).resolve().parents[1] / "../shared/data/html/wcxb_dev/ground-truth"
_PAGES, _QUICK = 120, 12  # of each kind
_PER_PAGE = 2  # sentences
_LENGTHS = range(40, 301)  # characters of a sentence
_FEWEST = 4  # sentences of a page
_MOST_UNSUPPORTED = 0.02
_SHARES = [each / 20 for each in range(12, 21)]
_LOGITS = [float(each) for each in range(-8, 9)]
Score = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class _Page:
    question: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """An altered sentence, and what the checks with a limit say of it; `fails` another check."""

    edit: str
    is_supported: bool
    fails: bool
    in_order: float
    logit: float

    def stays(self, share: float, logit: float) -> bool:
        """Whether it passes every check, with these limits."""
        return not self.fails and self.in_order >= share and self.logit >= logit


def rows(places: Places) -> Iterator[Row]:
    """Choose the limits on one half, and print what they keep of the others."""
    with open_models(Settings()) as (_, reranker):
        if reranker is None or not DATA.is_dir() or not _WEB.is_dir():
            yield Row("support of sentences", "not measured: it needs a cross-encoder and the data")
            return

        def score(sentence: str, cited: str) -> float:
            return float(reranker.score(sentence, [cited])[0])

        most = _QUICK if places.quick else _PAGES
        abstracts, articles = _abstracts(2 * most), _articles(most)
        chosen_on = _judged(abstracts[::2], score)
        groups = {
            "abstracts": _judged(abstracts[1::2], score),
            "articles": _judged(articles, score),
        }
    best = _best(chosen_on)
    share = max(share for share, _ in best)
    logits = [logit for each, logit in best if each == share]
    yield Row(
        "limits that keep most: share of words in order, logits",
        f"{share:.2f}, {min(logits):.0f} to {max(logits):.0f}",
        to_reach=f"{MIN_IN_ORDER:.2f}, {MIN_LOGIT:.0f}",
        reached=share == MIN_IN_ORDER and MIN_LOGIT in logits,
    )
    for name, judged in {"abstracts they were chosen on": chosen_on, **groups}.items():
        yield from _rows_of(name, judged)
    yield from _rows_of_edits([each for group in groups.values() for each in group])


def _rows_of(name: str, judged: Sequence[_Judged]) -> Iterator[Row]:
    good = [each for each in judged if each.is_supported]
    bad = [each for each in judged if not each.is_supported]
    yield Row(f"supported sentences that stay, {name}, of {len(good)}", _percent(_kept(good)))
    yield Row(
        f"unsupported sentences that stay, {name}, of {len(bad)}",
        _percent(_kept(bad)),
        to_reach="≤ 2 %",
        reached=_kept(bad) <= _MOST_UNSUPPORTED,
    )


def _rows_of_edits(judged: Sequence[_Judged]) -> Iterator[Row]:
    for is_supported, edit in sorted({(each.is_supported, each.edit) for each in judged}):
        own = [each for each in judged if (each.is_supported, each.edit) == (is_supported, edit)]
        label = "supported" if is_supported else "unsupported"
        yield Row(f"… {label}: {edit}, of {len(own)}", _percent(_kept(own)))


def _kept(
    judged: Sequence[_Judged], share: float = MIN_IN_ORDER, logit: float = MIN_LOGIT
) -> float:
    return sum(each.stays(share, logit) for each in judged) / len(judged) if judged else 0.0


def _best(judged: Sequence[_Judged]) -> list[tuple[float, float]]:
    """Return the limits that keep most supported sentences, and few of the others."""
    good = [each for each in judged if each.is_supported]
    bad = [each for each in judged if not each.is_supported]

    def rank(limits: tuple[float, float]) -> tuple[float, float]:
        return (-max(_kept(bad, *limits) - _MOST_UNSUPPORTED, 0.0), _kept(good, *limits))

    ranked = {limits: rank(limits) for limits in product(_SHARES, _LOGITS)}
    most = max(ranked.values())
    return [limits for limits, each in ranked.items() if each == most]


def _judged(pages: Sequence[_Page], score: Score) -> list[_Judged]:
    names = [names_in(" ".join(page.sentences)) for page in pages]
    return [
        each
        for place, page in enumerate(pages)
        for sentence in Random(page.question).sample(page.sentences, _PER_PAGE)
        for each in _of_sentence(sentence, page, names[place - 1], score)
    ]


def _of_sentence(
    sentence: str, page: _Page, names: Sequence[str], score: Score
) -> Iterator[_Judged]:
    rest = tuple(each for each in page.sentences if each != sentence)
    labelled = [(True, each) for each in same(sentence)]
    labelled += [(False, each) for each in other(sentence, rest, names)]
    for is_supported, altered in labelled:
        yield _Judged(
            altered.edit,
            is_supported,
            _fails(altered, sentence, rest, page.question),
            share_in_order(altered.text, sentence),
            score(altered.text, sentence),
        )


def _fails(altered: Altered, cited: str, rest: tuple[str, ...], question: str) -> bool:
    """Whether a sentence fails a check that has no limit."""
    own = vars(checks)["MIN_IN_ORDER"]
    vars(checks)["MIN_IN_ORDER"] = 0.0
    try:
        return bool(why_removed(Claim(altered.text, (cited,), rest), Given(question), _no_scores))
    finally:
        vars(checks)["MIN_IN_ORDER"] = own


def _no_scores(_sentence: str, _texts: Sequence[str]) -> None:
    """Judge nothing."""


def _abstracts(most: int) -> list[_Page]:
    entries = json.loads((DATA / "pubmedqa_dev.json").read_text("utf-8")).values()
    texts = ((str(each["QUESTION"]), "\n\n".join(each["CONTEXTS"])) for each in entries)
    return _pages(texts, most)


def _articles(most: int) -> list[_Page]:
    files = (json.loads(each.read_text("utf-8")) for each in sorted(_WEB.glob("*.json")))
    truths = (each["ground_truth"] for each in files)
    return _pages(((str(each["title"]), str(each["main_content"])) for each in truths), most)


def _pages(texts: Iterator[tuple[str, str]], most: int) -> list[_Page]:
    """Return texts with sentences enough, spread over all of them."""
    found = []
    for question, text in texts:
        whole = (each.text for each in sentences(text, wrapped=False))
        own = [each for each in whole if len(each) in _LENGTHS and re.search(r"\w[.]$", each)]
        if len(own) >= _FEWEST:
            found.append(_Page(question, tuple(own)))
    return found[:: max(len(found) // most, 1)][:most]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
