"""What holds for every vault adapter."""

import os
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.vaults import SAMPLES, Sample
from vault_adapters import adapters, open_vault
from vault_adapters.base import (
    NotAFolderError,
    NoteError,
    UnreadableVaultError,
    VaultAdapter,
    VaultNotFoundError,
)
from vault_adapters.note import Link, LinkKind, Note, Role
from vault_adapters.wikilink import Linker

Edge = tuple[str, str, str, int, str | None]

# Signs that mean something to one of the tools or another.
_SIGNS = (
    *(
        "[[",
        "]]",
        "![[",
        "|",
        "#",
        "^",
        "((",
        "))",
        "{{embed ",
        "}}",
        "::",
        "@",
        "`",
        "```",
        "$",
        "$$",
    ),
    *(
        "---",
        "\n",
        "\r\n",
        "\t",
        "- ",
        "* ",
        "  ",
        "[",
        "](",
        ")",
        "]: ",
        "<!--",
        "-->",
        "%%",
        "%2F",
    ),
    *("#+BEGIN_SRC", "#+END_SRC", ":LOGBOOK:", ":END:", "dendron://", "tags:", "alias:: ", "id:: "),
    *(
        "63a1b2c3-1111-2222-3333-444455556666",
        "20260101120000",
        "note",
        "é",
        "🍀",
        "\0",
        "a.b",
        ".",
    ),
)


@pytest.fixture(params=tuple(adapters()), ids=lambda adapter: str(adapter.name))
def adapter(request: pytest.FixtureRequest) -> Callable[..., VaultAdapter]:
    made: Callable[..., VaultAdapter] = request.param
    return made


@pytest.fixture
def sample(adapter: type[VaultAdapter]) -> Sample:
    return SAMPLES[str(adapter.name)]


@pytest.fixture
def vault(adapter: Callable[..., VaultAdapter], sample: Sample, tmp_path: Path) -> VaultAdapter:
    sample.write(tmp_path)
    return adapter(
        tmp_path, templates=("Templates",), daily_notes=("Journal",), exclude=("Old", "archived")
    )


def write(vault: VaultAdapter, path: str, data: str | bytes) -> None:
    file = vault.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)


def paths(vault: VaultAdapter) -> list[str]:
    return [file.path for file in vault.scan().files]


def read_all(vault: VaultAdapter) -> dict[str, Note]:
    read = (Role.NOTE, Role.DAILY, Role.CANVAS, Role.TEMPLATE)
    return {file.path: vault.read(file.path) for file in vault.scan().files if file.role in read}


def graph(vault: VaultAdapter) -> list[Edge]:
    """Every link of the vault, with where it leads."""
    notes = read_all(vault)
    resolver = vault.resolver(paths(vault), {path: note.names for path, note in notes.items()})
    return [
        (path, link.kind.value, link.target, link.line, resolver.resolve(link, path))
        for path, note in notes.items()
        for link in note.links
    ]


def lead_from(vault: VaultAdapter, path: str) -> list[str | None]:
    return [edge[4] for edge in graph(vault) if edge[0] == path]


def test_every_file_has_a_role(vault: VaultAdapter, sample: Sample) -> None:
    roles = {file.path: file.role for file in vault.scan().files}
    assert ".hidden/h.md" not in roles
    assert {path: role for path, role in roles.items() if role is not Role.ATTACHMENT} == {
        sample.daily: Role.DAILY,
        sample.first: Role.NOTE,
        "Map.canvas": Role.CANVAS,
        sample.second: Role.NOTE,
        sample.excluded: Role.EXCLUDED,
        sample.template: Role.TEMPLATE,
    }
    assert roles[sample.image] is Role.ATTACHMENT


def test_a_note_is_read_completely(vault: VaultAdapter, sample: Sample) -> None:
    note = vault.read(sample.first)
    assert (note.path, note.title, note.text) == (sample.first, "First", sample.text)
    lines = sample.text.split("\n")
    heading = next(line for line in range(len(lines)) if "# Heading" in lines[line])
    assert 0 < note.body_line <= heading
    assert note.frontmatter["tags"] == ["one"]
    assert note.aliases == sample.aliases
    assert [tag.name for tag in note.tags] == list(sample.tags)
    assert [(found.text, found.level, found.line) for found in note.headings] == [
        ("Heading", 1, heading)
    ]
    assert [block.id for block in note.blocks] == [sample.block]
    assert note.trouble == ""


