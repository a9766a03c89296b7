import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from daemon.store.query import count_words, fold

SIGNS = "，：（）！？；～。中文かがカﾊﾟé\u0301＜\u0338 a>x¼™ก"


@given(st.text(SIGNS, max_size=12))
def test_a_folded_text_is_in_its_normal_form_with_spaces_around_what_has_none(text: str) -> None:
    normal = unicodedata.normalize("NFKC", text)

    folded = fold(text)

    assert folded.replace(" ", "") == normal.replace(" ", "")
    assert len(folded.split()) == count_words(normal)
    assert unicodedata.is_normalized("NFKC", folded)


def test_each_sign_of_a_script_without_spaces_is_a_word() -> None:
    assert fold("学习Python，Ａ").split() == ["学", "习", "Python,A"]
