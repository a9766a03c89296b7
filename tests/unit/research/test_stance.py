import pytest

from daemon.research.stance import Relation, Stance


def _relation(one: str, other: str) -> Relation:
    there, back = Stance(one).relation(Stance(other)), Stance(other).relation(Stance(one))
    assert there is back
    return there


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bread keeps for 3 days.", "Bread keeps for 3 days in a box."),
        ("Bread keeps for 3 days.", "Bread keeps for days."),
        ("Bread can't keep.", "Bread does not keep."),
        ("The drug is not safe for children.", "The drug is unsafe for children."),
        ("Copper reduces the bacteria in hospitals.", "Copper lowers the bacteria in hospitals."),
        ("Freezing stops bread from going stale.", "Bread does not go stale when it is frozen."),
        ("Scheduling can hurt latency.", "Latency may suffer under scheduling."),
        ("The vaccine works in older adults.", "The vaccine is effective in older adults."),
        ("Replicas merge without coordination.", "Replicas need no coordination to be merged."),
        ("It is not only cheap.", "It is cheap."),
        (
            "Do not repeat it, since a second dose weakens the colony.",
            "A second dose weakens the colony.",
        ),
        ("Oxalic acid kills mites, but it is not allowed in honey.", "Oxalic acid kills mites."),
        ("Stale bread is caused by the cold.", "The cold causes stale bread."),
    ],
)
def test_what_says_the_same_may_agree(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.MAY_AGREE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Coffee increases the risk of disease.", "Coffee decreases the risk of disease."),
        ("Remote work raises output.", "Remote work lowers output."),
        ("The vaccine is effective in adults.", "The vaccine is not effective in adults."),
        ("The vaccine is effective in adults.", "The vaccine is ineffective in adults."),
        ("Aspirin is safe for children.", "Aspirin is unsafe for children."),
        ("The motor is reliable in rain.", "The motor is unreliable in rain."),
        ("The drug prevents relapse.", "The drug does not prevent relapse."),
        ("Copper works better than silver here.", "Silver works better than copper here."),
        (
            "Bread goes stale faster in the refrigerator.",
            "The refrigerator slows staling of bread.",
        ),
        ("Chocolate lowers blood pressure.", "Chocolate has no effect on blood pressure."),
        ("Bread keeps well, although not in a plastic bag.", "Bread keeps well in a plastic bag."),
        ("Neonicotinoids harm honey bees.", "Neonicotinoids are harmless to honey bees."),
    ],
)
def test_what_says_the_opposite_of_one_thing_is_opposed(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.OPPOSED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bread keeps for 3 days.", "Bread keeps in 5 kitchens."),
        ("Coffee may increase the risk.", "Coffee increases the risk."),
        ("Coffee may increase the risk.", "Coffee may not increase the risk."),
        ("Mites increase in summer.", "Mites decrease in winter."),
        ("Exercise reduces stress in men.", "Exercise increases stress in women."),
        ("Higher doses increase the effect.", "Lower doses decrease the effect."),
        ("Smoking causes cancer.", "Cancer causes many people to stop smoking."),
        ("At 4 °C staling increases.", "At -18 °C staling decreases."),
        ("CRDTs do not need a server.", "CRDTs need a lot of memory."),
        ("The drug prevents infections.", "The drug reduces infections."),
    ],
)
def test_other_cases_other_force_and_other_things_are_apart(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.APART


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Der Kaffee erhöht das Risiko für das Herz.", "Der Kaffee senkt das Risiko für das Herz."),
        ("Le vaccin est efficace pour les adultes.", "Le vaccin n'est pas efficace du tout."),
        ("El cobre mata las bacterias en los hospitales.", "El cobre no mata las bacterias."),
    ],
)
def test_of_other_languages_nothing_is_said(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.APART
    assert _relation(one, one) is Relation.MAY_AGREE


def test_english_with_foreign_names_is_english() -> None:
    one, other = "Most mites of La Paz die in El Alto.", "Few mites of La Paz die in El Alto."
    assert _relation(one, other) is Relation.OPPOSED