def test_links_have_the_positions_where_they_are_written(
    vault: VaultAdapter, sample: Sample
) -> None:
    note = vault.read(sample.first)
    lines = sample.text.split("\n")
    links = next(line for line in range(len(lines)) if "Links:" in lines[line])
    body = [link for link in note.links if link.line == links and link.kind is not LinkKind.TAG]
    assert [link.kind for link in body] == [
        *(LinkKind.LINK, LinkKind.LINK, LinkKind.EMBED, LinkKind.LINK)
    ]
    assert [link.display for link in body[:2]] == ["shown", "text"]
    above = [link for link in note.links if link.kind is LinkKind.FRONTMATTER]
    assert any("Second" in link.target for link in above) == sample.in_properties


def test_links_resolve_to_files(vault: VaultAdapter, sample: Sample) -> None:
    found = [path for path in lead_from(vault, sample.first) if path is not None]
    assert found == [
        *([sample.second] * sample.in_properties),
        *(sample.second, sample.second, sample.image, sample.first),
    ]
    assert lead_from(vault, "Map.canvas") == [sample.first]


def test_links_stored_as_text_resolve_to_the_same_files(
    vault: VaultAdapter, sample: Sample
) -> None:
    note = vault.read(sample.first)
    resolver = vault.resolver(paths(vault), {sample.first: note.names})
    for link in note.links:
        kept = Link(link.target, link.subpath, link.display, link.kind, link.line)
        assert resolver.resolve(kept, note.path) == resolver.resolve(link, note.path)


def test_links_to_missing_files_do_not_resolve(vault: VaultAdapter, sample: Sample) -> None:
    note, resolver = vault.read(sample.first), vault.resolver([sample.first])
    leads = {resolver.resolve(link, note.path) for link in note.links}
    assert leads <= {None, sample.first}


def test_link_targets_do_not_depend_on_the_order_of_paths(
    vault: VaultAdapter, sample: Sample
) -> None:
    for name in ("Same", "same", "Other"):
        write(vault, sample.note(name), sample.link("Same"))
        write(vault, f"{sample.folder}deep/{name}.md", sample.link("Other"))
    notes, known = read_all(vault), paths(vault)
    names = {path: note.names for path, note in notes.items()}
    found = []
    for seed in range(5):
        random.Random(seed).shuffle(known)
        resolver = vault.resolver(known, names)
        found.append(
            [resolver.resolve(link, path) for path, note in notes.items() for link in note.links]
        )
    assert all(each == found[0] for each in found)


def test_reading_and_parsing_can_be_done_separately(vault: VaultAdapter, sample: Sample) -> None:
    data = vault.load(sample.first)
    assert data == sample.text.encode()
    assert vault.parse(sample.first, data) == vault.read(sample.first)


def test_a_missing_note_is_a_one_line_error(vault: VaultAdapter) -> None:
    with pytest.raises(NoteError, match=r"^Notes/gone\.md: No such file"):
        vault.read("Notes/gone.md")


def test_reading_changes_nothing(vault: VaultAdapter) -> None:
    def stamps() -> list[tuple[str, int, int]]:
        return sorted(
            (str(path), path.stat().st_mtime_ns, path.stat().st_size)
            for path in vault.root.rglob("*")
        )

    before = stamps()
    graph(vault)
    assert stamps() == before


def test_the_reading_options_change_only_with_the_settings(vault: VaultAdapter) -> None:
    before = vault.reads_as
    graph(vault)
    assert vault.reads_as == before
    assert type(vault)(vault.root).reads_as == before  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "name",
    [
        "🍀 luck",
        "C# notes",
        "what?",
        "a*b",
        "dots..",
        "Été à Zürich",
        "日本語 ノート",
        "a (b)",
        "50%",
        "a~b",
    ],
)
def test_a_note_may_have_any_name(vault: VaultAdapter, sample: Sample, name: str) -> None:
    if any(sign in sample.unlinkable for sign in name):
        pytest.skip("this tool has no way to write a link to such a note")
    write(vault, sample.note(name), "")
    write(vault, sample.first, f"See {sample.link(name)}.")
    assert lead_from(vault, sample.first) == [sample.note(name)]


