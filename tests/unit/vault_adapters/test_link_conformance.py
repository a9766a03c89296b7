"""Obsidian's rules of links, case by case; the numbers are those of its conformance list."""

from collections import Counter

import pytest

from vault_adapters.canvas import parse_canvas
from vault_adapters.links import LinkResolver
from vault_adapters.markdown import parse_note
from vault_adapters.note import LinkKind, Note

SOURCE = "Notes/source.md"
VAULT = (
    SOURCE,
    "Elsewhere/wiki.md",
    "Test Data/n.md",
    "Manual Testing/Name With Spaces.md",
    "Elsewhere/link_in_yaml.md",
    "Files/a_pdf_file.pdf",
    "Elsewhere/a.md",
    "Drawings/x.md",
    "Twins/Case.md",
    "Twins/case.md",
)


def read(text: str) -> Note:
    return parse_note(SOURCE, text.encode())


def edges(text: str) -> list[str | None]:
    resolver = LinkResolver(VAULT)
    return [resolver.resolve(link, SOURCE) for link in read(text).links]


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        pytest.param("[[wiki]]", "Elsewhere/wiki.md", id="1 a name, in any folder"),
        pytest.param("[x](wiki.md)", "Elsewhere/wiki.md", id="2 Markdown links too"),
        pytest.param("[[wiki.md]]", "Elsewhere/wiki.md", id="3 with suffix"),
        pytest.param("[[Test Data/n]]", "Test Data/n.md", id="4 a path from the root"),
        pytest.param("[a](Test%20Data/n.md)", "Test Data/n.md", id="5 percent-decoded"),
        pytest.param(
            "[a](Manual%20Testing/Name%20With%20Spaces#Heading)",
            "Manual Testing/Name With Spaces.md",
            id="6 without .md",
        ),
        pytest.param("[[liNk_in_YaMl]]", "Elsewhere/link_in_yaml.md", id="7 in any case"),
        pytest.param("[[#heading]]", SOURCE, id="8 the note itself"),
        pytest.param("[[#heading#sub]]", SOURCE, id="8 the note itself, deeper"),
        pytest.param("[[#^block]]", SOURCE, id="8 the note itself, a block"),
        pytest.param("[[wiki#h#sub]]", "Elsewhere/wiki.md", id="9 with subpath"),
        pytest.param("[[wiki#^b]]", "Elsewhere/wiki.md", id="9 with block"),
        pytest.param("[[|]]", None, id="11 only a bar"),
        pytest.param("[[|alias]]", None, id="11 a bar first"),
        pytest.param("[[|#alias]]", None, id="11 a bar and a mark"),
        pytest.param("[[pa#th/path/x]]", None, id="12 split at the first mark"),
        pytest.param("[[a_pdf_file.pdf]]", "Files/a_pdf_file.pdf", id="13 an attachment"),
        pytest.param("![[wiki]]", "Elsewhere/wiki.md", id="14 an embed"),
        pytest.param('---\nk: "[[wiki]]"\n---\n', "Elsewhere/wiki.md", id="15 a property"),
        pytest.param("## A link in a [[wiki]]", "Elsewhere/wiki.md", id="16 in a heading"),
        pytest.param("- x %% [[wiki]] %%", "Elsewhere/wiki.md", id="17 in an inline comment"),
        pytest.param("%%[[wiki]]%%", "Elsewhere/wiki.md", id="17 in a comment of one line"),
        pytest.param("[[no such note]]", None, id="29 a dangling link"),
        pytest.param("|a|\n|-|\n|[[a\\|b]]|", "Elsewhere/a.md", id="31 a bar in a table"),
        pytest.param("[[x.md#^frame=abc]]", "Drawings/x.md", id="33 Excalidraw"),
        pytest.param("[[wiki |x]] ", "Elsewhere/wiki.md", id="34 trimmed"),
        pytest.param("[[ wiki ]]", "Elsewhere/wiki.md", id="34 trimmed on both sides"),
        pytest.param("[[Case]]", "Twins/Case.md", id="39 twins: this one"),
        pytest.param("[[case]]", "Twins/case.md", id="39 twins: and that one"),
        pytest.param("\ufeff# H\n[[wiki]]", "Elsewhere/wiki.md", id="40 a byte order mark"),
    ],
)
def test_a_link_leads_where_obsidian_leads_it(text: str, leads_to: str | None) -> None:
    assert edges(text) == [leads_to]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("%%\n[[wiki]]\n%%", id="19 a comment block"),
        pytest.param("%%\n[[wiki]]", id="19 a comment block without end"),
        pytest.param("%% kanban:settings\n[[wiki]]\n%%", id="19 a comment block with a name"),
        pytest.param("<!-- [[wiki]] -->", id="20 an HTML comment"),
        pytest.param("text <!-- [[wiki]] --> text", id="20 an HTML comment in a line"),
        pytest.param("- [ ] x\n  ```\n  [[wiki]]\n  ```", id="21 code in a task"),
        pytest.param("`[[wiki]]` ``a ` [[wiki]]``", id="21 code in a line"),
        pytest.param("    [[wiki]]", id="21 indented code"),
        pytest.param("$$\n[[wiki]]\n$$", id="math"),
        pytest.param("$$ \\frac\n[[wiki]]\n\nand on", id="math that never ends"),
        pytest.param("so $a[[wiki]]$ it is", id="math in a line"),
        pytest.param("[x](https://example.org/wiki)", id="22 an address"),
        pytest.param("[x](mailto:a@b.c) ![y](data:image/png;base64,AA)", id="22 other addresses"),
        pytest.param("[]() [alias]() [[]]", id="empty links"),
        pytest.param("\\[\\[wiki\\]\\] \\[[wiki]]", id="escaped"),
        pytest.param("[[wi\nki]]", id="over two lines"),
        pytest.param("<div>\n[[wiki]]\n</div>", id="an HTML block"),
        pytest.param('<a title="[[wiki]]">x</a>', id="an HTML attribute"),
        pytest.param('---\nk: "see [[wiki]]"\n---\n', id="a property that is more than a link"),
        pytest.param("---\nk: [[wiki]]\n---\n", id="a property that is a list in a list"),
    ],
)
def test_what_only_looks_like_a_link_is_none(text: str) -> None:
    assert edges(text) == []


