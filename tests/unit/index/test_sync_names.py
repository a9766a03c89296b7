"""Notes that are known by more than their paths, and files that are not what they seem."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.analysis.export import graph_json
from daemon.analysis.graph import unresolved
from tests.fakes.indexed_vault import IndexedVault
from vault_adapters.note import Role

UUID = "63a1b2c3-1111-2222-3333-444455556666"
CONFIG = "{:file/name-format :triple-lowbar}"


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[IndexedVault]:
    """A graph of Logseq's, whose links hang on what its pages say."""
    yield from opened(tmp_path, {"logseq/config.edn": CONFIG, "pages/source.md": "- [[Sea]]\n"})


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[IndexedVault]:
    yield from opened(
        tmp_path,
        {
            "dendron.yml": "workspace:\n  vaults:\n    - fsPath: v\n",
            "v/a.md": "[[shown|b.c]] #x #y @ann [[gone]]\n",
            "v/b.c.md": "",
            "v/tags.x.md": "",
        },
    )


def opened(folder: Path, files: dict[str, str]) -> Iterator[IndexedVault]:
    vault = IndexedVault(folder, folder / "vault")
    for path, text in files.items():
        vault.write(path, text)
    vault.reopen()
    yield vault
    vault.db.close()


def leads(vault: IndexedVault) -> list[str | None]:
    return [link.resolved for link in vault.notes.links() if link.source == "pages/source.md"]


def everything(vault: IndexedVault) -> list[Any]:
    return [vault.notes.all(), vault.notes.links(), vault.notes.names(), vault.notes.counts()]


def test_a_cold_sync_knows_names_that_are_read_after_the_links(graph: IndexedVault) -> None:
    graph.write("pages/z.md", "title:: Sea\n")
    graph.sync()
    assert leads(graph) == ["pages/z.md"]
    assert graph.notes.get("pages/z.md").names == ("title::Sea",)  # type: ignore[union-attr]


def test_a_link_follows_a_name_from_note_to_note(graph: IndexedVault) -> None:
    graph.write("pages/a.md", "alias:: sea\n")
    graph.write("pages/b.md", "- nothing\n")
    graph.sync()
    assert leads(graph) == ["pages/a.md"]
    graph.write("pages/b.md", "title:: Sea\n")
    assert graph.sync().changed == ("pages/b.md",)
    assert leads(graph) == ["pages/b.md"]
    graph.write("pages/b.md", "- nothing\n")
    graph.write("pages/a.md", "- nothing\n")
    graph.sync()
    assert leads(graph) == [None]


def test_a_block_that_moves_takes_its_references_along(graph: IndexedVault) -> None:
    graph.write("pages/source.md", f"- (({UUID}))\n")
    graph.write("pages/a.md", f"- block\n  id:: {UUID}\n")
    graph.write("pages/b.md", "- nothing\n")
    assert graph.sync().unresolved == 0
    graph.write("pages/a.md", "- nothing\n")
    graph.write("pages/b.md", f"- block\n  id:: {UUID}\n")
    graph.sync()
    assert leads(graph) == ["pages/b.md"]
    graph.delete("pages/b.md")
    graph.sync()
    assert leads(graph) == [None]
    assert unresolved(graph.notes.all(), graph.notes.links()) == ()


def test_names_come_out_the_same_from_a_cold_and_an_incremental_sync(
    graph: IndexedVault, tmp_path: Path
) -> None:
    graph.write("pages/a.md", f"alias:: sea\n\n- x\n  id:: {UUID}\n")
    graph.sync()
    graph.write("pages/b.md", f"title:: Sea\n\n- (({UUID}))\n")
    graph.sync()
    graph.move("pages/a.md", "pages/c.md")
    graph.write("pages/source.md", "- [[sea]] [[c]] [[a]]\n")
    graph.sync()
    cold = IndexedVault(tmp_path / "cold", graph.root)
    cold.sync()
    assert everything(cold) == everything(graph)
    cold.db.close()


def test_a_sync_that_died_before_links_followed_a_name_is_made_good(
    graph: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.write("pages/a.md", "- nothing\n")
    graph.sync()
    graph.write("pages/a.md", "title:: Sea\n")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(graph.syncer._links, "resolve_all", die)
    with pytest.raises(KeyboardInterrupt):
        graph.sync()
    monkeypatch.undo()
    graph.reopen()
    graph.sync()
    assert leads(graph) == ["pages/a.md"]


def test_other_settings_have_every_note_read_again(graph: IndexedVault) -> None:
    graph.write("pages/source.md", "author:: Ann, Bob\n")
    assert graph.sync().links == 0
    graph.write("logseq/config.edn", "{:property/separated-by-commas #{:author}}")
    assert graph.sync().links == 2


def test_a_tag_without_a_note_is_no_missing_note(workspace: IndexedVault) -> None:
    report = workspace.sync()
    assert (report.links, report.unresolved) == (5, 1)
    notes, links = workspace.notes.all(), workspace.notes.links()
    assert [found.target for found in unresolved(notes, links)] == ["gone"]
    reported = graph_json(notes, links)
    assert [(edge["target"], edge["kind"]) for edge in reported["edges"]] == [
        ("v/b.c.md", "link"),
        ("v/tags.x.md", "link"),
    ]
    assert [each["target"] for each in reported["unresolved"]] == ["gone"]


def test_what_is_known_of_an_evicted_note_is_kept(tmp_path: Path) -> None:
    vault = next(opened(tmp_path, {"a.md": "[[b]]", "b.md": "known text", "c.md": "[[d]]"}))
    vault.sync()
    before = everything(vault)
    vault.move("b.md", ".b.md.icloud")
    report = vault.sync()
    assert (report.removed, report.unresolved) == (0, 1)
    assert [(each.path, each.why) for each in report.skipped] == [
        ("b.md", "is in iCloud and not on this disk: its indexed content is kept")
    ]
    assert everything(vault) == before
    vault.move(".b.md.icloud", "b.md")
    vault.sync()
    assert everything(vault) == before
    vault.write(".d.md.icloud", "never seen, but it is there")
    assert vault.sync().unresolved == 0
    vault.db.close()


def test_a_copy_of_a_conflict_is_listed_and_not_read(tmp_path: Path) -> None:
    copy = "b.sync-conflict-20261121-101112-ABCDEFG.md"
    vault = next(opened(tmp_path, {"a.md": "[[b]]", "b.md": "one side"}))
    before = vault.sync()
    vault.write(copy, "the other side, with [[b]] and [[nowhere]]")
    report = vault.sync()
    assert (report.notes, report.links, report.chunks) == (2, 1, before.chunks)
    note = vault.notes.get(copy)
    assert note is not None
    assert (note.role, note.hash) == (Role.CONFLICT, "")
    assert copy not in {found.path for found in vault.search.search("the other side")}
    assert copy not in graph_json(vault.notes.all(), vault.notes.links())["nodes"]
    vault.delete(copy)
    vault.sync()
    assert vault.notes.get(copy) is None
    vault.db.close()
