import pytest

from daemon.research.titles import Title

BREAD = "On the staling of bread and its causes"
WARDS = f"{BREAD} in Swedish hospital wards"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("On the staling of bread and its causes", "On the Staling of Bread, and its causes."),
        ("Éclairs et pâtisserie française", "Eclairs et patisserie francaise"),
        ("A history of leap seconds, part 2", "A history of leap seconds. Part II"),
        ("Effects of β-carotene on lung cancer", "Effects of beta-carotene on lung cancer"),
        ("A two-year trial of bread in wards", "A 2-year trial of bread in wards"),
        ("Role of H<sub>2</sub>O in bread staling", "Role of H2O in bread staling"),
        ("Retracted: On the staling of bread", "RETRACTED: On the staling of bread"),
    ],
)
def test_titles_are_near_when_they_are_nearly_equal(one: str, other: str) -> None:
    assert Title(one).is_near(Title(other))
    assert not Title(one).is_reworded(Title(other))
    assert not Title(one).is_unlike(Title(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A history of leap seconds, part 1", "A history of leap seconds, part 2"),
        ("A history of leap seconds: Part I", "A history of leap seconds: Part II"),
        ("A history of leap seconds, part one", "A history of leap seconds, part two"),
        ("Bread in hospital wards: an interim report", "Bread in hospital wards: a final report"),
        (BREAD, f"Erratum: {BREAD}"), (BREAD, f"Correction to: {BREAD}"),
        (BREAD, f"{BREAD}: reply"), (BREAD, f"Re: {BREAD}"), (BREAD, f"Authors' reply: {BREAD}"),
    ],
)  # fmt: skip
def test_parts_reports_corrections_and_replies_are_works_of_their_own(one: str, other: str) -> None:
    assert not Title(one).is_near(Title(other))
    assert Title(one).is_unlike(Title(other))
    assert Title(other).is_unlike(Title(one))


@pytest.mark.parametrize("title", ["Introduction", "Letter to the Editor", "Poster Abstracts", ""])
def test_what_many_works_are_called_names_none(title: str) -> None:
    assert not Title(title).is_near(Title(title))
    assert not Title(title).is_unlike(Title("On the staling of bread and its causes"))


def test_another_informative_word_makes_another_title() -> None:
    copper = Title("Effect of copper surfaces on bacteria in wards")
    assert copper.is_reworded(Title("Effect of silver surfaces on bacteria in wards"))
    assert not copper.is_reworded(Title("Effects of copper surface on bacteria in the wards"))
    assert not copper.is_reworded(Title("Effect of copper-surfaces upon bacteria within wards"))
    assert Title("Bread is a cause of harm in adults").is_reworded(
        Title("Bread is not without cause of harm in adults")
    )


@pytest.mark.parametrize(
    "other",
    [
        f"{WARDS}: a randomised trial of five methods of storage",
        f"{BREAD} in Swed",
        f"Full article: {WARDS}",
        "T",
    ],
)
def test_under_one_identifier_a_title_may_be_cut_or_longer(other: str) -> None:
    title = Title(WARDS)
    assert not title.is_unlike(Title(other))


def test_under_one_identifier_another_subject_is_another_work() -> None:
    title = Title(WARDS)
    assert title.is_unlike(Title("Copper surfaces lower the count of bacteria on bed rails"))


def test_a_title_in_brackets_or_in_another_script_may_be_a_translation() -> None:
    for other in ("[Altbackenes Brot in Schweden]", "О черствении хлеба и его причинах"):
        assert Title(WARDS).may_translate(Title(other))
    assert not Title(WARDS).may_translate(Title("Altbackenes Brot in Schweden"))