def test_10_what_follows_the_first_bar_is_the_text_shown() -> None:
    (link,) = read("[[#h#s||text]]").links
    assert (link.target, link.subpath, link.display) == ("", "#h#s", "|text")


def test_12_the_target_ends_at_the_first_mark() -> None:
    (link,) = read("[[pa#th/path/x]]").links
    assert (link.target, link.subpath) == ("pa", "#th/path/x")


def test_14_an_embed_is_no_link_but_an_edge() -> None:
    assert [link.kind for link in read("![[wiki]] ![x](a.png)").links] == [LinkKind.EMBED] * 2


def test_15_a_property_says_under_which_key_it_stands() -> None:
    note = read('---\nk: "[[a]]"\nl:\n  - x\n  - "[[b]]"\nm: {n: "[[c]]"}\n---\n')
    assert [(link.target, link.key, link.line) for link in note.links] == [
        ("a", "k", 1),
        ("b", "l.1", 4),
        ("c", "m.n", 5),
    ]


def test_16_a_heading_keeps_its_link_in_its_text() -> None:
    assert [heading.text for heading in read("## A [[x]] ##").headings] == ["A [[x]]"]


def test_18_a_tag_in_a_comment_counts() -> None:
    note = read("- a %% #one %%\n\n%%\n#two [[a]]\n%%\n")
    assert [(tag.name, tag.line) for tag in note.tags] == [("#one", 0), ("#two", 3)]


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        pytest.param("tags: a, b", [], id="23 two on one line"),
        pytest.param("tags: single", ["#single"], id="24 one"),
        pytest.param("tags: [a, '#b']", ["#a", "#b"], id="25 a list"),
        pytest.param("tags:\n  - a\n  - b/c", ["#a", "#b/c"], id="25 a list on lines"),
        pytest.param("TAG: [a]\nALIAS: [b]", [], id="26 upper case"),
        pytest.param("tags: [2023, y2023, null]", ["#y2023"], id="no tag is only a number"),
        pytest.param("tags:", [], id="none"),
    ],
)
def test_properties_hold_tags(yaml: str, tags: list[str]) -> None:
    assert [tag.name for tag in read(f"---\n{yaml}\n---\n").tags] == tags


@pytest.mark.parametrize(
    ("yaml", "aliases"),
    [
        pytest.param("aliases: a, b", ("a, b",), id="27 one text is one name"),
        pytest.param("aliases: [a, b, a]", ("a", "b"), id="a list"),
        pytest.param("ALIAS: [a]", (), id="26 upper case"),
    ],
)
def test_properties_hold_aliases(yaml: str, aliases: tuple[str, ...]) -> None:
    assert read(f"---\n{yaml}\n---\n").aliases == aliases


def test_28_a_canvas_links_to_the_files_on_it() -> None:
    canvas = '{"nodes": [{"id": "1", "type": "file", "file": "Test Data/n.md"}]}'
    (link,) = parse_canvas("c.canvas", canvas.encode()).links
    assert link.kind == LinkKind.CANVAS
    assert LinkResolver(VAULT).resolve(link, "c.canvas") == "Test Data/n.md"


def test_30_repeated_links_are_all_kept() -> None:
    assert Counter(edges("[[wiki]] [[wiki]]\n\n[x](wiki.md)")) == {"Elsewhere/wiki.md": 3}


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        pytest.param("[[1,3],[10,16]]", ["1,3],[10,16"], id="32 single brackets inside"),
        pytest.param("[[[[notion]]|[[noti]]on]]", ["[notion", "noti"], id="brackets in brackets"),
        pytest.param("[[a `[[` b]]", [], id="code in brackets"),
        pytest.param("[[a]]]", ["a"], id="one bracket too many"),
    ],
)
def test_32_brackets_in_links(text: str, targets: list[str]) -> None:
    assert [link.target for link in read(text).links] == targets


def test_36_an_alias_is_no_name() -> None:
    resolver = LinkResolver(["Notes/Name.md"])
    (link,) = read("[[Alias]]").links
    assert resolver.resolve(link, SOURCE) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x\n---\nk: v\n---\n[[wiki]]", id="not on the first line"),
        pytest.param("---\ntags:\ta\n\tb: c\n---\n[[wiki]]", id="a tab"),
        pytest.param("---\na: 1\na: 2\n---\n[[wiki]]", id="a key twice"),
        pytest.param("---\ndate: {{date}}\nx: <% tp.date %>\n---\n[[wiki]]", id="a template"),
        pytest.param("---\ndate: 2023-13-45\n---\n[[wiki]]", id="an impossible date"),
        pytest.param("---\na: 'b\n---\n[[wiki]]", id="a quote without end"),
        pytest.param("---\na: b\n[[wiki]]", id="no end"),
        pytest.param("---\n- a\n---\n[[wiki]]", id="a list"),
        pytest.param("---\nonly words\n---\n[[wiki]]", id="a text"),
    ],
)
def test_38_the_body_is_read_whatever_the_frontmatter_is(text: str) -> None:
    assert "Elsewhere/wiki.md" in edges(text)
