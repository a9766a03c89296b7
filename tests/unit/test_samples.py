"""The sample vault and library hold every shape that the demo and other tests rely on."""

import json
import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
VAULT = ROOT / "sample_vault"
LIBRARY = ROOT / "sample_library"
APART = {"Templates", "Daily", "Archive"}  # folders whose notes take no part in analysis
WIKILINK = re.compile(r"!?\[\[([^\[\]|#]*)(#[^\[\]|]*)?(\|[^\[\]]*)?\]\]")
MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+\.md)\)")
FRONTMATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
SUBJECTS = {"Local-first": 14, "Sleep": 12, "Rust": 6, "Roof hives": 7}
REPEATS = {
    "caffeine-what-it-does.txt": "Sleep/Caffeine and adenosine.md",
    "sleep-regulation-in-two-processes.md": "Sleep/Two-process model of sleep.md",
    "strong-eventual-consistency-explained.html": "Local-first/Strong eventual consistency.md",
}


@cache
def notes() -> dict[str, str]:
    """Every Markdown file of the vault by its path in it."""
    return {
        path.relative_to(VAULT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(VAULT.rglob("*.md"))
    }


@cache
def counted() -> dict[str, str]:
    return {path: text for path, text in notes().items() if path.split("/")[0] not in APART}


def frontmatter(text: str) -> dict[str, Any] | None:
    """The properties of a note, {} when it has none, None when they are broken."""
    found = FRONTMATTER.match(text)
    if not found:
        return {}
    try:
        loaded = yaml.safe_load(found[1])
    except yaml.YAMLError:
        return None
    return loaded if isinstance(loaded, dict) else None


@cache
def names() -> dict[str, str]:
    """Every name a wikilink can use (stem or alias, lower case), to the path it leads to."""
    known = {Path(path).stem.lower(): path for path in notes()}
    for path, text in notes().items():
        aliases = (frontmatter(text) or {}).get("aliases") or []
        known.update({str(alias).lower(): path for alias in aliases})
    return known


def targets(text: str) -> list[str]:
    """What a note's links name: `[[target]]` and `](target.md)`, without folder and suffix."""
    wiki = [found[1].rstrip("\\").strip() for found in WIKILINK.finditer(text)]
    marked = [found[1].replace("%20", " ") for found in MARKDOWN_LINK.finditer(text)]
    return [Path(target).name.removesuffix(".md") for target in wiki + marked if target]


def edges(paths: Iterable[str]) -> set[tuple[str, str]]:
    """Links among `paths`, as pairs of paths, without links of a note to itself."""
    inside, known = set(paths), names()
    found = (
        (source, known.get(target.lower(), ""))
        for source in inside
        for target in targets(notes()[source])
    )
    return {(source, to) for source, to in found if to in inside and to != source}


def canvas() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((VAULT / "Ideas.canvas").read_text(encoding="utf-8"))
    return loaded


def sentences(text: str) -> set[str]:
    """Whole sentences of a text as plain words, markup taken away."""
    plain = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", r"\1", re.sub(r"<[^>]+>|[*_]", "", text))
    words = re.sub(r"\s+", " ", plain)
    return {part.strip() for part in re.split(r"(?<=[.:;])\s", words) if len(part) > 40}


def test_the_vault_holds_between_forty_and_sixty_notes() -> None:
    assert 40 <= len(notes()) <= 60


def test_note_names_are_unique_so_that_short_links_are_clear() -> None:
    stems = [Path(path).stem.lower() for path in notes()]
    apart = [stem for stem in stems if stem != "daily"]
    assert len(apart) == len(set(apart))


@pytest.mark.parametrize(("folder", "expected"), SUBJECTS.items())
def test_each_subject_has_its_notes(folder: str, expected: int) -> None:
    assert sum(path.startswith(f"{folder}/") for path in notes()) == expected


@pytest.mark.parametrize("folder", ["Local-first", "Sleep"])
def test_the_dense_clusters_are_well_linked(folder: str) -> None:
    paths = [path for path in notes() if path.startswith(f"{folder}/")]
    assert len(edges(paths)) >= 3 * len(paths)
    assert {path for edge in edges(paths) for path in edge} == set(paths)


def test_the_sparse_area_has_hardly_a_link() -> None:
    paths = [path for path in notes() if path.startswith("Roof hives/")]
    assert len(edges(paths)) == 1


def test_the_sparse_area_says_when_it_was_last_touched() -> None:
    hives = [text for path, text in notes().items() if path.startswith("Roof hives/")]
    assert {(frontmatter(text) or {})["updated"].year for text in hives} == {2022}


def test_at_least_five_notes_have_no_link_in_or_out() -> None:
    linked = {path for edge in edges(counted()) for path in edge}
    isolated = {path for path in set(counted()) - linked if not targets(notes()[path])}
    assert {"Leap seconds.md", "Café notes.md", "Why bread stales in the fridge.md"} <= isolated
    assert len(isolated) >= 5


def test_no_orphan_is_held_by_the_canvas_or_a_daily_note() -> None:
    named = {t for path, text in notes().items() if path not in counted() for t in targets(text)}
    assert named.isdisjoint({"Leap seconds", "Café notes", "Equal temperament"})


def test_six_targets_are_named_by_two_or_more_notes_and_by_no_file() -> None:
    missing = defaultdict(set)
    for path, text in counted().items():
        for target in targets(text):
            if target.lower() not in names() and "." not in target:
                missing[target].add(path)
    assert {target for target, who in missing.items() if len(who) >= 2} == {
        "End-to-end encrypted sync",
        "Oxalic acid in winter",
        "Phase response curve",
        "Rich-text CRDTs",
        "Structured concurrency",
        "Tombstone garbage collection",
    }


def test_headings_and_blocks_that_are_linked_to_exist() -> None:
    for text in notes().values():
        for target, subpath, _ in WIKILINK.findall(text):
            if subpath and (path := names().get(target.lower())):
                sub = subpath[1:]
                wanted = f" {sub}\n" if sub.startswith("^") else f"# {sub}\n"
                assert wanted in notes()[path], f"{target}{subpath}"


@pytest.mark.parametrize(
    "shape",
    [
        r"!\[\[Inspection app#What",  # a heading embedded
        r"!\[\[[^\]]+#\^",  # a block embedded
        r"!\[\[two-process\.png\]\]",  # an attachment embedded
        r"(?<!!)\[\[[^\]]+#\^",  # a link to a block
        r"\[\[Version vectors\|version vector\]\]",  # a link with other words
        r"\]\(Futures%20are%20lazy\.md\)",  # a Markdown link
        r"(?m)^#local-first/crdt$",  # a nested tag in the body
        r"\n```\n",  # code
        r"- \[ \] ",  # a task
    ],
)
def test_every_shape_of_markup_occurs(shape: str) -> None:
    assert any(re.search(shape, text) for text in counted().values())


def test_exactly_one_note_outside_the_templates_asks_for_research() -> None:
    asks = {path for path, text in notes().items() if re.search(r"(?m)^research:", text)}
    assert asks == {"Rust/Cooperative scheduling.md", "Templates/Research note.md"}
    assert (frontmatter(notes()["Rust/Cooperative scheduling.md"]) or {})["research"] is True


def test_the_template_still_has_its_placeholders() -> None:
    template = notes()["Templates/Research note.md"]
    assert "{{date}}" in template
    assert "{{title}}" in template


def test_one_note_outside_the_templates_has_broken_properties() -> None:
    broken = {path for path, text in counted().items() if frontmatter(text) is None}
    assert broken == {"Work/Sync server sizing.md"}
    assert "\t" in notes()["Work/Sync server sizing.md"]


def test_one_note_is_empty_and_one_is_a_stub() -> None:
    assert notes()["Untitled.md"] == ""
    assert len(notes()["Reading queue.md"].split()) < 30


def test_the_settings_of_obsidian_are_valid_json() -> None:
    app = json.loads((VAULT / ".obsidian/app.json").read_text(encoding="utf-8"))
    assert app["newLinkFormat"] == "shortest"
    assert app["userIgnoreFilters"] == ["Archive/"]
    daily = json.loads((VAULT / ".obsidian/daily-notes.json").read_text(encoding="utf-8"))
    templates = json.loads((VAULT / ".obsidian/templates.json").read_text(encoding="utf-8"))
    assert (daily["folder"], templates["folder"]) == ("Daily", "Templates")


def test_daily_notes_are_named_by_their_day() -> None:
    days = [path for path in notes() if path.startswith("Daily/")]
    assert len(days) >= 2
    assert all(re.fullmatch(r"Daily/2026-\d\d-\d\d\.md", path) for path in days)


def test_the_canvas_keeps_to_its_format() -> None:
    required = {"file": "file", "text": "text", "link": "url", "group": "label"}
    nodes = {node["id"]: node for node in canvas()["nodes"]}
    assert {node["type"] for node in nodes.values()} == set(required)
    for node in nodes.values():
        assert {"x", "y", "width", "height", required[node["type"]]} <= set(node)
    for edge in canvas()["edges"]:
        assert {edge["fromNode"], edge["toNode"]} <= set(nodes)


def test_every_file_on_the_canvas_exists() -> None:
    files = [node["file"] for node in canvas()["nodes"] if node["type"] == "file"]
    assert files
    assert all((VAULT / file).is_file() for file in files)


def test_the_picture_is_a_real_png() -> None:
    data = (VAULT / "Attachments/two-process.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    assert struct.unpack(">II", data[16:24]) == (480, 220)
    (crc,) = struct.unpack(">I", data[29:33])
    assert crc == zlib.crc32(data[12:29])


def test_the_library_holds_between_fifteen_and_twenty_five_documents_of_four_kinds() -> None:
    kinds = [path.suffix for path in LIBRARY.rglob("*") if path.is_file()]
    assert 15 <= len(kinds) <= 25
    assert set(kinds) == {".md", ".html", ".txt", ".pdf"}
    assert 3 <= kinds.count(".pdf") <= 5


@pytest.mark.parametrize("path", sorted(LIBRARY.rglob("*.pdf")), ids=lambda path: path.stem)
def test_every_pdf_begins_and_ends_like_one(path: Path) -> None:
    data = path.read_bytes()
    assert data.startswith(b"%PDF-1.")
    assert data.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("path", sorted(LIBRARY.rglob("*.html")), ids=lambda path: path.stem)
def test_every_page_has_a_frame_to_see_through(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    for part in ("<title>", "<nav", "<footer", "<script", "<main", "<h1>"):
        assert part in page


@pytest.mark.parametrize(("document", "note"), REPEATS.items())
def test_repeating_documents_say_what_a_note_says(document: str, note: str) -> None:
    reported = sentences((LIBRARY / document).read_text(encoding="utf-8"))
    assert len(reported & sentences(notes()[note])) >= 4


def test_no_other_document_repeats_a_note() -> None:
    known = {sentence for text in notes().values() for sentence in sentences(text)}
    for path in LIBRARY.rglob("*.[mht]*"):
        if path.name not in REPEATS:
            assert not sentences(path.read_text(encoding="utf-8")) & known, path.name


def test_one_saved_page_is_the_same_text_as_one_markdown_document() -> None:
    page = (LIBRARY / "saved-pages/when-a-tombstone-may-go.html").read_text(encoding="utf-8")
    original = (LIBRARY / "tombstones-and-causal-stability.md").read_text(encoding="utf-8")
    body = re.sub(r"[`*]", "", original.split("---\n", 2)[2])
    paragraphs = [part for part in body.split("\n\n") if part.strip()[:1] not in ("", "#")]
    shown = re.sub(r"<[^>]+>", "", page)
    assert all(paragraph.strip() in shown for paragraph in paragraphs)


@pytest.mark.parametrize(
    "weapon",
    [
        "gnore previous instructions",
        "[[Choosing a sync engine|approved]]",
        "![[Inspection app]]",
        "<% tp.file",
        "```dataviewjs",
        "<iframe",
        '<img src="https://',
        "\u200b",
        "<br>---</p>",
        "obsidian://",
        "display:none",
        "<!-- assistant",
        "<title>../../End-to-end encrypted sync | ",
    ],
)
def test_the_hostile_page_carries_every_weapon(weapon: str) -> None:
    assert weapon in (LIBRARY / "encrypted-sync.html").read_text(encoding="utf-8")
