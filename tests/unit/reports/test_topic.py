"""A topic is named by whole words, and a person by the surname that the vault shows."""

import pytest

from daemon.reports.topic import Topic, surname_in


@pytest.mark.parametrize(
    ("topic", "text", "is_named"),
    [
        ("graphics", "Data graphics are drawn.", True),
        ("computer graphics", "It is the inverse of computer graphics.", True),
        ("computer graphics", "Graphics on walls, and a computer.", False),
        ("graphics", "A graphical pattern.", False),
        ("noem", "A page with <noembed> in it.", False),
        ("Sybil attack", "It is open to Sybil attacks.", True),
        ("order theory", "First-order theories of mind.", False),
        ("bakery", "Three bakeries' bread.", True),
        ("docker", "A Docker-based server.", True),
        ("IT", "Say it again.", False),
        ("数据库", "使用数据库服务。", True),
    ],
)
def test_whole_words_name_a_topic(topic: str, text: str, *, is_named: bool) -> None:
    assert Topic(topic).is_in(text) is is_named


def test_a_person_is_named_by_the_surname_that_the_vault_shows() -> None:
    texts = ("Donald Trump was there.", "Mr. Trump left early.")
    assert surname_in("donald trump", texts) == "Trump"
    assert surname_in("computer graphics", ("Computer Graphics of Mr. Jones",)) == ""
    person = Topic("Donald Trump", "Trump")
    assert person.is_in("Then President Trump signed it.")
    assert person.is_in("The Trump administration denies it.")
    assert not person.is_in("Ivanka Trump opened the shop.")
    assert person.is_part_of("trump trade war china")


def test_a_note_is_a_topics_own_if_nothing_else_is_in_its_name() -> None:
    assert Topic("careers").is_name("Careers")
    assert Topic("sybil attack").is_name("Sybil Attacks")
    assert not Topic("careers").is_name("Careers at home")


def test_a_use_within_a_sentence_shows_whether_a_word_is_a_name() -> None:
    assert Topic("Events").uses_in("Events differ. An event, an app or Events of it.") == [
        "event",
        "Events",
    ]
