import pytest

from daemon.research.modifier import is_modifier, is_torn


@pytest.mark.parametrize(
    ("topic", "sentence", "is_part"),
    [
        ("Emergency Medicine", "Emergency medicine residents performed more scans.", True),
        ("Emergency Medicine", "Of all emergency medicine programs were asked half.", True),
        ("Emergency Medicine", "The Emergency Medicine Division keeps a plan.", True),
        ("Aortic Stenosis", "Aortic stenosis causes syncope and chest pain.", False),
        ("Aortic Stenosis", "Aortic stenosis occurs in one of twenty who are old.", False),
        ("Aortic Stenosis", "Aortic stenosis (AS) patients had less pain.", False),
        ("Aortic Stenosis", "In aortic stenosis patients fared worse than without it.", True),
        ("Aortic Stenosis", "Aortic stenosis patients had pain; aortic stenosis kills.", False),
        ("Aortic Stenosis", "Stenosis of the aortic valve is common.", False),
        ("Attention", "Attention is what one spends on things.", False),
        ("Git", "Git.", False),
    ],
)
def test_a_topic_before_a_noun_is_not_what_the_sentence_is_about(
    topic: str, sentence: str, is_part: bool
) -> None:
    assert is_modifier(topic, sentence) is is_part


def test_the_two_words_of_a_topic_stand_together_in_a_sentence_or_its_title() -> None:
    statement = "The Emergency and Disaster Medicine Division keeps beds free."
    assert is_torn("Emergency Medicine", statement, "Hospitals")
    assert not is_torn("Emergency Medicine", statement, "Emergency medicine today")
    assert not is_torn("Aortic Stenosis", "A stenosis of the aortic valve is common.")
    assert not is_torn("Stale bread in fridges", "Bread is stale.")
