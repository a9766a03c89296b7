"""For a question that nothing answered, the user's nearest documents are named."""

from dataclasses import replace

from daemon.findings.nearest import nearest_lines
from daemon.model.agenda import Choice, Origin
from daemon.model.evidence import Answer, SourceStatus, SourceType
from tests.fakes.run_parts import a_hit, a_task, an_agenda

ASKED = replace(a_task("Where is it kept?"), origin=Origin.QUESTION)


def _answer(*titles: str, kind: SourceType = SourceType.LIBRARY) -> Answer:
    hits = tuple(
        a_hit(each, title=each, url=f"file:///own/{each}", source_type=kind) for each in titles
    )
    return Answer("library", ASKED.query, SourceStatus.OK, hits)


def test_three_documents_of_the_user_are_named_with_links_in_the_order_of_the_search() -> None:
    (line,) = nearest_lines(an_agenda(ASKED), [_answer("A", "B", "A", "C", "D")], ())
    assert line == (
        "No sure answer; nearest in your library:"
        " [A](file:///own/A) · [B](file:///own/B) · [C](file:///own/C)."
    )


def test_each_of_several_questions_is_named() -> None:
    other = replace(ASKED, id="other", query="And for how long?")
    (line,) = nearest_lines(an_agenda(ASKED, other), [_answer("A")], ())
    assert "nearest to “Where is it kept?” in your library" in line


def test_nothing_is_named_for_answers_topics_skipped_questions_and_documents_of_others() -> None:
    found = [_answer("A")]
    assert not [*nearest_lines(an_agenda(ASKED), found, (ASKED.id,))]
    assert not [*nearest_lines(an_agenda(replace(ASKED, origin=Origin.NOTE)), found, ())]
    assert not [*nearest_lines(an_agenda(replace(ASKED, choice=Choice.VETOED)), found, ())]
    assert not [*nearest_lines(an_agenda(ASKED), [_answer("A", kind=SourceType.WEB)], ())]
