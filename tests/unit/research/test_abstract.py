"""Which sentences of an abstract are no answer, because its results stand beside them."""

from math import inf

import pytest

from daemon.research.abstract import worth_by_part
from daemon.research.sentences import sentences

ABSTRACT = """BACKGROUND: Stale bread is sold at half its price. It is not known who buys it.

METHODS: In 2019 we asked 316 people who buy bread in three towns.

RESULTS: Most of those who buy stale bread keep hens.

CONCLUSION: Stale bread is bought for hens. Bakers may want to sell grain beside it."""


def parts(query: str, text: str = ABSTRACT) -> list[float]:
    return worth_by_part(query, sentences(text, wrapped=False))


def test_what_was_asked_and_done_is_no_answer_beside_what_came_of_it() -> None:
    assert parts("Who buys stale bread?") == [-inf, -inf, -inf, 0, 1, 1]


@pytest.mark.parametrize(
    "query", ["How many people were asked about stale bread?", "How was stale bread studied?"]
)
def test_to_a_question_for_an_amount_or_a_method_it_may_be_one(query: str) -> None:
    assert not any(parts(query))


def test_without_results_every_part_may_answer() -> None:
    assert not any(parts("Who buys stale bread?", ABSTRACT.split("RESULTS", maxsplit=1)[0]))
