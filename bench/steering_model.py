"""Train the table of wordings that steer: `python -m bench.steering_model`.

Steering sentences are those of `tests/real/data` that choose rules; those that check them are
never used. Ordinary sentences are those of papers, pages and notes: two quarters train, one chooses
the threshold, one checks it. Writes `daemon/research/steering_model.json`.
"""

import csv
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from daemon.research import steering_model
from daemon.research.quotable import is_statement, keys_in
from daemon.research.sentences import sentences
from daemon.research.steering import marked
from daemon.research.steering_model import features, score

ROOT = Path(__file__).resolve().parents[1]
ATTACKS, DATA = ROOT / "tests/real/data", ROOT / "../shared/data"
TABLE = Path(steering_model.__file__).with_suffix(".json")
REFUSED = 0.01  # of the ordinary sentences
_MOST, _MOST_OF_A_NOTE, _PAPER = 80, 8, 300  # sentences of one text
_FEWEST = 4  # sentences that a word or a pair must occur in
_SMALLEST = 0.08  # weights below it are dropped
_PARTS = 4

Pair = tuple[str, str]  # a sentence and the question that its page would be read for
Ordinary = tuple[str, int, Pair]  # its kind, its part of the data, and the pair


def main() -> int:
    attacks = list(steering())
    ordinary = list(ordinary_sentences())
    weights, bias = trained(attacks, [pair for _, part, pair in ordinary if part < _PARTS - 2])

    def scored(pair: Pair) -> float:
        return bias + score(_features(pair), weights)

    chosen = [scored(pair) for _, part, pair in ordinary if part == _PARTS - 2]
    threshold = round(float(np.quantile(chosen, 1 - REFUSED)), 2)
    checked = [(kind, scored(pair)) for kind, part, pair in ordinary if part == _PARTS - 1]
    for kind in ("", *sorted({kind for kind, _ in checked})):
        scores = [each for of, each in checked if kind in ("", of)]
        refused = sum(each >= threshold for each in scores)
        sys.stdout.write(f"{kind or 'all'}: {refused} of {len(scores)} ordinary sentences\n")
    table = {"threshold": round(threshold - bias, 2), "weights": dict(sorted(weights.items()))}
    text = json.dumps(table, ensure_ascii=False, indent=0, separators=(",", ":"))
    TABLE.write_text(f"{text}\n", "utf-8")
    return 0


def trained(attacks: list[Pair], ordinary: list[Pair]) -> tuple[dict[str, float], float]:
    """Return the weights of a logistic regression, without the smallest, and its bias."""
    counts = CountVectorizer(analyzer=_features, min_df=_FEWEST, binary=True)
    rows = counts.fit_transform([*attacks, *ordinary])
    model = LogisticRegression(C=0.3, class_weight={0: 1, 1: 3}, max_iter=300)
    model.fit(rows, [1] * len(attacks) + [0] * len(ordinary))
    named = zip(counts.get_feature_names_out(), model.coef_[0], strict=True)
    weights = {name: round(float(w), 2) for name, w in named if abs(w) >= _SMALLEST}
    return weights, float(model.intercept_[0])


def steering() -> Iterator[Pair]:
    """Yield the steering sentences that choose rules."""
    text = (ATTACKS / "steering_attacks.tsv").read_text("utf-8")
    for _, half, question, sentence in csv.reader(
        text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE
    ):
        if half == "choosing":
            yield sentence, question
    lines = (ATTACKS / "on_topic_attacks.txt").read_text("utf-8").splitlines()
    yield from ((line, "") for line in lines[::2])


def ordinary_sentences() -> Iterator[Ordinary]:
    """Yield ordinary sentences that could be quoted; those of one text are in one part."""
    for kind, name, question, text, most in _texts():
        found = [one.text for one in sentences(text[:200_000], wrapped=False)]
        found = [each for each in found if is_statement(each)]
        if len(found) > most:
            found = random.Random(name).sample(found, most)
        for each in found:
            yield kind, crc32(name.encode()) % _PARTS, (each, question)


def _texts() -> Iterator[tuple[str, str, str, str, int]]:
    """Yield the kind, name, question and text of documents, and how many sentences to take."""
    asked = json.loads((DATA / "qa/pubmedqa_dev.json").read_text("utf-8"))
    for name, each in asked.items():
        text = " ".join((*each["CONTEXTS"], each["LONG_ANSWER"]))
        yield "PubMedQA", name, each["QUESTION"], text, _MOST
    papers = json.loads((DATA / "qa/covidqa_dev.json").read_text("utf-8"))["data"]
    for name, paper in enumerate(papers):
        for part in paper["paragraphs"]:
            yield "CovidQA", f"paper {name}", part["qas"][0]["question"], part["context"], _PAPER
    for file in sorted((DATA / "html/wcxb_dev/ground-truth").rglob("*.json")):
        page = json.loads(file.read_text("utf-8"))
        page = page.get("ground_truth", page)
        yield "pages", file.stem, page.get("title") or "", page.get("main_content") or "", _MOST
    articles = DATA / "html/article_extraction_benchmark/ground-truth.json"
    for name, article in json.loads(articles.read_text("utf-8")).items():
        yield "articles", name, article["articleBody"][:80], article["articleBody"], _MOST
    for file in sorted((DATA / "html/defuddle").rglob("*.md")):
        yield "pages", file.stem, file.stem.replace("-", " "), file.read_text("utf-8"), _MOST
    for vault in ("kepano", "jackyzha0", "til", "dendron_site"):
        for file in sorted((DATA / "vaults" / vault).rglob("*.md")):
            text = file.read_text("utf-8", "replace")
            yield "notes", str(file.relative_to(DATA)), file.stem, text, _MOST_OF_A_NOTE


def _features(pair: Pair) -> list[str]:
    sentence, question = pair
    terms = keys_in(question)
    return sorted(features(marked(sentence, terms), terms))


if __name__ == "__main__":
    sys.exit(main())
