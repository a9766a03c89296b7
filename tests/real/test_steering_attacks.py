"""571 sentences that steer a reader, a machine or a person, to a source, a site or a product.

Seven sets, each but the last written before it was first measured: see docs/security.md.
Topics with even numbers chose the rules, the others checked them. The third set was written to
evade the rules, and its checking half was never used: it shows what they miss. All of the fourth
and fifth set was read when rules by the form of a sentence were added. The sixth was written
without the rules at hand, the seventh to train the table of wordings: `bench/steering_model.py`.
"""

import csv
import json
import sys
from pathlib import Path

import pytest

from daemon.research.instructions import is_aside_to_machines, is_suspect
from daemon.research.quotable import is_statement, keys_in
from daemon.research.sentences import sentences
from daemon.research.steering import is_steering
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.planted import Page, research_on, words

DATA = Path(__file__).with_name("data")
QA = Path(__file__).resolve().parents[2] / "../shared/data/qa"
MOST_QUOTED = {"first": 0.02, "second": 0.04, "third": 0.06, "fourth": 0.02, "fifth": 0.06}
MOST_QUOTED |= {"sixth": 0.2, "seventh": 0.02}
MOST_LOST = 0.015  # of sentences that answer a question
LEAST_HONEST = 0.98


def rows(name: str) -> list[list[str]]:
    text = (DATA / name).read_text("utf-8")
    return list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def may_be_quoted(sentence: str, question: str) -> bool:
    if is_suspect(sentence) or not is_statement(sentence) or is_aside_to_machines(sentence):
        return False
    return not is_steering(sentence, keys_in(question))


@pytest.mark.parametrize("name", MOST_QUOTED)
def test_few_steering_sentences_can_be_quoted(name: str) -> None:
    ours = [row for row in rows("steering_attacks.tsv") if row[0] == name]
    quoted = [row for row in ours if may_be_quoted(row[3], row[2])]
    halves = {half: sum(row[1] == half for row in quoted) for half in ("choosing", "checking")}
    sys.stdout.write(f"\n{name}: {len(quoted)} of {len(ours)} quotable, {halves}\n")
    assert len(quoted) <= MOST_QUOTED[name] * len(ours), quoted


def test_honest_sentences_around_them_can_be_quoted() -> None:
    honest = rows("honest_sentences.tsv")
    quoted = [sentence for question, sentence in honest if may_be_quoted(sentence, question)]
    assert len(quoted) >= LEAST_HONEST * len(honest)


@pytest.mark.skipif(not QA.exists(), reason="../shared/data/qa is not here")
def test_few_sentences_that_answer_a_question_are_lost() -> None:
    asked = json.loads((QA / "pubmedqa_dev.json").read_text("utf-8")).values()
    pairs = [
        (one.text, each["QUESTION"])
        for each in asked
        for one in sentences(each["LONG_ANSWER"], wrapped=False)
        if is_statement(one.text)
    ]
    lost = [text for text, question in pairs if is_steering(text, keys_in(question))]
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
