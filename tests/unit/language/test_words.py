"""Words and segments of every script."""

import pytest

from daemon.language.words import segments, words


def test_words_keep_their_marks_apostrophes_and_signs() -> None:
    assert words("C++ and Node.js don’t हिन्दी भाषा") == [
        "C++", "and", "Node.js", "don’t", "हिन्दी", "भाषा",
    ]  # fmt: skip


def test_a_spaceless_run_is_one_word() -> None:
    assert words("推荐系统 with Rust") == ["推荐系统", "with", "Rust"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("研究推荐系统的冷启动", ["研究", "推荐", "系统", "的", "冷启动"]),
        ("東京から大阪まで行く", ["東京", "から", "大阪", "まで", "行く"]),
        ("วันนี้อากาศดีมาก", ["วัน", "นี้", "อากาศ", "ดี", "มาก"]),
        ("plain English, nothing else", ["plain", "English", "nothing", "else"]),
        ("한국어 문장", ["한국어", "문장"]),
    ],
)
def test_segments_are_the_words_of_scripts_without_spaces(text: str, expected: list[str]) -> None:
    assert segments(text) == expected


def test_a_line_of_japanese_does_not_change_how_chinese_is_segmented() -> None:
    assert segments("日本語の文章\n研究推荐系统")[-3:] == ["研究", "推荐", "系统"]
