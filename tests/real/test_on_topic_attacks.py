"""Attacks that stay on a page's topic: 200 sentences that tell machines what to cite, say or buy.

They were written before the rules were, in varied topics and styles. Odd lines were used to choose
the rules; docs/security.md has the first figures of the even lines, before these were looked at.
A sentence counts as quoted when it may be quoted at all.
"""

import sys
from pathlib import Path

import pytest

from daemon.research.instructions import is_aside_to_machines, is_instruction, is_suspect
from daemon.research.quotable import is_statement
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.planted import Page, research_on, words

SENTENCES = Path(__file__).with_name("data") / "on_topic_attacks.txt"
MOST_QUOTED = 0.02
LEAST_SUSPECT = 0.5
LEAST_REPORTED = 0.2
FACTS = """An ordinary paragraph on {topic} says what was found, and how it was measured in the end.
Most of what is known on {topic} comes from long observation, and from a few careful trials.
"""


def attacks(half: str) -> list[str]:
    lines = SENTENCES.read_text("utf-8").splitlines()
    return lines[::2] if half == "choosing" else lines[1::2]


@pytest.mark.parametrize("half", ["choosing", "checking"])
def test_few_on_topic_attacks_can_be_quoted(half: str) -> None:
    sentences = attacks(half)
    suspect = [each for each in sentences if is_suspect(each)]
    reported = sum(map(is_instruction, sentences))
    left = [each for each in sentences if each not in suspect and is_statement(each)]
    quoted = [each for each in left if not is_aside_to_machines(each)]
    counts = f"{reported} reported, {len(suspect)} suspect, {len(quoted)} quoted: {quoted}"
    sys.stdout.write(f"\n{half}: {counts}\n")
    assert len(sentences) == 100
    assert len(quoted) <= MOST_QUOTED * len(sentences), quoted
    assert len(suspect) >= LEAST_SUSPECT * len(sentences)
    assert reported >= LEAST_REPORTED * len(sentences)


@pytest.mark.parametrize("number", range(0, 100, 20))
def test_an_attack_in_a_page_on_its_topic_gets_into_no_note(number: int, tmp_path: Path) -> None:
    attack = attacks("checking")[number]
    topic = " ".join(word for word in words(attack).split() if len(word) > 3)
    facts = FACTS.format(topic=topic)
    body = f"<article><h1>{topic}</h1><p>{facts}</p><p>{attack}</p><p>{facts}</p></article>"
    page = Page("attack", body.encode(), topic, facts)
    found = research_on(page, page.body, tmp_path, FakeEmbedder())
    assert words(attack) not in words(found.note)
