"""Which languages the notes of a vault are in."""

import pytest

from daemon.language.detect import detect, listed

CODE = (
    "def foo(x): return x + 1\nfor i in range(10): print(foo(i))\nclass Bar: pass\nimport os, sys"
)
MIXED = (
    "Dies ist eine Notiz über das Wetter. 今天天气很好。 Сегодня хорошая погода. 今日は天気がいい。"
)
BASQUE = "Euskara Euskal Herrian hitz egiten den hizkuntza da, eta ez du ahaide ezagunik munduan."


@pytest.mark.parametrize(
    ("text", "among"), [(CODE, {"English"}), (MIXED, {"German", "Chinese"}), (BASQUE, {"Basque"})]
)
def test_a_note_is_in_a_language_that_has_a_name(text: str, among: set[str]) -> None:
    (found,) = detect([text])
    assert listed({found: 1.0}).removesuffix(" 100 %") in among


def test_texts_with_few_letters_and_languages_of_few_texts_do_not_count() -> None:
    english = "Here is a plain note about the garden and what grows in it."
    assert detect([english] * 20 + [BASQUE, "12 34"]) == {"en": 1.0}
