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
def test_of_other_languages_nothing_is_reported(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.APART
    assert _relation(one, one) is Relation.MAY_AGREE


def test_english_with_foreign_names_is_english() -> None:
    one, other = "Most mites of La Paz die in El Alto.", "Few mites of La Paz die in El Alto."
    assert _relation(one, other) is Relation.OPPOSED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The trial took 7 minutes to stop the bleeding.",
            "The trial took 9 minutes to stop the bleeding.",
        ),
        ("The treatment killed 97 % of the mites.", "The treatment killed 45 % of the mites."),
        ("Patients recovered after 5 days of rest.", "Patients recovered after 8 days of rest."),
        ("The median incubation period was 5 days.", "The median incubation period was 7 days."),
        (
            "The battery lasted 300 cycles in the study.",
            "The battery lasted 900 cycles in the study.",
        ),
        ("The case fatality rate was 2 %.", "The case fatality rate was 11 %."),
        ("The yield rose by 12 % on the farm.", "The yield rose by 30 % on the farm."),
        (
            "The survey found that 40 % of teachers work on Sundays.",
            "The survey found that 60 % of teachers work on Sundays.",
        ),
        ("The old bridge carried about 300 cars.", "The old bridge carried about 500 cars."),
        (
            "Mean blood pressure fell by 4 points in the group.",
            "Mean blood pressure fell by 9 points in the group.",
        ),
    ],
)
def test_other_figures_of_one_thing_are_two_results(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Water boils at 100 °C.", "Water boils at 90 °C."),
        ("The speed of light is 300000 km.", "The speed of light is 200000 km."),
        ("The genome has 30 genes.", "The genome has 12 genes."),
        ("The file format contains 16 columns.", "The file format contains 18 columns."),
    ],
)
def test_a_stated_fact_with_another_figure_is_contradicted(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.OPPOSED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The vaccine is effective in adults.", "The vaccine is not effective in infants."),
        ("The drug reduces pain in mice.", "The drug does not reduce pain in humans."),
        ("Zinc shortens colds in children.", "Zinc does not shorten colds in adults."),
        ("Copper kills bacteria at 37 degrees.", "Copper does not kill bacteria in the cold."),
        ("The beetle survives in Norway.", "The beetle does not survive in Spain."),
        ("The index is fast on disks.", "The index is not fast on tapes."),
        ("Statins lower the risk among smokers.", "Statins do not lower the risk."),
        ("5 mg reduced pain by 30 %.", "10 mg reduced pain by 50 %."),
        ("The dose of 5 mg works in 2 hours.", "The dose of 9 mg works in 3 hours."),
        ("Sleep improves memory for faces.", "Sleep does not improve memory for numbers."),
        ("The cache helps with reads.", "The cache does not help with writes."),
        ("Masks protect people during flights.", "Masks do not protect people at home."),
    ],
)
def test_under_other_conditions_nothing_is_contradicted(one: str, other: str) -> None:
    assert _relation(one, other) not in (Relation.OPPOSED, Relation.DIFFERENT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zinc shortens colds in children.", "Zinc does not shorten colds in children."),
        ("The index is fast on disks.", "The index is not fast on disks."),
        ("Statins lower the risk among smokers.", "Statins raise the risk among smokers."),
        ("Masks protect people during flights.", "Masks do not protect people during flights."),
        ("The beetle survives in Norway.", "The beetle does not survive in Norway."),
        ("Sleep improves memory for faces.", "Sleep impairs memory for faces."),
        ("Replication increases throughput.", "Replication decreases throughput."),
        ("The gene is present in yeast.", "The gene is absent in yeast."),
        ("The enzyme is necessary for growth.", "The enzyme is unnecessary for growth."),
        ("The compound is toxic to fish.", "The compound is harmless to fish."),
        ("Mulch keeps the soil wetter than gravel.", "Gravel keeps the soil wetter than mulch."),
        ("Tests found that the method works.", "Tests found that the method does not work."),
        ("Caffeine delays sleep.", "Caffeine does not delay sleep."),
        ("The protocol prevents deadlocks.", "The protocol does not prevent deadlocks."),
    ],
)
def test_the_same_conditions_and_the_opposite_are_a_contradiction(one: str, other: str) -> None:
    assert _relation(one, other) is Relation.OPPOSED


def test_a_denial_of_what_the_other_does_not_speak_of_contradicts_nothing() -> None:
    one = Stance("Rust has structured concurrency for threads and not for async tasks.")
    other = Stance("An async task in Rust runs until it gives the thread back.")
    assert one.relation(other) is Relation.APART
