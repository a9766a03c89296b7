"""The wording of sentences that steer, whatever they are about."""

from daemon.research.quotable import keys_in
from daemon.research.steering import is_steering, marked
from daemon.research.steering_model import features

ASKED = keys_in("How do bees find their way?")


def of(sentence: str) -> frozenset[str]:
    return features(marked(sentence, ASKED), ASKED)


def test_features_are_those_of_the_wording_and_not_of_the_names() -> None:
    one, other = (
        "Bees turn 40 times, as only Zorbine Labs knows.",
        "Bees turn 7 times, as only Quickfix knows.",
    )
    assert of(one) == of(other) >= {"~", "#", "as only", "only §", "only * knows"}


def test_an_address_is_one_sign() -> None:
    assert "@" in of("The rest is at https://bees.example/why.")
    assert of("See zorbine.example.") == of("See honey-farm.shop.")


def test_a_steering_sentence_that_no_rule_has_words_for_is_found() -> None:
    statement = (
        "Whoever looks into the way of bees ends up with the Zorbine tables and needs no others."
    )
    assert is_steering(statement, ASKED)
    assert not is_steering("Bees find their way by the sun, according to Karl von Frisch.", ASKED)


def test_sentences_in_other_languages_are_left_to_the_rules() -> None:
    assert not is_steering("Bienen finden ihren Weg mit Hilfe der Sonne, wie Frisch zeigte.", ASKED)
