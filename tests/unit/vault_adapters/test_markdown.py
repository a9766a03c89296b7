import json
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault_adapters import adapters
from vault_adapters.base import VaultAdapter
from vault_adapters.canvas import parse_canvas
from vault_adapters.markdown import parse_note
from vault_adapters.note import Note

# What Markdown, YAML and Obsidian give a meaning to, in pieces.
PIECES = st.sampled_from(
    [
        *"[]()!#^|`$%<>\\-*_~:\"'&/{}?\t\n\r\0 ",
        *("[[", "]]", "![[", "](", "%%\n", "$$", "```\n", "---\n", "- ", "> ", "| a |\n|-|\n"),
        *("<!--", "-->", "<div>\n", "    ", "[^1]: ", "a", "é", "e\u0301", "\ufeff", "\u2028"),
        *("&a ", "*a", "? ", "!x ", "key: ", "tags: ", "\U0001f340", "\ud7ff", "===\n", "1. "),
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


def graph(note: Note) -> object:
    links = [(x.target, x.subpath, x.kind, x.line) for x in note.links]
    return links, [h.line for h in note.headings], [t.line for t in note.tags], note.body_line


@given(TEXTS)
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_breaks_the_parser(text: str) -> None:
    note = parse_note("a.md", text.encode())
    json.dumps([dict(note.frontmatter), note.aliases], allow_nan=False).encode()
    lines = note.text.count("\n")
    found = [link.line for link in note.links] + [tag.line for tag in note.tags]
    found += [heading.line for heading in note.headings] + [block.line for block in note.blocks]
    assert all(0 <= line <= lines for line in found)


@given(TEXTS)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_frontmatter_breaks_the_parser(text: str) -> None:
    note = parse_note("a.md", f"---\n{text}\n---\n[[body]]".encode())
    json.dumps(dict(note.frontmatter), allow_nan=False).encode()


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_bytes_break_the_parsers(data: bytes) -> None:
    parse_note("a.md", data)
    parse_canvas("a.canvas", data)


@given(TEXTS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_card_with_any_text_is_read(text: str) -> None:
    parse_canvas("a.canvas", json.dumps({"nodes": [{"type": "text", "text": text}]}).encode())


NOTE = '---\nup: "[[Café]]"\n---\n# Café\n\nSee [[Café#Été|x]] and ![y](a%20b.md).\n\n#tag ^id\n'


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(NOTE.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(NOTE.replace("\n", "\r").encode(), id="CR"),
        pytest.param(NOTE.replace("\n", "\r\n", 3).encode(), id="mixed line ends"),
        pytest.param(b"\xef\xbb\xbf" + NOTE.encode(), id="byte order mark"),
        pytest.param(NOTE.encode("utf-16"), id="UTF-16"),
    ],
)
def test_the_form_of_the_bytes_does_not_change_the_graph(other: bytes) -> None:
    assert graph(parse_note("a.md", other)) == graph(parse_note("a.md", NOTE.encode()))


def test_a_note_in_nfd_links_to_the_same_targets() -> None:
    other = parse_note("a.md", unicodedata.normalize("NFD", NOTE).encode())
    targets = [link.target for link in parse_note("a.md", NOTE.encode()).links]
    assert [link.target for link in other.links] == targets


def test_what_is_wrong_with_a_note_is_reported() -> None:
    assert "not UTF-8 (the first at offset 2)" in parse_note("a.md", b"ab\xff[[c]]").trouble
    assert "NUL" in parse_note("a.md", b"a\0b").trouble
    assert "line 3" in parse_note("a.md", b"---\na: b\nc: d: e\n---\n").trouble
    assert "'a' is there twice" in parse_note("a.md", b"---\na: 1\na: 2\n---\n").trouble
    assert "is a list" in parse_note("a.md", b"---\n- a\n---\n").trouble
    assert parse_note("a.md", b"---\na: 1\n---\n[[x]]").trouble == ""


def test_a_note_keeps_its_whole_text_and_says_where_the_body_begins() -> None:
    note = parse_note("folder/My note.v2.md", b"---\na: 1\n---\nbody [[x]]")
    assert (note.title, note.body_line, note.links[0].line) == ("My note.v2", 3, 3)
    assert note.text == "---\na: 1\n---\nbody [[x]]"


def test_an_empty_note_is_a_note() -> None:
    assert parse_note("a.md", b"").links == ()
    assert parse_note("a.md", b"---\n---").frontmatter == {}


def test_only_headings_outside_of_lists_and_quotes_count() -> None:
    note = parse_note("a.md", b"# A #\n- ## B\n\n> # C\n\nD\n===\n\nE\nF\n---\n\n####### G\n#H\n")
    assert [(h.text, h.level, h.line) for h in note.headings] == [("A", 1, 0), ("D", 1, 5)]


def test_blocks_are_known_by_their_id() -> None:
    note = parse_note("a.md", b"one\ntwo ^first\n\n- item ^second-2\n\nno ^mid dle\n\n`x` ^b_d\n")
    assert [(b.id, b.line) for b in note.blocks] == [("first", 1), ("second-2", 3)]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a-b_c/d é#no #é #🍀", ["#a-b_c/d", "#é", "#🍀"]),
        ("#2023 #2023w ##no # no", ["#2023w"]),
        ("(#no) x,#no **#yes** [[a]]#yes", ["#yes", "#yes"]),
        ("\\#no \\[#yes `#no` https://x.org/#no", ["#yes"]),
        ("#标签。 #a.b #a:b", ["#标签。", "#a", "#a"]),
    ],
)
def test_tags_stand_after_a_space_and_hold_no_punctuation(text: str, tags: list[str]) -> None:
    assert [tag.name for tag in parse_note("a.md", text.encode()).tags] == tags


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[a](<b c.md>) [a](b%20c.md 'title') [a](b\\ c.md)", ["b c.md", "b c.md"]),
        ("[a](b(1).md) [a](b(1.md)", ["b(1).md"]),
        ("[![alt](i.png)](n.md)", ["n.md", "i.png"]),
        ("[a [b](c.md)](d.md)", ["c.md"]),
        ("[a](100%.md) [a](%ff.md)", ["100%.md", "%ff.md"]),
        ("[a](b&amp;c.md)", ["b&c.md"]),
        ("[^1] and\n\n[^1]: [[n]]\n\n    [[m]]", ["n", "m"]),
    ],
)
def test_markdown_links(text: str, targets: list[str]) -> None:
    assert [link.target for link in parse_note("a.md", text.encode()).links] == targets


