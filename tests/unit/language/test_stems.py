"""Stems: the forms of a word are one."""

import pytest

from daemon.language.stems import stem


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ["bee", "bees", "Bee's", "Bees"]),
        ("en", ["theory", "theories"]),
        ("de", ["Haus", "Häuser", "Häusern"]),
        ("ru", ["собака", "собаки", "собаками"]),
        ("uk", ["книга", "книги"]),
        ("es", ["nota", "notas"]),
        ("ko", ["연구", "연구를", "연구는", "연구에서"]),
    ],
)
def test_inflections_of_a_word_have_one_stem(language: str, forms: list[str]) -> None:
    assert len({stem(form, language) for form in forms}) == 1


def test_the_stemmer_is_chosen_by_the_script_of_a_word() -> None:
    assert stem("собаками") == stem("собака")
    assert stem("연구를") == "연구"


def test_what_is_no_plain_word_and_what_has_no_stemmer_is_only_folded() -> None:
    assert stem("C++") == "c++"
    assert stem("Node.js") == "node.js"
    assert stem("推荐") == "推荐"
