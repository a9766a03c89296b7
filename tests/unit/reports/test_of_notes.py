"""What the notes of a part of the vault say: how each begins, what they dispute and lack."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from daemon.asking.statements import Passage, PassageOrigin
from daemon.model.agenda import Depth
from daemon.model.finding import NoteLine
from daemon.model.report import Report, text_of
from daemon.reports.leads import Lead, lead_of
from daemon.reports.missing import asked_in
from daemon.reports.of_notes import Part, report_of_notes

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def passages(path: str, *texts: str, heading: str = "") -> list[Passage]:
    name = path.rpartition("/")[2].removesuffix(".md")
    return [Passage(PassageOrigin.NOTE, path, name, heading, 1, text) for text in texts]


def lead(name: str, text: str, asked: str = "") -> Lead:
    found = lead_of(passages(f"{name}.md", text), frozenset(asked.split()))
    assert found is not None
    return found


def report(missing: Mapping[str, Sequence[str]] | None = None, **texts: str) -> Report:
    notes = {f"{name}.md": passages(f"{name}.md", text) for name, text in texts.items()}
    part = Part("Bread", "Bread", notes, missing=missing or {})
    return report_of_notes(part, lambda _word: 1.0, Depth.STANDARD, NOW)


def test_a_note_begins_with_what_says_what_it_is_named_after() -> None:
    text = (
        "Some bakers get up at three for the bread.\n\nA sourdough is a dough that wild"
        " yeasts raise.\n\nLast week I baked three loaves with it in the old oven."
    )
    assert lead("Sourdough", text).text == "A sourdough is a dough that wild yeasts raise."


def test_a_note_begins_with_its_first_paragraph_as_far_as_there_is_space() -> None:
    text = "Rye bread keeps well for a week. Its crumb stays moist for all of it.\n\nOther text."
    assert lead("Keeping", text).text == text.partition("\n")[0]


def test_what_leads_to_a_list_has_the_list_and_what_leads_nowhere_is_not_quoted() -> None:
    listed = lead("Flour", "Three kinds of flour keep well:\n\n- rye\n- spelt\n- durum\n")
    assert (listed.text, listed.below) == (
        "Three kinds of flour keep well:",
        ("- rye", "- spelt", "- durum"),
    )
    assert lead_of(passages("Flour.md", "Three kinds of flour keep well:")) is None


def test_code_has_the_sentence_that_leads_to_it_and_keeps_its_form() -> None:
    code = "def bake(dough):\n    return dough\n"
    text = f"A recipe is a function of its dough.\n\nThis is the whole of it:\n\n```py\n{code}```\n"
    line = lead("Recipes", text).line("Recipes.md")
    assert line.text == "A recipe is a function of its dough. This is the whole of it:"
    assert line.is_code
    assert line.below == ("def bake(dough):", "    return dough")


def test_a_pronoun_begins_only_the_first_sentence_of_a_note() -> None:
    whole = "Starch becomes firm when bread is kept in a fridge."
    assert lead("Starch", "It is a sugar that plants make.").text.startswith("It is a sugar")
    assert lead("Crumb", f"Press it.\n\nIt is firm after some days.\n\n{whole}").text == whole


def test_a_mention_of_a_topic_begins_with_the_sentence_before_if_it_depends_on_that() -> None:
    text = (
        "Cold bread gets a firm crumb. It is the starch that becomes firm in it, and not the water."
    )
    assert lead("Fridge", text, "starch").text == text


@pytest.mark.parametrize(
    "text",
    [
        "See `man git-show` for more details on starch.",
        "In the tumour example, starch was not what the bakers minded.",
        "In Stale bread, I explained how starch becomes firm again in a fridge.",
        "Good for seeing that the starch of bread is firm.",
        "title: how starch becomes firm when bread is kept cold",
        "In the second it is the starch that becomes firm in bread.",
        "All of its starch becomes firm when bread is kept cold.",
        "This essay on starch was originally published elsewhere in spring.",
        "icons of starch and two grains of bread, each",
        "Let $S_a$ be the starch of bread and $T$ be its time in the cold.",
        "Baker, A. (2018). Starch of bread in the cold. Bread, pp. 8-9.",
    ],
)
def test_what_cannot_stand_alone_is_not_quoted(text: str) -> None:
    whole = "Starch becomes firm when bread is kept in a fridge."
    found = lead_of(passages("Bread.md", f"Press it.\n\n{text}\n\n{whole}"))
    assert found is not None
    assert found.text == whole


def test_a_question_is_open_only_where_its_owner_says_so() -> None:
    asked = asked_in(
        [
            *passages("Starch.md", "- Does rye starch become firm, too?", heading="Open questions"),
            *passages("Starch.md", "How firm does the starch of bread become? Very firm."),
            *passages("Starch.md", "- What is it about starch that interests you?"),
            *passages("Starch.md", "Not sure why wheat starch becomes firm so soon?"),
            *passages("Starch.md", "Why the starch of rye stays soft is not known."),
        ]
    )
    assert [each.text for each in asked] == [
        "Does rye starch become firm, too?",
        "Not sure why wheat starch becomes firm so soon?",
        "Why the starch of rye stays soft is not known.",
    ]


def test_each_note_is_listed_with_its_beginning_and_a_copy_only_once() -> None:
    made = report(
        Starch="Starch becomes firm when bread is kept cold in a fridge.",
        Yeast="Yeast is a fungus that raises the dough of bread with gas.",
        Copy="Yeast is a fungus that raises the dough of bread with gas.",
        Empty="x",
    )
    [section] = made.sections
    assert set(section.notes) == {"Starch.md", "Yeast.md", "Copy.md", "Empty.md"}
    assert len({text_of(each) for each in section.single}) == len(section.single) == 2
    assert "Hardly any text in 4 notes" not in {each.text for each in made.gaps}


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


def test_a_dispute_is_named_with_what_another_note_says_on_the_same() -> None:
    made = report(
        Police="Police in the city deny accusations of brutality against bakers.",
        Paper="Excessive brutality of the police has driven bakers out of the city.",
        Access="The server denied permission to the bakers of the bread.",
    )
    [sides] = made.contested
    assert [each.path for each in sides if isinstance(each, NoteLine)] == ["Police.md", "Paper.md"]


def test_a_claim_that_a_note_checks_has_its_verdict_and_is_disputed_and_no_figure() -> None:
    made = report(
        Claim="Claim\n\nThe bakers of the city own 17 million dollars.\n\nRating\n\nUnproven\n",
        World="The bread of the city lost 30 % of its salt in ten years.",
    )
    [[claim]] = made.contested
    assert text_of(claim).endswith("own 17 million dollars. […] Rating: Unproven")
    assert len(made.figures) == 1


def test_what_takes_back_a_statement_stands_beside_it() -> None:
    text = "Bakers say that their bread keeps for a month.\n\nYou shouldn't just believe them."
    assert lead("Keeping", text).text == text.replace("\n\n", " ")


def test_what_code_and_examples_have_is_no_figure_and_no_contradiction() -> None:
    made = report(
        Port="Run the server of the bread and visit the page at port 3000 in 30 seconds.",
        Other="Run the server of the bread and visit the page at port 4444 in 10 seconds.",
        World="The starch of bread lost 30 % of its water in ten days in 2019.",
    )
    assert made.disputed == ()
    assert [
        source.path
        for source in (each.said for each in made.figures)
        if isinstance(source, NoteLine)
    ] == ["World.md"]


def test_missing_notes_are_named_and_written_if_several_link_to_them() -> None:
    made = report(
        {"Rye": ["Starch.md", "Crumb.md"], "Oats": ["Crumb.md"]},
        Starch="Starch becomes firm when bread is kept cold in a fridge.",
        Crumb="- [ ] weigh the crumb\n\nA firm crumb is the sign of bread whose starch is firm.",
    )
    assert [(each.text, each.note) for each in made.gaps] == [
        ("No note on “Rye”, to which 2 of these notes link", ""),
        ("No note on “Oats”, to which this one links", "Crumb.md"),
        ("Open task: “weigh the crumb”", "Crumb.md"),
    ]
    assert [each.text for each in made.actions] == ["Write a note on “Rye”; 2 notes link to it"]
