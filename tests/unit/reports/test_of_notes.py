"""What the notes of a part of the vault say: telling statements that can stand alone."""

from datetime import UTC, datetime

import pytest

from daemon.asking.statements import Passage, PassageOrigin
from daemon.model.agenda import Depth, Gap, GapKind, GapShape
from daemon.model.report import Report, text_of
from daemon.reports.of_notes import Part, report_of_notes
from daemon.reports.telling import asked_in, ranked_in

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def passages(path: str, *texts: str) -> list[Passage]:
    name = path.rpartition("/")[2].removesuffix(".md")
    return [Passage(PassageOrigin.NOTE, path, name, "", 1, text) for text in texts]


def best(name: str, text: str) -> str:
    return ranked_in(passages(name, text), {}, None)[0].statement.text


def report(*gaps: Gap, **texts: str) -> Report:
    notes = {f"{name}.md": passages(f"{name}.md", text) for name, text in texts.items()}
    part = Part("Bread", "Bread", notes, gaps=gaps)
    return report_of_notes(part, lambda _word: 1.0, None, Depth.STANDARD, NOW)


def test_the_statement_that_says_what_a_title_names_comes_first() -> None:
    text = (
        "Some bakers get up at three in the morning for it. A sourdough is a dough that wild yeasts"
        " raise. Last week I baked three loaves with it in the old oven."
    )
    assert best("Sourdough.md", text) == "A sourdough is a dough that wild yeasts raise."


@pytest.mark.parametrize(
    "text",
    [
        "See `man git-show` for more details.",
        "In the tumour example, starch was not what the bakers minded.",
        "In Stale bread, I explained how starch becomes firm again in a fridge.",
        "Good for seeing that the starch of bread is firm.",
        "title: how starch becomes firm when bread is kept cold",
        "In the second it is the starch that becomes firm in bread.",
    ],
)
def test_what_cannot_stand_alone_is_not_quoted(text: str) -> None:
    whole = "Starch becomes firm when bread is kept in a fridge."
    assert [
        each.statement.text
        for each in ranked_in(passages("Starch.md", f"{text}\n\n{whole}"), {}, None)
    ] == [whole]


def test_a_question_counts_in_a_list_or_at_the_end_but_not_within_a_text() -> None:
    asked = asked_in(
        passages(
            "Starch.md",
            "- Does rye starch become firm, too?",
            "How firm does the starch of bread become? It becomes very firm.",
            "What is starch made of, after all?\n\nStarch is made of sugar.",
            "Starch is firm.\n\nDoes wheat starch become firm sooner?",
        ),
        {"starch": 1.0},
    )
    assert [each.text for each in asked] == [
        "Does rye starch become firm, too?",
        "Does wheat starch become firm sooner?",
    ]


def test_each_note_has_a_statement_and_each_section_a_key_finding() -> None:
    made = report(
        Starch="Starch becomes firm when bread is kept cold in a fridge.",
        Yeast="Yeast is a fungus that raises the dough of bread with gas.",
        Salt="Salt makes the dough of bread stronger and slows its yeast.",
    )
    assert {each.title for each in made.sections} == {"Starch", "Yeast", "Salt"}
    assert {each.subject for each in made.key_findings} == {"Starch", "Yeast", "Salt"}
    assert all(len(each.single) == 1 and len(each.notes) == 1 for each in made.sections)


def test_notes_contradict_each_other_only_on_the_same_subject() -> None:
    made = report(
        Starch="Starch in bread becomes firm when it is kept in a fridge.",
        Crumb="Starch in bread does not become firm when it is kept in a fridge.",
        If="If bread is kept in a fridge, starch in bread does not become firm.",
        Want="I want a loaf from one of the bakers at the market.",
        Other="For whatever reason I do not want this loaf at all.",
    )
    pairs = {frozenset((one.ours.path, getattr(one.theirs, "path", ""))) for one in made.disputed}
    assert pairs == {frozenset(("Starch.md", "Crumb.md"))}


def test_the_title_is_no_statement_and_what_is_not_known_is_no_question() -> None:
    title = "Starch becomes firm when bread is kept cold"
    unknown = "Why starch of rye stays soft when bread is kept cold is not known."
    made = report(**{title: f"{title}.\n\n{unknown}", "Starch of rye": "Rye starch is soft."})
    assert title not in {text_of(each.said).rstrip(".") for each in made.key_findings}
    assert [each.text for each in made.gaps] == [f"Not known: “{unknown}”"]
    assert made.actions == ()


def test_gaps_are_few_of_each_kind_and_say_what_to_do() -> None:
    def gap(shape: GapShape, topic: str) -> Gap:
        return Gap(GapKind.GAP, shape, topic, (f"{topic}.md",), f"{topic} lacks it.", 0.5)

    made = report(
        *(gap(GapShape.ISOLATED, f"Alone {number}") for number in range(5)),
        gap(GapShape.DANGLING, "Rye"),
        gap(GapShape.STALE, "Old"),
        Starch="Starch becomes firm when bread is kept cold in a fridge.",
    )
    assert len(made.gaps) == 4
    assert [(each.text, each.note) for each in made.actions] == [
        ("Link to a note that belongs to it, or delete", "Alone 0.md"),
        ("Link to a note that belongs to it, or delete", "Alone 1.md"),
        ("Research “Rye”", ""),
        ("Check whether it is still true", "Old.md"),
    ]
