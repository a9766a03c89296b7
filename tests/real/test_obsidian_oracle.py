"""Obsidian's own recorded answers."""

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vault_adapters import open_vault
from vault_adapters.links import LinkResolver
from vault_adapters.markdown import parse_note
from vault_adapters.note import LinkKind, Note

ORACLE = Path(__file__).resolve().parents[2] / "../shared/data/oracle"
TASKS = ORACLE / "obsidian_tasks_demo"
GARDEN = ORACLE / "oldwinter_2022"

pytestmark = pytest.mark.skipif(not ORACLE.is_dir(), reason="the recorded vaults are not there")

RECORDED = sorted(TASKS.glob("*.json"))

# Edges of notes that were edited after the graph was written: a plugin collects links between
# arrows in this note, and what it collected later is not in the recording.
BLAMED = {
    ("journals/外部资源的单向链接汇总.md", 33, "[[2022-05-11]]"),
    ("journals/外部资源的单向链接汇总.md", 53, "[[个人工作流]]"),
}


def recorded(file: Path) -> tuple[dict[str, Any], Note]:
    record = json.loads(file.read_text(encoding="utf-8"))
    return record, parse_note(record["filePath"], record["fileContents"].encode())


def written(note: Note, kind: LinkKind) -> list[tuple[str, int]]:
    return [(link.target + link.subpath, link.line) for link in note.links if link.kind == kind]


def places(found: list[dict[str, Any]], text: str) -> list[tuple[str, int]]:
    return [(each[text], each["position"]["start"]["line"]) for each in found]


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_a_note_is_read_as_obsidian_reads_it(file: Path) -> None:
    record, note = recorded(file)
    cache = record["cachedMetadata"]
    assert written(note, LinkKind.LINK) == places(cache.get("links", []), "link")
    assert written(note, LinkKind.EMBED) == places(cache.get("embeds", []), "link")
    assert [(x.text, x.line) for x in note.headings] == places(cache.get("headings", []), "heading")
    assert [x.level for x in note.headings] == [x["level"] for x in cache.get("headings", [])]
    assert [tag.name for tag in note.tags] == record["getAllTags"]
    assert [block.id for block in note.blocks] == list(cache.get("blocks", {}))
    assert dict(note.frontmatter) == cache.get("frontmatter", {})
    assert [
        (link.target + link.subpath, link.key)
        for link in note.links
        if link.kind == LinkKind.FRONTMATTER
    ] == [(link["link"], link["key"]) for link in cache.get("frontmatterLinks", [])]
    for link, want in zip(
        [link for link in note.links if link.kind == LinkKind.LINK and link.display is not None],
        [x for x in cache.get("links", []) if "|" in x["original"][3:] or "](" in x["original"]],
        strict=False,
    ):
        assert link.display == want["displayText"]


def test_links_resolve_like_in_obsidian_with_counts() -> None:
    resolved = json.loads((TASKS / "metadataCache/resolvedLinks.json").read_bytes())
    unresolved = json.loads((TASKS / "metadataCache/unresolvedLinks.json").read_bytes())
    resolver = LinkResolver({*resolved, *(to for edges in resolved.values() for to in edges)})
    assert len(RECORDED) == 89
    for file in RECORDED:
        _, note = recorded(file)
        leads, dangles = Counter[str](), Counter[str]()
        for link in note.links:
            path = resolver.resolve(link, note.path)
            if path is None:
                dangles[link.target] += 1
            else:
                leads[path] += 1
        assert leads == resolved[note.path]
        assert dangles == unresolved[note.path]


def test_the_graph_of_a_whole_vault_is_obsidians() -> None:
    want, got, may = _graphs()
    extra, missing = got - want, want - got - may
    assert 1 - len(extra) / len(got) >= 0.998
    assert 1 - len(missing) / len(want) >= 0.995


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(lambda text: unicodedata.normalize("NFD", text).encode(), id="NFD"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.encode(), id="byte order marks"),
    ],
)
def test_a_vault_in_another_form_has_the_same_graph(convert: Callable[[str], bytes]) -> None:
    vault = open_vault(GARDEN / "vault")
    files = [file.path for file in vault.scan().files]
    resolver = vault.resolver([unicodedata.normalize("NFD", path) for path in files])
    for path in filter(lambda path: path.endswith(".md"), files):
        data = vault.load(path)
        other = convert(data.decode("utf-8-sig").replace("\r\n", "\n"))
        assert [
            (link.target, link.kind, link.line, resolver.resolve(link, path))
            for link in vault.parse(path, other).links
        ] == [
            (link.target, link.kind, link.line, resolver.resolve(link, path))
            for link in vault.parse(path, data).links
        ]


def test_differences_due_to_later_edits_still_exist_and_are_few() -> None:
    for path, line, text in BLAMED:
        lines = (GARDEN / "vault" / path).read_text(encoding="utf-8").split("\n")
        assert lines[line - 1] == text
    assert len({path for path, _, _ in BLAMED}) < 0.01 * 462


def _graphs() -> tuple[set[tuple[str, str]], set[tuple[str, str]], set[tuple[str, str]]]:
    """Edges recorded, edges found, and edges that may be recorded or not (embeds, properties)."""
    table = (GARDEN / "obsidian_links.tsv").read_text(encoding="utf-8").splitlines()
    rows = [row.split("\t") for row in table]
    want = {(source, to) for source, _, to in rows if to.endswith(".md")}
    vault = open_vault(GARDEN / "vault")
    files = [file.path for file in vault.scan().files]
    resolver = vault.resolver(files)
    edges: defaultdict[bool, set[tuple[str, str]]] = defaultdict(set)
    for path in filter(lambda path: path.endswith(".md"), files):
        for link in vault.read(path).links:
            to = resolver.resolve(link, path)
            blamed = (path, link.line + 1, f"[[{link.target}]]") in BLAMED
            if to is not None and to.endswith(".md") and not blamed:
                edges[link.kind == LinkKind.LINK].add((path, to))
    return want, edges[True], edges[False]
