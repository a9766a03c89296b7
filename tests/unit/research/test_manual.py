"""What a manual says of an option that a note uses."""

import pytest

from daemon.analysis.code_names import code_name
from daemon.research.about import Topic
from daemon.research.bm25 import terms
from daemon.research.manual import explanation
from daemon.research.quotable import is_statement
from daemon.research.sentences import sentences

MANUAL = """- -x
- --one-file-system
- Skip directories on different file systems.

- -c <command>
- --command <command>
- Run the given command string, and then exit. This option can be combined with -f in any order.
  Unless both are given, standard input is read as well. For more information see the tutorial.

- -w
- The values of the output are shown in columns of three letters and two digits each.

- -z
- Each name is followed by a null character (instead  of the end of a line), for other programs.

- -q
- Messages are only shown for errors that end the program, and for nothing else. See (the chapter
  on messages of the program. Even if a script is read, the prompt is kept.

Use -c with care.
"""


def explained(query: str, note: str = "", title: str = "psql(1)") -> list[str]:
    known, found = frozenset(terms(note)), sentences(MANUAL, wrapped=True)
    topic = Topic(query, is_tagged=True, known=known, code=code_name(query))
    return [" ".join(found[at].text.split()) for at in explanation(topic, title, found)]


def test_a_manual_explains_an_option_in_the_paragraph_below_it() -> None:
    assert explained("psql -c") == [
        "-c <command> - --command <command> - Run the given command string, and then exit.",
        "This option can be combined with -f in any order.",
        "Unless both are given, standard input is read as well.",
    ]


@pytest.mark.parametrize(
    ("query", "title"),
    [("psql -f", "psql(1)"), ("psql -c", "pg_dump(1)"), ("Random forest", "psql(1)")],
)
def test_what_another_manual_or_none_explains_is_not_quoted(query: str, title: str) -> None:
    assert explained(query, title=title) == []


def test_an_explanation_says_more_than_the_name_and_the_note() -> None:
    assert explained("psql -x") == []  # it names no limit, condition or difference
    note = "Runs a given command string, then exits; combined in any order it reads standard input."
    assert explained("psql -c", note) == []


def test_a_figure_alone_is_no_limit_and_spaces_of_justified_text_hide_none() -> None:
    assert explained("psql -w") == []
    assert explained("psql -z")


def test_what_comes_after_a_sentence_that_cannot_be_quoted_is_left() -> None:
    quotable = [one for one in sentences(MANUAL, wrapped=True) if is_statement(one.text)]
    topic = Topic("psql -q", is_tagged=True, code=code_name("psql -q"))
    found = [quotable[at].text for at in explanation(topic, "psql(1)", quotable)]
    assert [each[:12] for each in found] == ["-q\n- Message"]
