from collections import Counter

import numpy as np
import pytest

from daemon.analysis.lexical import Names, TermIndex
from daemon.analysis.tokens import terms, tokens


def reported(*texts: str) -> list[Counter[str]]:
    return [terms(tokens(text)) for text in texts]


def test_notes_that_say_the_same_rare_words_are_alike() -> None:
    notes = reported(
        "bees make honey", "honey of the bees", "the tide", "the ebb and the tide", "the"
    )
    like = TermIndex(notes).similarities(notes[0])
    assert like[0] == pytest.approx(1.0)
    assert like[1] > 0.7
    assert like[2] == like[3] == like[4] == 0


def test_a_common_word_counts_less_than_a_rare_one() -> None:
    notes = reported("the bee", "the tide", "the bee", "the moon", "the sun")
    like = TermIndex(notes).similarities(notes[0])
    assert like[2] > 5 * like[1] > 0


def test_texts_in_scripts_without_spaces_are_compared_by_pairs_of_characters() -> None:
    assert terms(tokens("数字花园 and rust 花")) == Counter(["数字", "字花", "花园", "and", "rust"])
    notes = reported("数字花园", "我的花园", "双向链接", "链接")
    like = TermIndex(notes).similarities(notes[0])
    assert like[1] > 0 == like[2] == like[3]


@pytest.mark.parametrize("notes", [[], reported(""), reported("bees", "")])
def test_nothing_in_common_is_no_trouble(notes: list[Counter[str]]) -> None:
    assert TermIndex(notes).similarities(Counter({"bee": 2})).tolist() == [0.0] * len(notes)


def names(*of: tuple[str, str]) -> Names:
    return Names(
        [[tuple(tokens(name))] if name else [] for name, _ in of],
        [tokens(text) for _, text in of],
    )


def test_a_note_that_is_named_without_a_link_is_seen() -> None:
    found = names(("Rust", ""), ("Borrow checker", ""), ("Bees", ""), ("Four", "nothing"))
    named = found.named_in(tokens("In rust, borrow checkers are strict; borrow a bee."))
    assert named[0] > 0
    assert named[1] > 0
    assert named[2] > 0  # bee and bees are one
    assert named[3] == 0


def test_a_name_in_every_text_counts_less_than_a_rare_one() -> None:
    notes = [("Notes", "my notes"), ("Varroa", "notes"), *((f"n{n}", "notes") for n in range(20))]
    named = names(*notes).named_in(tokens("notes on varroa"))
    assert 0 <= named[0] < 0.1 < named[1]


def test_who_names_a_note_is_known_from_the_other_side() -> None:
    found = names(("Varroa", "a mite"), ("Hive", "beware of varroa"), ("Tide", "ebb"))
    np.testing.assert_array_equal(found.naming(0) > 0, [False, True, False])
    assert not found.naming(2).any()


def test_the_beginning_of_a_name_is_not_the_name() -> None:
    found = names(("Borrow checker", "x"), ("Borrow", "x"))
    assert (found.named_in(tokens("to borrow")) > 0).tolist() == [False, True]
