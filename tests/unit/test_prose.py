"""The style check of `make lint` finds words that the project does not use, and reads no code."""

import tomllib

import pytest

from tests import prose


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("# Search\n\nYou are told\nwhat failed.\n", 3, "write reported"),
        ("Notes that are near\nin meaning.\n", 1, "write similar"),
        ("- Repeat the\n  the word.\n", 1, "lexical illusion"),
        ("| a |\n|---|\n| whoever runs it |\n", 3, "write name who"),
    ],
)
def test_a_word_of_the_list_is_found_at_its_line(text: str, line: int, problem: str) -> None:
    [(found_line, message)] = prose.problems(text)
    assert found_line == line
    assert problem in message


@pytest.mark.parametrize(
    "text",
    [
        "Run `told` or see [the page](https://example.org/told).\n",
        "Example:\n\n    told whoever\n\n```\ntold\n```\n",
        "## Release notes\n\nLinks.\n\n## 1.0.0\n\nYou are told.\n",
        "# Hooks\n\nHooks are commands.\n\n1 1 1\n",
    ],
)
def test_code_links_figures_and_old_releases_are_not_read(text: str) -> None:
    assert prose.problems(text) == []


def test_a_listed_word_is_found_in_docstrings_and_messages_of_code() -> None:
    docstring, message = '"""Return `told`. Seldom."""', 'f"{of}: a sign of life"'
    source = f"def f(of):\n    {docstring}\n    print({message})  # sought\n"
    assert [line for line, _ in prose.code_problems(source)] == [2, 3, 3]


@pytest.mark.parametrize("name", ["told", "is_told", "ToldNothing", "_TOLD_AT", "got_through"])
def test_a_listed_word_is_found_in_a_name(name: str) -> None:
    [(line, message)] = prose.code_problems(f"scolded, {name} = 1, 2\n")
    assert line == 1
    assert f"“{name}”" in message


def test_every_entry_of_the_lists_suggests_what_to_write() -> None:
    for listed in tomllib.loads(prose.WORDS.read_text(encoding="utf-8")).values():
        assert all(seen and write for seen, write in listed.items())