def test_unicode_forms_of_a_name_are_equal(vault: VaultAdapter, sample: Sample) -> None:
    nfc, nfd = (unicodedata.normalize(form, "Éclair é") for form in ("NFC", "NFD"))
    write(vault, sample.note(nfd), "")
    write(vault, sample.first, f"{sample.link(nfc)} and {sample.link(nfd)}")
    assert lead_from(vault, sample.first) == [sample.note(nfc)] * 2
    assert vault.load(sample.note(nfc)) == b""


def test_names_that_differ_only_in_case_are_two_notes(vault: VaultAdapter, sample: Sample) -> None:
    write(vault, sample.note("Twin"), "upper")
    write(vault, sample.note("twin"), "lower")
    if vault.load(sample.note("Twin")) == b"lower":
        pytest.skip("this file system knows only one of them")
    assert {sample.note("Twin"), sample.note("twin")} <= set(paths(vault))
    write(vault, sample.first, sample.link("twin"))
    (found,) = lead_from(vault, sample.first)
    assert found in (sample.note("Twin"), sample.note("twin"))


def test_a_name_shared_by_several_notes_resolves_to_one_of_them(
    vault: VaultAdapter, sample: Sample
) -> None:
    write(vault, sample.note("Same"), "")
    write(vault, f"{sample.folder}deep/Same.md", "")
    write(vault, sample.first, sample.link("Same"))
    assert lead_from(vault, sample.first) == [sample.note("Same")]


def test_links_written_by_lacuna_reach_every_note(vault: VaultAdapter, sample: Sample) -> None:
    for name in ("Same", "C# #1", "a [b]", "日本 語", "50%"):
        if not any(sign in sample.unlinkable for sign in name):
            write(vault, sample.note(name), "")
    write(vault, f"{sample.folder}deep/Same.md", "")
    for path, text in sample.called.items():
        write(vault, path, text)
    notes, every = read_all(vault), paths(vault)
    names = {path: note.names for path, note in notes.items()}
    link = Linker(every, vault.link_names(every, names))
    linked = [path for path in notes if not path.endswith(".canvas")]
    lines = [f"- {link(path)} — near in meaning" for path in linked]
    inbox = "Inbox/Research/2026-11-21 Finding.md"
    note = vault.parse(inbox, "\n".join(["# Finding", "", *lines]).encode())
    resolver = vault.resolver([*every, inbox], names)
    assert [resolver.resolve(each, inbox) for each in note.links] == linked


def test_the_note_behind_a_finding_is_linked_in_its_properties(
    vault: VaultAdapter, sample: Sample
) -> None:
    every = paths(vault)
    link = Linker(every, vault.link_names(every, {}))
    text = f"---\nbecause: {link.as_property(sample.second)}\n---\n"
    note = vault.parse("Inbox/F.md", text.encode())
    resolver = vault.resolver([*every, "Inbox/F.md"])
    leads = [resolver.resolve(each, note.path) for each in note.links]
    assert leads == [sample.second] * sample.in_properties


def test_symlink_loops_are_not_followed(vault: VaultAdapter, sample: Sample) -> None:
    before = paths(vault)
    (vault.root / "loop").symlink_to(vault.root)
    (vault.root / sample.folder / "self.md").symlink_to("self.md")
    (vault.root / "out").symlink_to(vault.root.parent)
    assert paths(vault) == before
    reported = {each.path for each in vault.scan().unreadable}
    assert reported == {"loop", "out", f"{sample.folder}self.md"}


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(lambda text: text.replace("\n", "\r").encode(), id="CR"),
        pytest.param(lambda text: unicodedata.normalize("NFD", text).encode(), id="NFD"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.encode(), id="byte order mark"),
        pytest.param(lambda text: ("\ufeff" + text).encode("utf-16-le"), id="UTF-16"),
    ],
)
def test_a_vault_in_another_form_has_the_same_graph(
    vault: VaultAdapter, sample: Sample, convert: Callable[[str], bytes]
) -> None:
    name = "Überblick è"
    write(vault, sample.note(name), f"{sample.link('First')}\n\n{sample.link(name)} end\n")
    write(vault, sample.first, f"{sample.text}\n{sample.link(name)}\n\n`[[code]]`\n")
    before = graph(vault)
    assert sum(edge[4] == sample.note(name) for edge in before) == 2
    for path in (sample.first, sample.second, sample.note(name)):
        write(vault, path, convert(vault.load(path).decode()))
    (vault.root / sample.note(name)).rename(
        vault.root / unicodedata.normalize("NFD", sample.note(name))
    )
    assert graph(vault) == before


