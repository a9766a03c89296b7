"""The commands and functions that a note is about, and the lines that introduce them."""

import pytest

from daemon.analysis.code_names import (
    CodeName,
    code_name,
    code_names,
    is_introduced,
    without_identifiers,
    without_parts,
)

NOTE = """Git's `merge-base` command with the `--is-ancestor` flag answers this.

```bash
$ git merge-base --is-ancestor head~ head && echo 'yes'
yes
```

Unlike `-q`, `statement_timeout` is a setting: set `statement_timeout` to `some_value`.
"""


def test_a_note_names_an_option_by_its_prose_and_its_command_by_the_code() -> None:
    assert [each.query for each in code_names(NOTE)] == [
        "git merge-base --is-ancestor",
        "statement_timeout",
    ]
    assert code_names("Use `head` and a `-p` flag.\n\n```\n$ ls -p\n```") == [
        CodeName(("ls",), "-p")
    ]


@pytest.mark.parametrize(
    "body",
    ["`tail -c`", "The `-c` flag.\n\n`-c`\n", "```\n$ tail -c 3 f\n$ tail -c 5 f\n```", "Bare."],
)
def test_what_a_note_has_once_or_only_in_code_is_not_its_subject(body: str) -> None:
    assert code_names(body) == []


@pytest.mark.parametrize("query", ["git log -p", "tail --bytes", "pg_typeof()", "\\gexec"])
def test_a_code_name_is_read_back_from_its_query(query: str) -> None:
    found = code_name(query)
    assert found is not None
    assert found.query == query


@pytest.mark.parametrize("query", ["Random forest", "git log", "join()", "2 -3", "a_b c"])
def test_other_queries_are_no_code_names(query: str) -> None:
    assert code_name(query) is None


@pytest.mark.parametrize(
    ("query", "title", "is_manual"),
    [
        ("git log -p", "git-log(1) Manual Page", True),
        ("git -C", "git-diff-index(1) Manual Page", False),
        ("grep -q", "git-grep(1)", False),
        ("psql -c", "psql — PostgreSQL", True),
        ("ssh -L", "ssh-add — adds private keys", False),
        ("pg_typeof()", "System information", True),
    ],
)
def test_an_option_is_explained_by_the_manual_of_its_command(
    query: str, title: str, *, is_manual: bool
) -> None:
    found = code_name(query)
    assert found is not None
    assert found.is_named_by(title) is is_manual


@pytest.mark.parametrize(
    ("query", "line", "introduces"),
    [
        ("tail -c", "-c, --bytes=[+]NUM", True),
        ("tail -c", "--context", False),
        ("find -delete", "-print are -delete and -exec.", False),
        ("tail -c", "--lines, -n, -c", True),
        ("tail -c", "Use -c to count bytes", False),
        ("functools.partial()", "class functools.partial(func, *args)", True),
        ("pg_typeof()", "pg_typeof ( any )", True),
        ("statement_timeout", "statement_timeout (integer)", True),
        ("table_name", "table_name", False),
        ("\\timing", "\\timing [ on | off ]", True),
    ],
)
def test_a_manual_introduces_a_name_on_a_line_of_its_own(
    query: str, line: str, *, introduces: bool
) -> None:
    found = code_name(query)
    assert found is not None
    assert found.is_introduced_by(line) is introduces
    assert is_introduced(found, f"Before.\n{line}\nAfter.") is introduces


def test_a_part_of_an_identifier_is_no_word_unless_the_topic_is_one() -> None:
    text = "The quorum_trackstart function is used with QUORUM_MODEL_V0 by _many_ people."
    assert without_identifiers(text, "Quorum") == "The X function is used with X by _many_ people."
    assert without_identifiers(text, "quorum_trackstart") == text


@pytest.mark.parametrize(
    ("text", "topic", "rest"),
    [
        ("Semi-supervised learning", "Supervised learning", "X learning"),
        ('A right-"libertarian" idea', "Rights", 'A X" idea'),
        ("Peer-to-peer networks", "Peer to peer", "Peer-to-peer networks"),
        ("Latent-factor models", "Latent-Factor Models", "Latent-factor models"),
        ("The option --no-pager", "Pager", "The option --no-pager"),
    ],
)
def test_a_part_of_a_compound_is_no_word_unless_the_topic_is_that_compound(
    text: str, topic: str, rest: str
) -> None:
    assert without_parts(text, topic) == rest
