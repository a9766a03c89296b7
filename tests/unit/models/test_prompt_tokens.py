"""Tokens are estimated for every script, rather too many."""

import pytest

from daemon.models.barrier import Line
from daemon.models.prompt_tokens import tokens_in
from daemon.models.source_passages import MAX_SOURCE_TOKENS, SourcePassages, lines_for_writer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("Stale bread", 4), ("Черствый хлеб", 7), ("面包会变硬", 5), ("ขนมปังเก่า", 10)],
)
def test_a_text_has_about_so_many_tokens(text: str, tokens: int) -> None:
    assert tokens_in(text) == tokens


@pytest.mark.parametrize(
    "sentence", ["Stale bread is soft when it is warm again.", "面包在冰箱里变硬得更快。"]
)
def test_a_source_has_no_more_tokens_than_its_share(sentence: str) -> None:
    lines = tuple(Line(f"a{number}", f"{number} {sentence}") for number in range(90))
    source = SourcePassages("a", "Bread", "https://example.org", lines, {}, ())

    given = lines_for_writer(source, None)

    tokens = sum(tokens_in(each.text) for each in given.lines)
    assert MAX_SOURCE_TOKENS - 30 < tokens <= MAX_SOURCE_TOKENS
    assert given.dropped == len(lines) - len(given.lines)


def test_a_sentence_that_is_longer_than_the_share_is_not_given() -> None:
    lines = (Line("a1", "面" * 400), Line("a2", "面包会变硬。"))
    source = SourcePassages("a", "Bread", "https://example.org", lines, {}, ())

    assert [each.id for each in lines_for_writer(source, None).lines] == ["a2"]
