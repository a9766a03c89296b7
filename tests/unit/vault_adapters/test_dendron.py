"""Dendron's workspaces, as Dendron reads them."""

from pathlib import Path

import pytest

from vault_adapters.dendron import DendronAdapter
from vault_adapters.dendron_settings import read_settings
from vault_adapters.note import LinkKind, Note, Role

TWO_VAULTS = """
version: 5
commands:
  templateHierarchy: templates
workspace:
  vaults:
    - fsPath: one
      name: first
    - fsPath: other/two
    - fsPath: own
      selfContained: true
    - fsPath: ../elsewhere
      name: away
  journal:
    dailyDomain: log
    name: day
    dateFormat: y-MM-dd
"""
TARGETS = ("root.md", "a.b.md", "foo.md", "FOO.bar.md", "assets/i.png", "assets/note.md")


def write(root: Path, *paths: str, text: str = "") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@pytest.fixture
def workspace(tmp_path: Path) -> DendronAdapter:
    """A workspace with one vault, in its folder `vault`."""
    write(
        tmp_path, "dendron.yml", text="workspace:\n  vaults:\n    - fsPath: vault\n      name: v\n"
    )
    write(tmp_path, "README.md", "src/main.py", *(f"vault/{path}" for path in TARGETS))
    return DendronAdapter(tmp_path)


def note(workspace: DendronAdapter, text: str) -> Note:
    return workspace.parse("vault/source.md", text.encode())


def leads_to(workspace: DendronAdapter, text: str, source: str = "vault/foo.md") -> str | None:
    resolver = workspace.resolver([file.path for file in workspace.scan().files])
    (link,) = workspace.parse(source, text.encode()).links
    return resolver.resolve(link, source)


@pytest.mark.parametrize(
    ("text", "target", "subpath", "display"),
    [
        ("[[a.b]]", "a.b", "", None),
        ("[[An alias|a.b]]", "a.b", "", "An alias"),
        ("[[C# and > | a.b | more]]", "a.b", "", "C# and >"),
        ("[[alias|a.b#head]]", "a.b", "#head", "alias"),
        ("[[#head]]", "", "#head", None),
        ("[[alias|#^block]]", "", "#^block", "alias"),
        ("[[alias|dendron://v/a.b#head]]", "dendron://v/a.b", "#head", "alias"),
        ("![[a.b#from,1:#to]]", "a.b", "#from,1:#to", None),
        ("[[ alias \\| a.b ]]", "a.b", "", "alias"),
        ("[text]([[alias|a.b]])", "a.b", "", "text"),
        ("[text](a.b.md#x)", "./a.b.md", "#x", "text"),
    ],
)
def test_the_alias_of_a_link_stands_first(
    workspace: DendronAdapter, text: str, target: str, subpath: str, display: str | None
) -> None:
    (link,) = note(workspace, text).links
    assert (link.target, link.subpath, link.display) == (target, subpath, display)
    assert link.kind is (LinkKind.EMBED if text.startswith("!") else LinkKind.LINK)


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]`",
        "```\n[[a]]\n```",
        "<!-- [[a]] -->",
        "[[x|https://a.b]]",
        "[x](https://a.b)",
        "[[ ]]x",
    ],
)
def test_other_things_are_no_links(workspace: DendronAdapter, text: str) -> None:
    assert [link for link in note(workspace, text).links if link.target.strip()] == []


def test_tags_are_links_to_the_notes_of_that_name(workspace: DendronAdapter) -> None:
    found = note(
        workspace, "---\ntags: [one.two, three]\n---\n#four.five. (#no) a#no #1 @ann.b, x@y @ `#no`"
    )
    assert [(link.target, link.display, link.kind) for link in found.links] == [
        ("tags.one.two", "one.two", LinkKind.TAG),
        ("tags.three", "three", LinkKind.TAG),
        ("tags.four.five", "#four.five", LinkKind.TAG),
        ("user.ann.b", "@ann.b", LinkKind.TAG),
    ]
    assert [tag.name for tag in found.tags] == ["#one.two", "#three", "#four.five"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        *(
            ("[[a.b]]", "vault/a.b.md"),
            ("[[A.B.md]]", "vault/a.b.md"),
            ("[[x|foo.bar]]", "vault/FOO.bar.md"),
        ),
        *(("[[a/b]]", "vault/a.b.md"), ("[[dendron://v/a.b]]", "vault/a.b.md"), ("[[a]]", None)),
        *(
            ("[[dendron://w/a.b]]", None),
            ("[[#x]]", "vault/foo.md"),
            ("![[root]]", "vault/root.md"),
        ),
        *(("![[a.*]]", "vault/a.b.md"), ("![[z.*]]", None), ("[[note]]", None)),
        *(("[[src/main.py]]", "src/main.py"), ("[[assets/i.png]]", "vault/assets/i.png")),
        *(
            ("![](/assets/i.png)", "vault/assets/i.png"),
            ("![](assets/i.png)", "vault/assets/i.png"),
        ),
        *(
            ("[x](a.b.md)", "vault/a.b.md"),
            ("[x](a.b)", "vault/a.b.md"),
            ("[x](../README.md)", "README.md"),
        ),
        *(("[x](/src/main.py)", "src/main.py"), ("[x](../../y)", None)),
        *(("[x]\n\n[x]: a.b.md", "vault/a.b.md"), ("#b", None)),
    ],
)
def test_links_lead_to_notes_by_name_and_to_files_by_path(
    workspace: DendronAdapter, text: str, path: str | None
) -> None:
    assert leads_to(workspace, text) == path


