"""Train the weights of meanings: `python -m bench.steering_languages FOLDER`.

FOLDER has manuals in several languages as HTML, each file under a folder or with an ending of its
language: the contents of Debian's packages debian-handbook, installation-guide-amd64,
gnome-user-docs and debian-reference-common. Steering sentences are those of `tests/real/data` that
choose rules; those that check them are never used. The English ones are most of them, and train the
others: what a sentence means has the same weight in every language. Writes
`steering_meanings.json` into `daemon/research`.
"""

import gzip
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from lxml import etree, html
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from bench.steering_model import honest_sentences, mixed, ordinary_sentences, read_rows, steering
from daemon.research import steering_languages
from daemon.research.quotable import is_statement, keys_in
from daemon.research.sentences import sentences
from daemon.research.steering_languages import MEANINGS, features, language_of

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja")
REFUSED = 0.18  # of the sentences of manuals, which are full of commands
REFUSED_UNTRAINED = 0.05  # the same in languages without steering sentences to train with
_UNTRAINED = ("ja",)
_ENGLISH, _MANUAL = 9_000, 1_500  # ordinary sentences: in English, and of manuals in a language
_FEWEST, _SMALLEST, _STRENGTH = 6, 0.03, 0.1
_TABLE = Path(steering_languages.__file__).with_name(MEANINGS)
_FOLDERS = {"zh": ("zh-CN", "zh_CN"), "pt": ("pt-BR", "pt_BR"), "de": ("de-DE",), "fr": ("fr-FR",)}
_FOLDERS |= {"es": ("es-ES",), "it": ("it-IT",), "nl": ("nl-NL",), "pl": ("pl-PL",)}
_FOLDERS |= {"ru": ("ru-RU",), "ja": ("ja-JP",)}

# Language, whether it steers, its weight, whether it chooses a threshold, sentence, question.
Row = tuple[str, bool, float, bool, str, str]


def main() -> int:
    rows = [*_english(), *_others(), *_manuals(Path(sys.argv[1]))]
    found = [features(text, keys_in(asked), language_of(text)) for *_, text, asked in rows]
    steers = np.array([row[1] for row in rows])
    weights, chooses = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    counts = CountVectorizer(analyzer=list, min_df=_FEWEST, binary=True)
    columns = counts.fit_transform(found)
    model = LogisticRegression(C=_STRENGTH, class_weight={0: 1, 1: 4}, max_iter=800)
    model.fit(columns[~chooses], steers[~chooses], weights[~chooses])
    named = zip(counts.get_feature_names_out(), model.coef_[0], strict=True)
    kept = {name: round(float(each), 2) for name, each in named if abs(each) >= _SMALLEST}
    scores = np.array([sum(kept.get(each, 0.0) for each in one) for one in found])
    thresholds = {}
    for language in LANGUAGES:
        chosen = chooses & np.array([row[0] == language for row in rows])
        refused = REFUSED_UNTRAINED if language in _UNTRAINED else REFUSED
        thresholds[language] = round(float(np.quantile(scores[chosen], 1 - refused)), 2)
    table = {"thresholds": thresholds, "weights": dict(sorted(kept.items()))}
    text = json.dumps(table, ensure_ascii=False, indent=0, separators=(",", ":"))
    _TABLE.write_text(f"{text}\n", "utf-8")
    sys.stdout.write(f"{thresholds}\n")
    return 0


def _english() -> Iterator[Row]:
    """Yield sentences of sets in English, and those in other languages that chose rules before."""
    for *_, (text, asked) in steering():
        yield language_of(text), True, 1.0, False, text, asked
    for _, part, (text, asked) in honest_sentences():
        if not part:
            yield language_of(text), False, 1.0, False, text, asked
    ordinary = [pair for _, part, pair in ordinary_sentences() if part < 2]
    for text, asked in random.Random(1).sample(ordinary, _ENGLISH):
        yield language_of(text), False, 1.0, False, text, asked


def _others() -> Iterator[Row]:
    """Yield what was written in several languages; of the second set the even topics."""
    for name, steers, weight, every in (
        ("attacks", True, 4.0, 1),
        ("more_attacks", True, 4.0, 2),
        ("honest", False, 3.0, 1),
    ):
        for language, topic, asked, text in read_rows(f"{name}_languages.tsv"):
            if int(topic) % every == 0:
                yield language, steers, weight, False, text, asked
    for kind, steers, weight in (("attack", True, 4.0), ("honest", False, 3.0)):
        for _, language, _, asked, text in mixed(kind, *LANGUAGES):
            yield language, steers, weight, False, text, asked


def _manuals(folder: Path) -> Iterator[Row]:
    for language in LANGUAGES:
        found = sorted(set(_manual(folder, language)))
        random.Random(language).shuffle(found)
        for at, (text, title) in enumerate(found[:_MANUAL]):
            yield language, False, 0.4, at % 3 > 0, text, title


def _manual(folder: Path, language: str) -> Iterator[tuple[str, str]]:
    """Yield the quotable sentences of manuals in one language, with the titles of their pages."""
    names = {language, *_FOLDERS[language]}
    for file in sorted(folder.rglob("*")):
        is_ours = bool(names & set(file.parts)) or f".{language}." in file.name
        if not is_ours or not re.search(r"\.(?:html|page)(?:\.\w\w)?(?:\.gz)?$", file.name):
            continue
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        try:
            page = html.fromstring(raw)
        except etree.ParserError:  # an empty page
            continue
        title = (page.findtext(".//title") or file.stem).strip()
        for block in page.iter("p", "li", "dd", "para", "item"):
            text = " ".join("".join(block.itertext()).split())
            for one in sentences(text, wrapped=False):
                if is_statement(one.text) and language_of(one.text) == language:
                    yield one.text, title


if __name__ == "__main__":
    sys.exit(main())
