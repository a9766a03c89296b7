"""Passages: paragraphs, or sentences of long ones, as stretches of the text."""

from daemon.library.passages import TARGET, count, passages


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in passages(text)]


def test_short_paragraphs_are_gathered_and_long_ones_cut_at_sentences() -> None:
    assert cut("One paragraph.\n\nAnother one.") == ["One paragraph.\n\nAnother one."]
    long = " ".join(["A sentence of six words here."] * 60)
    pieces = cut(f"Before.\n\n{long}\n\nAfter.")
    assert all(count(piece) <= TARGET for piece in pieces)
    assert all(piece.rstrip().endswith(".") for piece in pieces)
    assert " ".join(" ".join(pieces).split()) == f"Before. {long} After."


def test_what_has_no_sentences_and_no_spaces_is_cut_all_the_same() -> None:
    assert all(count(piece) <= TARGET for piece in cut("word " * 1000))
    assert all(len(piece) <= 2400 for piece in cut("x" * 10_000))
    chinese = "这是一个句子。" * 400
    assert all(count(piece) <= TARGET + 1 for piece in cut(chinese))
    assert "".join(cut(chinese)) == chinese


def test_blank_texts_have_no_passages() -> None:
    assert passages("") == passages(" \n\n ") == []
