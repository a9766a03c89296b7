import pytest

from vault_adapters.markdown import parse_note
from vault_adapters.plain import PlainResolver

VAULT = (
    "notes/source.md",
    "notes/other.md",
    "notes/My Note.md",
    "top.md",
    "deep/README.md",
    "deep/far/unique name.md",
    "deep/old.markdown",
    "img/Pic.PNG",
)


def edges(text: str) -> list[str | None]:
    note = parse_note("notes/source.md", text.encode(), plain=True)
    resolver = PlainResolver(VAULT)
    return [resolver.resolve(link, note.path) for link in note.links]


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        ("[x](other.md)", "notes/other.md"),
        ("[x](other)", "notes/other.md"),
        ("[x](./other.md#part)", "notes/other.md"),
        ("[x](My%20Note.md)", "notes/My Note.md"),
        ("[x](../top.md)", "top.md"),
        ("[x](/top.md)", "top.md"),
        ("[x](../deep/)", "deep/README.md"),
        ("[x](../deep/old)", "deep/old.markdown"),
        ("[x](#part)", "notes/source.md"),
        ("![x](../img/pic.png)", "img/Pic.PNG"),
        ("[x](top.md)", None),
        ("[x](deep/old)", "deep/old.markdown"),
        ("[x](../../deep/old)", None),
        ("[x](../../top.md)", None),
        ("[x](unique%20name.md)", None),
        ("[[unique name]]", "deep/far/unique name.md"),
        ("[[deep/far/unique name|shown]]", "deep/far/unique name.md"),
        ("A [X].\n\n[x]: other.md 'title'", "notes/other.md"),
    ],
)
def test_markdown_links_are_paths_and_wikilinks_are_names(text: str, leads_to: str | None) -> None:
    assert edges(text) == [leads_to]


@pytest.mark.parametrize(
    "text",
    [
        *("[x](https://a.b)", "[^1]: other.md", "[x]\n\n[x]: https://a.b", "[x] a [x]: b"),
        *("[x]: other.md", "[x]", "[x][y]\n\n[x]: other.md"),
    ],
)
def test_other_things_are_no_links(text: str) -> None:
    assert edges(text) == []
