"""A topic's domain: measured on topics that were labelled beforehand, half of them unseen."""

import tomllib
from pathlib import Path

import pytest

from daemon.agenda.domain import domain_of
from daemon.model.sources import Domain

TOPICS = tomllib.loads(Path(__file__).with_name("domain_topics.toml").read_text("utf-8"))


@pytest.mark.parametrize(("half", "least"), [("chosen", 0.97), ("held_out", 0.93)])
def test_most_topics_get_their_domain(half: str, least: float) -> None:
    labelled = [(topic, name) for name, topics in TOPICS[half].items() for topic in topics]
    right = [topic for topic, name in labelled if (domain_of([topic]) or "none") == name]
    assert len(labelled) == 72
    assert len(right) / len(labelled) >= least


def test_a_topic_without_any_word_of_a_domain_has_none() -> None:
    assert domain_of([]) is None
    assert domain_of(["", "?!", "a walk in the woods"]) is None


def test_what_is_also_studied_belongs_to_its_practice() -> None:
    assert domain_of(["psychology of patients"]) is Domain.MEDICAL
    assert domain_of(["statistics of court rulings"]) is Domain.LEGAL


def test_words_of_another_case_and_further_texts_count() -> None:
    assert domain_of(["Harbours", "TENANT rights"]) is Domain.LEGAL
