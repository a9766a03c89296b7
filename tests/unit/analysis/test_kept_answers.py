"""Answers that hang on words of the whole vault, from one analysis to the next."""

from daemon.analysis.kept_answers import AnswerCache
from daemon.analysis.lexicon import Lexicon, Words
from daemon.analysis.spread import coarse
from daemon.store.derived import DerivedInMemory


def vault_with(saying: int, notes: int = 120) -> dict[str, Words]:
    """Return notes of which the first so many say a word."""
    reported = ("Bees" if number < saying else "Moss" for number in range(notes))
    return {f"{at}.md": Words(f"Note {at}", (heading,)) for at, heading in enumerate(reported)}


def test_counts_are_exact_when_small_and_rounded_down_when_large() -> None:
    assert [coarse(count) for count in range(17)] == [*range(17)]
    assert [coarse(count) for count in (17, 100, 103, 104, 1_999)] == [16, 96, 96, 104, 1_920]


def test_an_answer_holds_until_the_rounded_count_of_a_word_moves() -> None:
    derived = DerivedInMemory()

    def bees(saying: int) -> tuple[int, bool]:
        lexicon = Lexicon(vault_with(saying), derived=derived)
        kept = AnswerCache("bees", lexicon, derived)
        found = kept.get("key")
        is_known = found is not None
        if not is_known:
            kept.begin()
            found = lexicon.count_notes("bees")[0]
            kept.put("key", found)
        kept.save()
        lexicon.save()
        assert found == Lexicon(vault_with(saying)).count_notes("bees")[0]
        return found, is_known

    assert bees(99) == (96, False)
    assert bees(103) == (96, True)
    assert bees(104) == (104, False)
    assert bees(9) == (9, False)
    assert bees(10) == (10, False)


def test_a_ranked_answer_holds_while_its_terms_keep_their_order() -> None:
    derived = DerivedInMemory()
    group = [f"{at}.md" for at in range(8)]

    def commonest(saying: int) -> tuple[str, bool]:
        lexicon = Lexicon(vault_with(saying), derived=derived)
        kept = AnswerCache("terms", lexicon, derived)
        found = kept.get("key")
        is_known = found is not None
        if not is_known:
            kept.begin()
            found = lexicon.commonest(group)
            kept.put("key", found)
        kept.save()
        assert found == Lexicon(vault_with(saying)).commonest(group)
        return found, is_known

    assert commonest(10) == ("bee", False)
    assert commonest(20) == ("bee", True)
    assert commonest(119) == ("", False)  # every note says it: it distinguishes none