@pytest.mark.parametrize(
    "unit",
    [
        *("[", "[[", "[[a", "![", "`a", "$a", "$a $", "<a ", '<a x="', "<!--", "](", "[a](b"),
        *('[a](b "', "> ", "%%\n", "$$\n", "\\", "| a |\n|-|\n", "#a ", "[^1]: ", "&a"),
        "- [[a]]\n",
    ],
)
def test_a_hundred_kilobytes_of_any_input_are_parsed_quickly(unit: str) -> None:
    data = (unit * (100_000 // len(unit))).encode()
    began = time.process_time()
    parse_note("a.md", data)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("adapter", tuple(adapters()), ids=lambda adapter: str(adapter.name))
@pytest.mark.parametrize(
    ("opens", "closes"),
    [("[", "]"), ("[[", "]]"), ("![a", "](b)"), ("[a", "](b)"), ("[a\n", "][b]"), ("((", "))")],
)
def test_deep_nesting_does_not_slow_down_parsing(
    adapter: Callable[..., VaultAdapter], opens: str, closes: str
) -> None:
    vault = adapter(Path("nowhere"))
    data = (opens * 30_000 + closes * 30_000).encode()
    began = time.process_time()
    note = vault.parse("a.md", data)
    assert sum(len(link.display or "") for link in note.links) < 50_000_000
    assert time.process_time() - began < 5


LAUGHS = "a0: &a0 [ha]\n" + "\n".join(
    f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}, *a{n}]" for n in range(12)
)


@pytest.mark.parametrize(
    "yaml",
    [
        "a: " + "[" * 100_000,
        "a: " + "[" * 20_000 + "]" * 20_000,
        "a: " + '["]",' * 50_000,
        "- " * 300_000,
        "? " * 100_000,
        "\n".join(" " * depth + "a:" for depth in range(1500)),
        "a: &a [x, x]\n" + "\n".join(f"b{n}: &b{n} [*a, *a]" for n in range(5)),
        LAUGHS,
        f"{LAUGHS}\n? *a12\n: 1",
        "a: &a [*a]",
        "a: " + "9" * 10_000,
    ],
)
def test_hostile_yaml_is_handled(yaml: str) -> None:
    began = time.process_time()
    note = parse_note("a.md", f"---\n{yaml}\n---\n[[x]]".encode())
    assert len(json.dumps(dict(note.frontmatter))) < 1_000_000
    assert [link.target for link in note.links] == ["x"]
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("body", "links"),
    [
        ("- x\n  $$\n  y\n- [[b]]\n", ["b"]),
        ("- x\n  %%\n  y\n- [[b]]\n\n[[c]]\n", ["b", "c"]),
        ("[^1]: x\n    $$\n    y\n\n[[b]]\n", ["b"]),
        ("- x\n  $$\n- [[a]]\n\n$$\n[[b]]\n$$\n", ["a"]),
        ("- x\n  $$\n  [[a]]\n\n  [[b]]\n  $$\n  [[c]]\n", ["c"]),
        ("$$\n[[a]]\n- [[b]]\n", []),
    ],
)
def test_math_or_a_comment_that_is_left_open_ends_with_its_item(
    body: str, links: list[str]
) -> None:
    assert [link.target for link in parse_note("a.md", body.encode()).links] == links


def test_only_ascii_digits_are_no_tag() -> None:
    note = parse_note("a.md", "---\ntags: ['①', '12']\n---\n#１２ #12 #٣ #1a\n".encode())
    assert [tag.name for tag in note.tags] == ["#①", "#１２", "#٣", "#1a"]