@pytest.mark.parametrize(
    "name",
    [
        *(".First.md.swp", "First.md~", "#First.md#", ".#First.md", "4913", "~$First.docx"),
        *("~syncthing~First.md.tmp", ".syncthing.First.md.tmp", ".stversions/First.md"),
        *(".First.md.icloud", ".sync/a.md", ".trash/a.md", ".DS_Store", "First.md.!sync"),
        *("First.md.part", ".git/a.md", ".Trash-1000/files/a.md"),
    ],
)
def test_files_of_other_programs_are_ignored(
    vault: VaultAdapter, sample: Sample, name: str
) -> None:
    before = paths(vault)
    write(vault, f"{sample.folder}{name}", sample.text)
    assert paths(vault) == before
    assert vault.ignores(f"{sample.folder}{name}")


@pytest.mark.parametrize(
    "copy",
    [
        *(
            "{}.sync-conflict-20261121-101112-ABCDEFG.md",
            "{} (Ann's conflicted copy 2026-11-21).md",
        ),
        *(
            "{} (conflicted copy 2026-11-21 101112).md",
            "{} (Conflicted copy phone 202611211011).md",
        ),
        *("{} (SFConflict a@b.c 2026-11-21-10-11-12).md", "{}_PC_Nov-21-101112-2026_Conflict.md"),
    ],
)
def test_conflict_copies_are_listed_and_otherwise_ignored(
    vault: VaultAdapter, sample: Sample, copy: str
) -> None:
    path = copy.format(sample.first.removesuffix(".md"))
    before = graph(vault)
    write(vault, path, sample.text)
    assert vault.scan().conflicts == (path,)
    assert graph(vault) == before
    assert not vault.ignores(path)  # when it goes, `health` has to know


def test_a_vanished_vault_is_not_taken_for_an_empty_one(vault: VaultAdapter) -> None:
    vault.root.rename(vault.root.with_name(f"{vault.root.name}-away"))
    with pytest.raises(VaultNotFoundError):
        vault.scan()


@given(parts=st.lists(st.sampled_from(_SIGNS) | st.text(max_size=6), max_size=60), data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_note_content_can_be_read(parts: list[str], data: st.DataObject) -> None:
    made = data.draw(st.sampled_from(tuple(adapters())))
    vault = made(Path("nowhere"))
    raw = "".join(parts).encode("utf-8", "replace")
    note = vault.parse("folder/note.md", raw)
    resolver = vault.resolver(["folder/note.md", "a.b.md"], {"folder/note.md": note.names})
    last = note.text.count("\n")
    assert 0 <= note.body_line <= last + 1
    for link in note.links:
        assert 0 <= link.line <= last
        assert link.target == link.target.strip()
        assert resolver.resolve(link, "folder/note.md") in (None, "folder/note.md", "a.b.md")
    assert vault.parse("folder/note.md", raw) == note


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_kind_of_a_vault_is_detected_from_its_files(name: str, tmp_path: Path) -> None:
    SAMPLES[name].write(tmp_path)
    assert open_vault(tmp_path).name == name


def test_an_empty_folder_is_a_vault(tmp_path: Path) -> None:
    assert open_vault(tmp_path).name == "plain"
    for adapter in adapters():
        assert adapter(tmp_path).scan().files == ()


def test_a_folder_around_a_vault_is_read_like_the_vault(tmp_path: Path) -> None:
    (tmp_path / "content/.obsidian").mkdir(parents=True)
    assert open_vault(tmp_path).name == "obsidian"


def test_a_missing_vault_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        VaultNotFoundError, match=r"^the folder .*nowhere does not exist: check the path$"
    ):
        open_vault(tmp_path / "nowhere")


def test_a_vault_that_is_a_file_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    with pytest.raises(NotAFolderError, match=r"a\.md is a file: a vault is a folder"):
        open_vault(tmp_path / "a.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_vault_is_reported_in_one_line(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    with pytest.raises(UnreadableVaultError, match="cannot be read: permission denied"):
        open_vault(closed)
    closed.chmod(0o700)
