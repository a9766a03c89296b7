"""TOML between `+++`: properties of the note, bounded, and text to Obsidian."""

import json

import pytest

from daemon.index.chunk import chunk_note
from vault_adapters.markdown import parse_note
from vault_adapters.naming import display_name, headings_of
from vault_adapters.toml_core import MAX_LENGTH, load_toml

HUGO = """+++
title = "An opinionated guide to ML research"
tags = ["machine-learning", "research"]
aliases = ["ML guide"]
date = 2020-02-19T16:31:07+08:00
weight = inf
[[menu.main]]
  # a comment
  name = "guide"
+++

# Choosing a problem {#choosing-a-problem}

It is hard. [[Taste]]
"""


def test_toml_between_pluses_is_read_as_properties() -> None:
    note = parse_note("ml_guide.md", HUGO.encode())
    assert display_name(note) == "An opinionated guide to ML research"
    assert [tag.name for tag in note.tags] == ["#machine-learning", "#research"]
    assert note.aliases == ("ML guide",)
    assert note.frontmatter["date"] == "2020-02-19T16:31:07+08:00"
    assert json.loads(json.dumps(note.frontmatter, allow_nan=False)) == note.frontmatter
    assert note.body_line == 10
    assert not note.trouble


def test_toml_is_no_text_to_a_reader_and_text_to_obsidians_link_graph() -> None:
    note = parse_note("ml_guide.md", HUGO.encode())
    assert [link.target for link in note.links] == ["menu.main", "Taste"]
    assert [(chunk.heading, chunk.text) for chunk in chunk_note(note)] == [
        ("Choosing a problem", "It is hard. [[Taste]]")
    ]
    outside = parse_note("ml_guide.md", HUGO.encode(), plain=True)
    assert [link.target for link in outside.links] == ["Taste"]
    assert outside.body_line == 10


def test_a_heading_is_named_without_attributes_and_linked_as_it_is_written() -> None:
    text = "# Goals {#goals}\n\n## Plan {: #plan .x}\n\n## Notes {-}\n\n## f{x}\n\n## C# ##\n"
    note = parse_note("x.md", text.encode())
    assert [each.text for each in headings_of(note)] == ["Goals", "Plan", "Notes", "f{x}", "C#"]
    assert note.headings[0].text == "Goals {#goals}"


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "+++\nx = \n+++\ntext",
        "+++\nx = 1\ntext",
        f"+++\nx = {'[' * 5_000}\n+++\ntext",
        f"+++\nx = {'[' * 300}{']' * 300}\n+++\ntext",
        f"+++\n{'a.' * 5_000}a = 1\n+++\ntext",
        f"+++\nx = {'9' * 5_000}\n+++\ntext",
        f'+++\nx = "{"y" * MAX_LENGTH}"\n+++\ntext',
    ],
)
def test_what_is_no_sound_toml_stays_text(source: str) -> None:
    note = parse_note("x.md", source.encode())
    assert (note.frontmatter, note.body_line) == ({}, 0)


def test_numbers_that_a_store_cannot_hold_are_texts() -> None:
    assert load_toml("a = 9223372036854775808\nb = 1\nc = nan\nd = 07:30:00") == {
        "a": "9223372036854775808",
        "b": 1,
        "c": "nan",
        "d": "07:30:00",
    }


def test_lacunas_own_properties_are_never_in_toml() -> None:
    assert load_toml('lacuna_id = "x"\ntitle = "Y"') == {"title": "Y"}