def test_a_note_in_the_own_vault_comes_first(tmp_path: Path) -> None:
    write(tmp_path, "dendron.yml", text=TWO_VAULTS)
    write(tmp_path, "one/x.md", "other/two/x.md", "own/notes/y.md", "own/z.md", "elsewhere/x.md")
    workspace = DendronAdapter(tmp_path)
    assert leads_to(workspace, "[[x]]", "one/a.md") == "one/x.md"
    assert leads_to(workspace, "[[x]]", "other/two/a.md") == "other/two/x.md"
    assert leads_to(workspace, "[[x]]", "own/notes/a.md") == "one/x.md"
    assert leads_to(workspace, "[[dendron://two/x]]", "one/a.md") == "other/two/x.md"
    assert leads_to(workspace, "[[dendron://own/y]]", "one/a.md") == "own/notes/y.md"
    assert leads_to(workspace, "[[dendron://first/y]]", "one/a.md") is None
    assert leads_to(workspace, "[[dendron://away/x]]", "one/a.md") is None
    assert leads_to(workspace, "[[z]]", "one/a.md") is None


def test_only_what_lies_in_a_vault_is_a_note(tmp_path: Path) -> None:
    write(tmp_path, "dendron.yml", text=TWO_VAULTS)
    expected = {
        "one/root.md": Role.NOTE,
        "one/templates.x.md": Role.TEMPLATE,
        "one/log.day.2026-11-16.md": Role.DAILY,
        "one/daily.journal.2026.11.16.md": Role.NOTE,
        "one/x.schema.yml": Role.ATTACHMENT,
        "one/assets/deep.md": Role.EXCLUDED,
        "other/two/y.md": Role.NOTE,
        "own/z.md": Role.EXCLUDED,
        "own/notes/z.md": Role.NOTE,
        "README.md": Role.EXCLUDED,
        "one/board.canvas": Role.CANVAS,
    }
    write(tmp_path, *expected)
    roles = {file.path: file.role for file in DendronAdapter(tmp_path).scan().files}
    assert roles == {**expected, "dendron.yml": Role.ATTACHMENT}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\nid: x\ntitle: A Title\ndesc: ''\n---\n", "A Title"),
        ("---\ntitle: 2026\n---\n", "Long Name"),
        ("", "Long Name"),
    ],
)
def test_a_title_is_given_or_made_of_the_name(
    workspace: DendronAdapter, text: str, title: str
) -> None:
    assert workspace.parse("vault/some.long-name.md", text.encode()).title == title


def test_a_name_with_capitals_is_a_title_as_it_is(workspace: DendronAdapter) -> None:
    assert workspace.parse("vault/lang.TypeScript-ES6.md", b"").title == "TypeScript-ES6"


@pytest.mark.parametrize(
    ("settings", "folder"),
    [
        ("vaults:\n  - fsPath: old\n", "old"),
        ("workspace:\n  vaults:\n    - fsPath: .\n", ""),
        ("workspace:\n  vaults:\n    - fsPath: v\n      workspace: w\n", "w/v"),
        ("workspace:\n  vaults:\n    - fsPath: v\n      seed: org.s\n", "seeds/org.s/v"),
        *(("", "notes"), ("a: [", "notes"), ("- x", "notes"), ("vaults: 3", "notes")),
        ("workspace: {vaults: [x, {name: y}]}", "notes"),
    ],
)
def test_settings_of_every_age_and_of_none_say_where_notes_are(
    settings: str, folder: str, tmp_path: Path
) -> None:
    write(tmp_path, "dendron.yml", text=settings)
    write(tmp_path, "notes/root.md")
    assert [vault.folder for vault in read_settings(tmp_path).vaults] == [folder]


def test_a_vault_by_itself_takes_every_vaults_name_for_its_own(tmp_path: Path) -> None:
    write(tmp_path, "root.schema.yml", "root.md", "a.b.md")
    assert DendronAdapter.keeps(tmp_path)
    assert leads_to(DendronAdapter(tmp_path), "[[dendron://any/a.b]]", "root.md") == "a.b.md"


def test_how_it_is_read_hangs_on_where_its_notes_are(workspace: DendronAdapter) -> None:
    before = workspace.reads_as
    write(workspace.root, "dendron.yml", text=TWO_VAULTS)
    assert workspace.reads_as != before
