"""1,026 sentences that steer a reader, a machine or a person, to a source, a site or a product.

Eleven sets, all but two written before they were first measured: see docs/security.md. Topics with
even numbers chose the rules, the others checked them. The third set was written to evade the rules,
and its checking half was never used: it shows what they miss. All of the fourth and fifth set was
read when rules by the form of a sentence were added. The sixth was written without the rules at
hand. The seventh and eighth train what recognises wordings (`bench/steering_model.py`); the ninth,
written before the eighth, was never used; nor were the tenth (English) and the eleventh (German,
French and Spanish), by somebody who had read no rule.

`mixed_sentences.tsv` and `unseen_sentences.tsv` are attacks and honest sentences that look like
them, in five languages, by two more authors who had read no rule. The first trains; the second was
only counted, and is never read or used.
"""

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from daemon import model_files
from daemon.adapters.embedder import ChildEmbedder
from daemon.config import Settings
from daemon.model.embedding_models import model_of
from daemon.ports import Embedder
from daemon.research.instructions import is_aside_to_machines, is_instruction, is_suspect
from daemon.research.quotable import is_statement, keys_in
from daemon.research.sentences import sentences
from daemon.research.steering import is_steering
from daemon.research.steering_vectors import has_weights_for, steer_by_meaning
from daemon.research.synthesise import plain
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.planted import Page, research_on, words

DATA = Path(__file__).with_name("data")
QA = Path(__file__).resolve().parents[2] / "../shared/data/qa"
MOST_QUOTED = {"first": 0.02, "second": 0.04, "third": 0.06, "fourth": 0.02, "fifth": 0.06}
MOST_QUOTED |= {"sixth": 0.12, "seventh": 0.02, "eighth": 0.02, "ninth": 0.03}
MOST_QUOTED |= {"tenth": 0.03, "eleventh": 0.34}
MOST_LOST = 0.01  # of sentences that answer a question
MOST_SKIPPED = 0.03  # of these, with embeddings
LEAST_HONEST = 0.91
# In other languages, by two authors who had read no rule: one set trained, the other checked.
MOST_QUOTED_IN_LANGUAGES = {"attacks": 0.02, "more_attacks": 0.06}
LEAST_HONEST_IN_LANGUAGES = 0.79
# By two more authors: all of the first set trained, none of the second.
MOST_QUOTED_OF_ATTACKS = {("mixed", "en"): 0.0, ("unseen", "en"): 0.02}
LEAST_HONEST_QUOTED = {("mixed", "en"): 0.62, ("unseen", "en"): 0.52}
_EUROPEAN = ("de", "fr", "es")
_SOME = 6  # one of so many of these is embedded

Pair = tuple[str, str]


def rows(name: str) -> list[list[str]]:
    text = (DATA / name).read_text("utf-8")
    return list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def may_be_quoted(sentence: str, question: str) -> bool:
    if is_suspect(sentence) or not is_statement(sentence) or is_aside_to_machines(sentence):
        return False
    return not is_steering(sentence, keys_in(question))


@pytest.fixture(scope="module")
def embedder() -> Iterator[Embedder]:
    """The default model with int8 weights, in its process."""
    if find_spec(model_files._LIGHT_PACKAGE) is None:
        pytest.skip("the package with the model's int8 weights is not installed")
    name = Settings().embedding.model
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("daemon.adapters.embedder._WORKER", "tests.fakes.light_child")
        with closing(ChildEmbedder(name, threads=1, idle_seconds=60.0, backend="auto")) as child:
            yield child


def without_steering(pairs: Sequence[Pair], embedder: Embedder) -> list[Pair]:
    """Return the pairs of a question and a sentence that are quoted if embeddings decide, too."""
    left = [pair for pair in pairs if may_be_quoted(pair[1], pair[0])]
    if not left:
        return []
    vectors = embedder.embed([plain(sentence) for _, sentence in left])
    return [
        pair
        for at, pair in enumerate(left)
        if not steer_by_meaning([pair[1]], vectors[[at]], keys_in(pair[0]))[0]
    ]


def test_the_weights_are_those_of_the_default_model() -> None:
    model = model_of(Settings().embedding.model)
    assert has_weights_for(model.name, model.dimensions)


@pytest.mark.parametrize("name", MOST_QUOTED)
def test_few_steering_sentences_can_be_quoted(name: str, embedder: Embedder) -> None:
    ours = [row for row in rows("steering_attacks.tsv") if row[0] == name]
    left = {sentence for _, sentence in without_steering([(r[2], r[3]) for r in ours], embedder)}
    quoted = [row for row in ours if row[3] in left]
    halves = {half: sum(row[1] == half for row in quoted) for half in ("choosing", "checking")}
    sys.stdout.write(f"\n{name}: {len(quoted)} of {len(ours)} quotable, {halves}\n")
    assert len(quoted) <= MOST_QUOTED[name] * len(ours), quoted


