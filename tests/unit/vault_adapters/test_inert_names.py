"""A title from anywhere becomes a file name that works everywhere."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_adapters.inert import NAME_BYTES, safe_name

FORBIDDEN = set('[]#^|\\/:*?"<>%{}`') | {chr(n) for n in range(32)} | {"\x7f", "\u200b", "\u202e"}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Cooperative scheduling in Rust", "Cooperative scheduling in Rust"),
        ("../../etc/passwd", "-..-etc-passwd"),
        ("a/b\\c", "a-b-c"),
        ("Sleep: a review | Journal", "Sleep- a review - Journal"),
        ("[[x]] #tag ^id <% tp %>", "((x)) tag id tp"),
        ("  ... dots and spaces ...  ", "dots and spaces"),
        (".hidden", "hidden"),
        ("~$open.docx", "$open.docx"),
        ("CON", "CON_"),
        ("nul.tar.gz", "nul_.tar.gz"),
        ("com¹", "com¹_"),
        ("Console", "Console"),
        ("README.md", "README"),
        ("x.MD.md", "x"),
        ("", "Untitled"),
        ("???", "Untitled"),
        ("\u200b\u202e", "Untitled"),
        ("two\nlines\tand tabs", "two lines and tabs"),
        ("cafe\u0301", "café"),
        ("gnp\u202eexe.txt", "gnpexe.txt"),
        ("grave \u1fef", "grave '"),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert safe_name(title) == name


@given(st.text(), st.integers(min_value=20, max_value=240))
def test_any_title_becomes_a_safe_name(title: str, max_bytes: int) -> None:
    name = safe_name(title, max_bytes=max_bytes)
    assert name
    assert not set(name) & FORBIDDEN
    assert name == unicodedata.normalize("NFC", name) == name.strip(" .~")
    assert len(name.encode()) <= max_bytes
    assert safe_name(name, max_bytes=max_bytes) == name


@given(st.text(max_size=400))
def test_any_name_can_be_written_with_a_number_after_it(title: str) -> None:
    assert len(f"{safe_name(title)} 12345.md".encode()) <= 143


def test_a_name_is_truncated_at_grapheme_boundaries() -> None:
    assert safe_name("日" * 200, max_bytes=20) == "日" * 6
    assert safe_name("e\u0323\u0301" * 50, max_bytes=24) == "\u1eb9\u0301" * 4
    assert safe_name("👍🏽" * 10, max_bytes=29) == "👍🏽" * 3
    assert safe_name("🇦🇹" * 10, max_bytes=30) == "🇦🇹" * 3


def test_the_longest_name_can_really_be_written(tmp_path: Path) -> None:
    path = tmp_path / f"{safe_name('語' * 500)} 12345.md"
    path.write_text("x", encoding="utf-8")
    assert path.exists()
    assert len(safe_name("語" * 500).encode()) > NAME_BYTES - 5


def test_another_suffix_is_taken_off_too() -> None:
    assert safe_name("drawing.canvas", suffix=".canvas") == "drawing"
    assert safe_name("notes.md", suffix="") == "notes.md"
