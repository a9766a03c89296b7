import pytest

from daemon.analysis.note_words import (
    Reader,
    is_date,
    is_dated,
    is_personal,
    is_unspaced,
    key,
    prose,
)
from daemon.analysis.vault_names import Names
from daemon.language.stop_words import is_significant


def test_words_stand_together_only_within_a_clause_and_not_across_stop_words() -> None:
    runs = list(Reader(Names()).runs("Cooperative scheduling, and the cost of waiting"))

    assert [keys for _, keys in runs] == [
        ["cooper", "schedul"],
        ["", "", "cost", "", "wait"],
    ]


def test_of_unspaced_script_the_names_of_the_vault_are_read_the_longest_first() -> None:
    names = Names(["健身", "饮食", "健身计划"])

    assert [words for words, _ in Reader(names).runs("我的健身计划")] == [["健身计划"]]
    runs = list(Reader(names).runs("健身与饮食 Plan"))

    assert [words for words, _ in runs] == [["健身"], ["饮食"], ["Plan"]]
    assert is_unspaced("健身")
    assert not is_unspaced("健身 plan")


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("Bees", "bee"),
        ("Theories", "theori"),
        ("boxes", "box"),
        ("Rust's", "rust"),
        ("Consensus", "consensus"),
        ("physics", "physic"),
        ("Class", "class"),
        ("Nyāya", "nyāya"),
    ],
)
def test_a_word_its_plural_and_its_possessive_are_one(word: str, folded: str) -> None:
    assert key(word) == folded


@pytest.mark.parametrize("word", ["the", "Don’t", "2024", "TODO", "x", "notes"])
def test_stop_words_numbers_and_boilerplate_are_ignored(word: str) -> None:
    assert not is_significant(word)


def test_code_math_markup_and_addresses_are_not_prose() -> None:
    text = (
        "Seen ```py\nimport os\n``` and `x = 1` $\\alpha$ <b>bold</b> <!-- hidden --> %%aside%%"
        " https://example.org/a ![[image.png]] [[Bees|hives]] [site](notes/a.md) $$\n\\beta"
    )

    words = prose(text).split()

    assert words == ["Seen", "and", "bold", "hives]]", "[site"]


@pytest.mark.parametrize(
    "title", ["2026-11-21", "20261121", "21.11.2026", "2026-W47", "7", "v0.4.x"]
)
def test_a_title_that_is_only_a_date_is_seen(title: str) -> None:
    assert is_date(title)
    assert is_dated(title)


def test_a_title_with_a_date_in_it_is_dated_but_has_a_subject() -> None:
    assert is_dated("release.2021-09-07")
    assert not is_date("Meeting 2026-11-21")
    assert not is_dated("Area 51 and 1984")


def test_a_diary_is_personal_and_an_article_is_not() -> None:
    diary = "I went home. My brother told me that I’m late, so I left with my dog and I ran."
    article = "Bees fly when it is warm. I saw this in one paper, but most of them agree on it."

    assert is_personal(diary)
    assert not is_personal(article)
