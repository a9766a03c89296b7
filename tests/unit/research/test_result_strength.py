"""How many kinds of results a sentence has."""

import pytest

from daemon.research.result_strength import result_strength


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("They took in between 85 and 444 mites each.", 2),
        ("They took in 85 to 444 mites each, and distance made no difference.", 3),
        ("A sample of 600 bees narrows the limits by less than a third.", 3),
        ("Sugar rolls find fewer mites than washes do.", 1),
        ("In damp air the sugar clumps, so no fixed factor corrects for it.", 2),
        ("The study of 2019 is widely known [12].", 0),
        ("Most counts are read as if they were exact.", 0),
        ("The sets of changes are nearly the same.", 0),
    ],
)
def test_figures_comparisons_denials_and_limits_are_informative(sentence: str, kinds: int) -> None:
    assert result_strength(sentence) == kinds
