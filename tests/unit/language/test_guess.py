"""Which language a text is in."""

import pytest

from daemon.language.guess import guess, languages_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox is not what it was", "en"),
        ("Der Hund ist nicht mit dem Mann gegangen", "de"),
        ("Les chats sont dans la maison avec des souris", "fr"),
        ("El perro no es de la casa que vimos ayer", "es"),
        ("De hond is niet van het huis", "nl"),
        ("今天研究推荐系统的冷启动", "zh"),
        ("日本語の文章を書く", "ja"),
        ("안녕하세요 오늘 날씨가", "ko"),
        ("วันนี้อากาศดีมาก", "th"),
        ("Это не собака, а кошка", "ru"),
        ("Це не собака, а кішка, що спить у домі та їсть", "uk"),
        ("rust async", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_detected_from_script_and_short_words(text: str, language: str) -> None:
    assert guess(text) == language


def test_the_languages_of_many_texts_stand_by_script_the_most_frequent_first() -> None:
    german = "Der Hund ist nicht mit dem Mann gegangen"
    texts = [german, german, "The quick brown fox is not what it was", "研究推荐系统的冷启动"]

    assert languages_of(texts) == {"en": ["de", "en"], "zh": ["zh"]}
