"""Values and dates in statements: as they are written, and no others."""

import pytest

from daemon.model.finding import NoteLine
from daemon.reports.figures import date_in, figures_of, timeline_of
from daemon.research.quantities import values_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A count is compatible with 0.4 to 3.4 per cent of the bees.", ["0.4 to 3.4 per cent"]),
        ("Warming to 60 °C takes 5 minutes.", ["60 °C", "5 minutes"]),
        ("It cost $3.5 million in 2019.", ["$3.5 million"]),
        ("We took 300 bees of 12 hives in 1998, version 2.", []),
        ("After a 21-day stay he left.", []),
    ],
)
def test_values_with_units_are_found_as_they_are_written(text: str, values: list[str]) -> None:
    assert values_in(text) == values


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("On 7 January 2020 the cause was found.", "2020-01-07"),
        ("It was named on February 11, 2020.", "2020-02-11"),
        ("Since May 1998 it has grown.", "1998-05"),
        ("In the early 1990s it was rare.", ""),
        ("It began in 1913.", "1913"),
        ("As shown (Smith, 2005), 2019 samples were taken.", ""),
    ],
)
def test_a_date_is_a_date_only_where_the_text_says_so(text: str, when: str) -> None:
    assert date_in(text) == when


def test_tables_take_few_statements_of_each_source_and_dates_in_order() -> None:
    said = [
        NoteLine("A.md", f"Sample {place} weighs {place} kg in {2000 - place}.")
        for place in range(1, 6)
    ]
    assert [each.value for each in figures_of(said)] == ["1 kg", "2 kg", "3 kg"]
    assert [each.when for each in timeline_of(said)] == ["1997", "1998", "1999"]