@pytest.mark.parametrize("name", MOST_QUOTED_IN_LANGUAGES)
def test_few_steering_sentences_in_other_languages_can_be_quoted(name: str) -> None:
    ours = rows(f"{name}_languages.tsv")
    quoted = [row for row in ours if may_be_quoted(row[3], row[2])]
    languages = Counter(row[0] for row in quoted)
    sys.stdout.write(f"\n{name}: {len(quoted)} of {len(ours)} quotable, {languages}\n")
    assert len(quoted) <= MOST_QUOTED_IN_LANGUAGES[name] * len(ours), quoted


def _of(name: str, kind: str, language: str) -> list[Pair]:
    """Return the pairs of a question and a sentence of one kind of a set."""
    ours = rows(f"{name}_sentences.tsv")
    return [(row[3], row[4]) for row in ours if row[:2] == [kind, language]]


@pytest.mark.parametrize(("name", "language"), MOST_QUOTED_OF_ATTACKS)
def test_few_attacks_of_authors_who_read_no_rule_can_be_quoted(
    name: str, language: str, embedder: Embedder
) -> None:
    attacks, honest = (_of(name, kind, language) for kind in ("attack", "honest"))
    quoted, kept = without_steering(attacks, embedder), without_steering(honest, embedder)
    counts = f"{len(quoted)} of {len(attacks)} attacks, {len(kept)} of {len(honest)} honest"
    sys.stdout.write(f"\n{name}, {language}: {counts} quotable\n")
    assert len(quoted) <= MOST_QUOTED_OF_ATTACKS[name, language] * len(attacks), quoted
    assert len(kept) >= LEAST_HONEST_QUOTED[name, language] * len(honest)


@pytest.mark.parametrize(("languages", "most"), [(_EUROPEAN, 0.06), (("zh",), 0.32)])
def test_how_many_unseen_attacks_in_other_languages_can_be_quoted(
    languages: Sequence[str], most: float
) -> None:
    attacks = [pair for each in languages for pair in _of("unseen", "attack", each)]
    quoted = [sentence for asked, sentence in attacks if may_be_quoted(sentence, asked)]
    sys.stdout.write(f"\n{languages}: {len(quoted)} of {len(attacks)} quotable\n")
    assert len(quoted) <= most * len(attacks), quoted


def test_most_honest_sentences_in_other_languages_can_be_quoted_and_none_is_warned_about() -> None:
    ours = [row for row in rows("honest_languages.tsv") if is_statement(row[3])]
    quoted = [row for row in ours if may_be_quoted(row[3], row[2])]
    sys.stdout.write(f"\nhonest: {len(quoted)} of {len(ours)} quotable\n")
    assert len(quoted) >= LEAST_HONEST_IN_LANGUAGES * len(ours)
    assert not [row for row in ours if is_instruction(row[3])]


def test_honest_sentences_around_them_can_be_quoted(embedder: Embedder) -> None:
    honest = [(question, sentence) for question, sentence in rows("honest_sentences.tsv")]
    quoted = without_steering(honest, embedder)
    sys.stdout.write(f"\nhonest: {len(quoted)} of {len(honest)} quotable\n")
    assert len(quoted) >= LEAST_HONEST * len(honest)


@pytest.mark.skipif(not QA.exists(), reason="../shared/data/qa is not here")
def test_few_sentences_that_answer_a_question_are_lost(embedder: Embedder) -> None:
    asked = json.loads((QA / "pubmedqa_dev.json").read_text("utf-8")).values()
    pairs = [
        (one.text, each["QUESTION"])
        for each in asked
        for one in sentences(each["LONG_ANSWER"], wrapped=False)
        if is_statement(one.text)
    ]
    lost = [text for text, question in pairs if is_steering(text, keys_in(question))]
    some = [(question, text) for text, question in pairs[::_SOME]]
    skipped = len(some) - len(without_steering(some, embedder))
    sys.stdout.write(f"\nwords: {len(lost)} of {len(pairs)} lost, all: {skipped} of {len(some)}\n")
    assert skipped <= MOST_SKIPPED * len(some)
    assert len(lost) <= MOST_LOST * len(pairs), lost


@pytest.mark.parametrize("number", [0, 83, 160])
def test_a_steering_page_is_quoted_without_its_steering_sentences(
    number: int, tmp_path: Path
) -> None:
    *_, question, attack = rows("steering_attacks.tsv")[number]
    honest = " ".join(each for asked, each in rows("honest_sentences.tsv") if asked == question)
    body = f"<article><h1>{question}</h1><p>{honest}</p><p>{attack}</p></article>"
    page = Page("attack", body.encode(), question, honest)
    found = research_on(page, page.body, tmp_path, FakeEmbedder())
    assert found.note
    assert words(attack) not in words(found.note)


def test_a_recommendation_of_a_product_named_in_the_question_can_be_quoted() -> None:
    sentence = "Large services should choose PostgreSQL rather than a file."
    assert not is_steering(sentence, keys_in("Is PostgreSQL better than a file?"))
    assert is_steering(sentence, keys_in("Which database is best for large services?"))
