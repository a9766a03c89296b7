"""Which notes the library has a document on."""

import pytest

from daemon.agenda.of_library import Shelf, library_gaps
from daemon.model.agenda import Gap, GapKind, GapShape
from tests.fakes.rows import a_note

TITLES = {
    1: "Does the central venous pressure predict fluid responsiveness?",
    2: "Is atropine needed with ketamine sedation?",
    3: "Comparison of calibration of classifiers",
}
CALIBRATION = "Methods such as random forests rarely predict values close to zero."


def topics(*paths: str, near: float | None = None, text: str = CALIBRATION) -> list[Gap]:
    """What is proposed if document 3 is as similar to every note as `near`."""
    shelf = Shelf(
        TITLES,
        lambda _path, id_: near if id_ == 3 else None,
        lambda _path: [3] if near is not None else [],
        lambda _id: text,
    )
    return library_gaps([a_note(path) for path in paths], shelf)


def test_a_note_whose_name_a_title_contains_is_a_topic_and_the_reason_names_both() -> None:
    (gap,) = topics("Ketamine.md", "Sailing.md")
    assert (gap.kind, gap.shape, gap.topic) == (GapKind.DEEPEN, GapShape.LIBRARY, "Ketamine")
    assert gap.notes == ("Ketamine.md",)
    assert gap.why == (
        "Your library has “Is atropine needed with ketamine sedation?” on the topic of your note"
        " “Ketamine”"
    )


def test_the_work_that_a_note_is_about_is_no_reason_to_ask() -> None:
    title = "Is atropine needed with ketamine sedation?"
    note = a_note("Ketamine sedation.md", title=title)
    assert len(library_gaps([note], Shelf(TITLES))) == 1
    clipping = note._replace(frontmatter={"source": "https://example.org/ketamine"})
    assert library_gaps([clipping], Shelf(TITLES)) == []


def test_words_are_compared_by_their_stems() -> None:
    assert [gap.topic for gap in topics("Fluids.md")] == ["Fluids"]


@pytest.mark.parametrize(("near", "expected"), [(0.5, ["Random forest"]), (0.3, []), (None, [])])
def test_a_similar_document_that_names_the_note_counts(
    near: float | None, expected: list[str]
) -> None:
    assert [gap.topic for gap in topics("Random forest.md", near=near)] == expected
    assert topics("Random forest.md", near=near, text="It names something else.") == []


def test_a_similar_document_needs_only_most_words_of_a_long_name() -> None:
    path = "Predict values of random forests quickly.md"
    assert len(topics(path, near=0.55)) == 1
    assert topics(path, near=0.45) == []


def test_a_title_that_is_unlike_the_note_does_not_count_for_a_single_word() -> None:
    assert len(topics("Calibration.md", near=0.5)) == 1
    assert topics("Calibration.md", near=0.1) == []


@pytest.mark.parametrize("path", ["2026-11-22.md", "Index.md", "Is the.md"])
def test_notes_without_a_subject_are_no_topics(path: str) -> None:
    assert topics(path) == []


def test_a_document_that_the_note_was_made_of_is_no_topic() -> None:
    assert len(topics("Calibration of classifiers.md", near=0.6)) == 1
    assert topics("Calibration of classifiers.md", near=0.9) == []


def test_the_reason_names_a_document_with_the_name_in_its_title_before_a_similar_one() -> None:
    titles = {1: "Does asthma wake children?", 2: "Infections in winter"}
    shelf = Shelf(
        titles,
        lambda _path, id_: 0.8 if id_ == 2 else None,
        lambda _path: [2],
        lambda _id: "They also had asthma.",
    )
    (gap,) = library_gaps([a_note("Asthma.md")], shelf)
    assert gap.why.startswith("Your library has “Does asthma wake children?” and 1 more document")
