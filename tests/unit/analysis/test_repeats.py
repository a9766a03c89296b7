import pytest

from daemon.analysis.repeats import MANY, split_words, stretches

TEMPLATE = (
    "Use this page to collect what you know. Say in one sentence what it is, who cares about it and"
    " why, then list open questions and the next small step that you could take on a quiet evening."
)
OWN = (
    "bees dance for nectar", "yeast raises dough overnight", "rust borrows and moves values",
    "tides follow the moon", "chalk dries under sun", "violins need rosin and patience",
)  # fmt: skip


def notes(count: int, text: str) -> list[tuple[str, str]]:
    return [(f"{n}.md", text.replace("OWN", OWN[n])) for n in range(count)]


def own_words(note: str, text: str, texts: list[tuple[str, str]]) -> str:
    found = stretches(texts)[texts.index((note, text))]
    words = zip(split_words(text), found.shared, strict=True)
    return " ".join(word for word, shared in words if not shared)


def test_text_repeated_in_several_notes_is_separated_from_their_own_text() -> None:
    texts = notes(MANY, f"{TEMPLATE}\n\nOWN")
    for note, text in texts:
        assert own_words(note, text, texts) == OWN[int(note[0])]


def test_what_fewer_notes_share_is_their_own() -> None:
    found = stretches(notes(MANY - 1, f"{TEMPLATE}\n\nOWN"))
    assert all(each.own == 1.0 and each.overlaps == -1 for each in found)


def test_one_note_that_repeats_itself_shares_nothing() -> None:
    assert all(each.own == 1.0 for each in stretches([("A.md", TEMPLATE)] * MANY))


def test_a_template_that_was_filled_in_is_one_still() -> None:
    filled = TEMPLATE.replace("collect what", "collect what OWN and what")
    texts = notes(MANY, filled)
    note, text = texts[0]
    assert "open questions" not in own_words(note, text, texts)
    assert OWN[0] in own_words(note, text, texts)


def test_case_and_line_breaks_make_no_difference() -> None:
    texts = notes(MANY, f"{TEMPLATE} OWN")
    texts[0] = ("0.md", texts[0][1].upper().replace(" ", "\n"))
    assert stretches(texts)[0].own < 0.2


def test_scripts_without_spaces_are_compared_by_their_characters() -> None:
    shared = "请在此处写下你对这个主题的理解并列出尚未解决的问题"
    own = ("蜜蜂跳舞", "酵母发面", "潮汐涨落", "小提琴声")
    texts = [(f"{n}.md", shared + own[n]) for n in range(MANY)]
    assert [own_words(*each, texts).replace(" ", "") for each in texts] == list(own)


def test_texts_that_share_their_widest_stretch_are_kin() -> None:
    other = " ".join(reversed(TEMPLATE.split()))
    texts = [*notes(5, f"{TEMPLATE} OWN"), *((f"x{n}", f"{OWN[n]} {other}") for n in range(4))]
    kin = [each.overlaps for each in stretches(texts)]
    assert len(set(kin[:5])) == len(set(kin[5:])) == 1
    assert kin[0] != kin[5]


@pytest.mark.parametrize("texts", [[], [("A.md", "")], [("A.md", "one two"), ("B.md", "")]])
def test_hardly_any_text_is_no_trouble(texts: list[tuple[str, str]]) -> None:
    assert [each.own for each in stretches(texts)] == [1.0] * len(texts)
