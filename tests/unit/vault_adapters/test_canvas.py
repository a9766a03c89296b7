import json

import pytest

from vault_adapters.canvas import parse_canvas
from vault_adapters.note import LinkKind, Note


def canvas(*nodes: dict[str, object]) -> Note:
    return parse_canvas("Maps/My map.canvas", json.dumps({"nodes": nodes, "edges": []}).encode())


def test_a_card_that_shows_a_file_is_a_link_to_it() -> None:
    note = canvas({"id": "f", "type": "file", "file": "A/C# notes.md", "subpath": "#Part"})
    (link,) = note.links
    assert (link.target, link.subpath, link.kind, link.key) == (
        "A/C# notes.md", "#Part", LinkKind.CANVAS, "f",
    )  # fmt: skip


def test_cards_of_text_are_markdown_each_for_itself_and_labels_are_none() -> None:
    note = canvas(
        {"type": "text", "text": "```\n[[no]]"},
        {"type": "text", "text": "# H\n![[b]] #tag"},
        {"type": "group", "label": "Group [[c]]"},
        {"type": "link", "url": "https://example.org"},
    )
    assert note.text == "```\n[[no]]\n\n# H\n![[b]] #tag\n\nGroup [[c]]"
    assert [(link.target, link.kind, link.line) for link in note.links] == [
        ("b", LinkKind.EMBED, 4),
    ]
    assert [(heading.text, heading.line) for heading in note.headings] == [("H", 3)]
    assert [tag.line for tag in note.tags] == [4]
    assert note.title == "My map"


@pytest.mark.parametrize(
    ("data", "trouble"),
    [
        (b"", ""),
        (b"{}", ""),
        (b"{", "invalid canvas"),
        (b"[]", "no list of nodes"),
        (b'{"nodes": {}}', "no list of nodes"),
        (b'{"nodes": [1, {"type": "file", "file": 3}, {"type": "text"}]}', ""),
        (b"[" * 100_000, "invalid canvas"),
        (b'{"nodes": [{"type": "text", "text": "\\ud800 \\u0000"}]}', ""),
    ],
)
def test_a_broken_canvas_is_read_as_far_as_it_goes(data: bytes, trouble: str) -> None:
    note = parse_canvas("a.canvas", data)
    assert trouble in note.trouble
    assert bool(note.trouble) == bool(trouble)
    note.text.encode()
