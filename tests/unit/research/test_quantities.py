import pytest

from daemon.research.quantities import clash, differ, quantities


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It fell by 30 %.", "A reduction of 30 percent."),
        ("It fell by 30%.", "Thirty per cent fewer."),
        ("They took 2 g a day.", "They took 2000 mg a day."),
        ("They took 2,000 mg.", "They took 2 g."),
        ("It lasts 48 hours.", "It lasts two days."),
        ("It lasts 3-5 days.", "It lasts 5 days."),
        ("It lasts between 3 and 5 days.", "It lasts 3 days."),
        ("Water boils at 100 °C.", "Water boils at 212 degrees Fahrenheit."),
        ("It cost $5 million.", "It cost 5,000,000 dollars."),
        ("1,5 kg of flour", "1.5 kg of flour"),
        ("Five trials were made.", "There were 5 trials."),
        ("In 1998, 97 % died.", "97 % died in 2004 and 1998."),
        ("In the 1990s it grew.", "It grew in 1990."),
    ],
)
def test_one_quantity_in_two_forms_is_one(one: str, other: str) -> None:
    left, right = quantities(one), quantities(other)
    assert left
    assert not clash(left, right)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dose was 5 mg.", "The dose was 5 g."),
        ("It took 2 hours.", "It took 2 minutes."),
        ("97 % died.", "45 % died."),
        ("It lasts 3 days.", "It lasts 5 days."),
        ("A 5 MW turbine.", "A 5 mW laser."),
        ("Of 5 trials.", "In 20 countries."),
        ("At 4 °C.", "At -18 °C."),
        ("Published in 1998.", "Published in 2004."),
    ],
)
def test_other_numbers_and_other_units_clash(one: str, other: str) -> None:
    assert clash(quantities(one), quantities(other))
    assert clash(quantities(other), quantities(one))


@pytest.mark.parametrize("text", ["Bread keeps for days.", "COVID-19 and CO2 and B12.", "One day."])
def test_what_is_no_quantity_is_none(text: str) -> None:
    assert "number" not in quantities(text)
    assert not clash(quantities(text), quantities("It took 5 kg."))


def test_one_quantity_of_one_kind_may_differ_and_years_do_not() -> None:
    assert differ(quantities("97 % died."), quantities("45 % died."))
    assert not differ(quantities("97 % died."), quantities("97 percent died."))
    assert not differ(quantities("In 1998."), quantities("In 2004."))
    assert not differ(quantities("97 % died."), quantities("It took 5 days."))
    assert not differ(quantities("3 % and 5 %."), quantities("45 %."))
