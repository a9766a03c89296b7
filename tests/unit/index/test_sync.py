"""Bringing the index up to date: exact, incremental, and safe to interrupt."""

import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.model.errors import ModelError, StoppedError, StoreError
from daemon.model.notes import StoredNote
from daemon.ports import Stop
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.indexed_vault import BEGINNING, IndexedVault
from vault_adapters.base import NoteError
from vault_adapters.note import Note, Role

LONG = "\n\n".join(
    f"Paragraph {number}. " + " ".join(f"word{number}x{n}" for n in range(70))
    for number in range(12)
)


def test_a_cold_sync_indexes_every_note(vault: IndexedVault) -> None:
    vault.write("A.md", "# Bees\nSee [[B]] and [[Nowhere]].\n")
    vault.write("folder/B.md", "---\ntags: [x]\naliases: Bee\n---\nHoney.\n")
    vault.write("picture.png", b"\x89PNG")
    report = vault.sync()
    assert (report.notes, report.links, report.unresolved) == (2, 2, 1)
    assert (report.chunks, report.embedded, report.reused) == (2, 2, 0)
    assert report.changed == ("A.md", "folder/B.md")
    assert [link.resolved for link in vault.notes.links()] == ["folder/B.md", None]
    assert [note.role for note in vault.notes.all()] == [Role.NOTE, Role.NOTE, Role.ATTACHMENT]


HOSTILE = "---\nblob: {}\n---\nWords.\n"


@pytest.mark.parametrize(
    "blob", ["0x" + "f" * 3_600, "0o" + "7" * 4_700, "[[0x" + "f" * 3_600 + "]]"]
)
def test_a_huge_number_in_the_frontmatter_does_not_stop_a_sync(
    vault: IndexedVault, blob: str
) -> None:
    vault.write("A.md", "one")
    vault.write("B.md", HOSTILE.format(blob))
    report = vault.sync()
    assert (report.notes, report.skipped) == (2, ())
    assert [note.trouble for note in vault.notes.all()] == ["", ""]
    assert vault.sync().changed == ()


def test_a_file_from_the_year_2400_does_not_stop_a_sync(vault: IndexedVault) -> None:
    vault.write("A.md", "one")
    os.utime(vault.root / "A.md", (13_600_000_000, 13_600_000_000))
    assert vault.sync().notes == 1


def test_a_note_that_no_parser_survives_is_its_own_failure(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("A", "B", "C"):
        vault.write(f"{name}.md", f"note {name}")
    parse = vault.syncer._adapter.parse

    def fail(path: str, data: bytes) -> Note:
        if path == "B.md":
            raise RecursionError("too deep")
        return parse(path, data)

    monkeypatch.setattr(vault.syncer._adapter, "parse", fail)
    report = vault.sync()
    assert [(each.path, "too deep" in each.why) for each in report.skipped] == [("B.md", True)]
    assert {chunk.note for chunk in vault.notes.chunks()} == {"A.md", "C.md"}
    assert vault.sync().changed == ()
    monkeypatch.undo()
    vault.write("B.md", "mended")
    assert vault.sync().skipped == ()


def test_a_note_that_cannot_be_stored_is_its_own_failure(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "note A")
    vault.write("B.md", "note B")
    put = vault.notes.put

    def fail(batch: Sequence[StoredNote], check: Callable[[], None] = lambda: None) -> None:
        if any(each.path == "B.md" and each.chunks for each in batch):
            raise OverflowError("too large for SQLite")
        put(batch, check)

    monkeypatch.setattr(vault.notes, "put", fail)
    report = vault.sync()
    assert [each.path for each in report.skipped] == ["B.md"]
    assert [chunk.note for chunk in vault.notes.chunks()] == ["A.md"]


def test_a_second_sync_reads_nothing_and_embeds_nothing(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "one")
    vault.sync()

    def refuse(path: str) -> bytes:
        raise AssertionError(path)

    monkeypatch.setattr(vault.syncer._adapter, "load", refuse)
    report = vault.sync()
    assert (report.changed, report.embedded, report.reused) == ((), 0, 1)
    assert vault.embedder.asked == []


def test_a_vault_that_was_read_again_leaves_no_marks_in_the_full_text_index(
    vault: IndexedVault,
) -> None:
    for n in range(8):
        vault.write(f"{n}.md", f"{LONG} note {n}")
        vault.write(f"{n}a.png", b"p")
        vault.write(f"{n}b.png", b"p")
    vault.sync()
    pieces = "SELECT count(DISTINCT segid) FROM chunk_words_idx"
    size = "SELECT sum(length(block)) FROM chunk_words_data"
    as_new = vault.db.value(size)
    vault.write("0.md", "edited")
    vault.sync()
    assert vault.db.value(pieces) > 1
    vault.notes.outdate_all()
    vault.sync()
    assert vault.db.value(pieces) == 1
    assert vault.db.value(size) <= as_new
    assert vault.notes.by_words("edited", 5)


def test_a_full_text_index_that_cannot_be_tidied_is_no_trouble(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    vault.write("A.md", "[[B]]")
    vault.sync()
    vault.write("B.md", "bees")

    def refuse() -> None:
        raise StoreError("lacuna.db: database or disk is full")

    monkeypatch.setattr(vault.notes, "tidy", refuse)
    vault.notes.outdate_all()
    assert vault.sync().embedded == 1
    assert [link.resolved for link in vault.notes.links()] == ["B.md"]
    assert "disk is full" in caplog.text


def test_a_note_has_the_words_of_its_body(vault: IndexedVault) -> None:
    vault.write(".obsidian/templates.json", '{"folder": "Templates"}')
    vault.write("Templates/T.md", "---\ntitle: not of the body\n---\nOne two.\n")
    vault.write("Code.md", "One two.\n\n```\n" + "three four five\n" * 1_000 + "```\n")
    vault.sync()
    words = {note.path: note.words for note in vault.notes.all()}
    assert words == {"Templates/T.md": 2, "Code.md": 2 + 3_000 + 2}


def test_a_touched_note_is_not_parsed_again(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "one")
    vault.sync()
    vault.touch("A.md")

    def refuse(path: str, data: bytes) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(vault.syncer._adapter, "parse", refuse)
    assert vault.sync().changed == ()
    assert vault.notes.all()[0].changed_at == BEGINNING + timedelta(minutes=2)


def test_a_renamed_note_keeps_its_embeddings(vault: IndexedVault) -> None:
    vault.write("A.md", LONG)
    vault.write("B.md", "[[A]]")
    vault.sync()
    vault.move("A.md", "deep/New name.md")
    report = vault.sync()
    assert report.renamed == (("A.md", "deep/New name.md"),)
    assert (report.changed, report.removed, report.embedded) == ((), 0, 0)
    assert report.unresolved == 1
    assert vault.notes.get("A.md") is None
    assert "deep/New name.md" in vault.notes.note_vectors("fake")


def test_a_moved_folder_re_embeds_nothing_and_links_follow(vault: IndexedVault) -> None:
    for name in "abc":
        vault.write(f"old/{name}.md", f"text of {name} [[a]]")
    vault.sync()
    vault.move("old", "new")
    report = vault.sync()
    assert report.renamed == tuple((f"old/{n}.md", f"new/{n}.md") for n in "abc")
    assert (report.embedded, report.unresolved) == (0, 0)
    assert {link.resolved for link in vault.notes.links()} == {"new/a.md"}


def test_one_changed_paragraph_embeds_one_chunk(vault: IndexedVault) -> None:
    vault.write("A.md", LONG)
    assert vault.sync().embedded == 12
    vault.write("A.md", LONG.replace("word3x20", "another word"))
    report = vault.sync()
    assert (report.embedded, report.reused) == (1, 11)
    assert report.changed == ("A.md",)


def test_an_undo_embeds_nothing(vault: IndexedVault) -> None:
    vault.write("A.md", "first")
    vault.sync()
    vault.write("A.md", "second")
    vault.sync()
    vault.write("A.md", "first")
    assert vault.sync().embedded == 0


def test_a_deleted_note_is_forgotten_and_its_links_dangle(vault: IndexedVault) -> None:
    vault.write("A.md", "[[B]]")
    vault.write("B.md", "bees")
    vault.sync()
    vault.delete("B.md")
    report = vault.sync()
    assert (report.notes, report.removed, report.unresolved) == (1, 1, 1)
    assert vault.notes.by_words("bees", 10) == []


def test_a_new_note_resolves_the_links_that_waited_for_it(vault: IndexedVault) -> None:
    vault.write("A.md", "[[B]]")
    assert vault.sync().unresolved == 1
    vault.write("B.md", "here")
    assert vault.sync().unresolved == 0


def test_a_note_edited_twice_within_the_clock_s_grain_is_seen(vault: IndexedVault) -> None:
    vault.write("A.md", "one")
    stat = (vault.root / "A.md").stat()
    just_then = BEGINNING + timedelta(minutes=1, seconds=1)
    vault.sync(now=just_then)
    with (vault.root / "A.md").open("r+b") as file:
        file.write(b"two")
    os.utime(vault.root / "A.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert vault.sync().changed == ("A.md",)
    assert [chunk.text for chunk in vault.notes.chunks()] == ["two"]


def test_a_pending_finding_is_listed_but_takes_no_part(vault: IndexedVault) -> None:
    finding = "---\nlacuna_id: f1\nstatus: {}\n---\nBees dance. [[A]]\n"
    vault.write("A.md", "[[Finding]]")
    vault.write("Finding.md", finding.format("pending"))
    report = vault.sync()
    row = vault.notes.get("Finding.md")
    assert row is not None
    assert row.role is Role.OWN
    assert row.frontmatter["lacuna_id"] == "f1"
    assert (report.links, report.chunks) == (1, 1)
    vault.write("Finding.md", finding.format("accepted"))
    assert vault.sync().links == 2
    assert vault.notes.by_words("dance", 5)
    row = vault.notes.get("Finding.md")
    assert row is not None
    assert row.role is Role.NOTE


def test_templates_are_listed_but_not_searched(vault: IndexedVault) -> None:
    vault.write(".obsidian/templates.json", '{"folder": "Templates"}')
    vault.reopen()
    vault.write("Templates/Daily.md", "bees")
    vault.sync()
    assert [note.role for note in vault.notes.all()] == [Role.TEMPLATE]
    assert vault.notes.by_words("bees", 5) == []


def test_a_note_that_gets_another_role_is_read_again(vault: IndexedVault) -> None:
    vault.write(".obsidian/app.json", "{}")
    vault.write("T/Daily.md", "bees")
    vault.reopen()
    vault.sync()
    vault.write(".obsidian/templates.json", '{"folder": "T"}')
    report = vault.sync()
    assert (report.chunks, report.changed) == (0, ())


def test_an_unreadable_note_is_named_and_tried_again(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> bytes:
        raise NoteError(f"{path}: permission denied")

    vault.write("A.md", "bees")
    vault.write("B.md", "[[A]]")
    with monkeypatch.context() as patch:
        patch.setattr(vault.syncer._adapter, "load", refuse)
        report = vault.sync()
    assert [each.path for each in report.skipped] == ["A.md", "B.md"]
    report = vault.sync()
    assert (report.skipped, report.changed, report.unresolved) == ((), ("A.md", "B.md"), 0)
    assert vault.notes.by_words("bees", 5)


def test_a_note_that_vanishes_while_it_is_read_is_no_trouble(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "bees")
    load = vault.syncer._adapter.load

    def vanish(path: str) -> bytes:
        vault.delete(path)
        return load(path)

    monkeypatch.setattr(vault.syncer._adapter, "load", vanish)
    report = vault.sync()
    assert (report.notes, report.skipped) == (0, ())


def test_a_problem_in_a_note_is_reported_at_every_sync(vault: IndexedVault) -> None:
    vault.write("A.md", "---\na: [\n---\ntext")
    assert [each.path for each in vault.sync().skipped] == ["A.md"]
    assert [each.path for each in vault.sync().skipped] == ["A.md"]


def test_a_stop_keeps_what_was_done_and_the_next_sync_goes_on(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.index.sync._NOTES_A_BATCH", 2)
    for number in range(7):
        vault.write(f"{number}.md", f"note {number} [[0]]")
    stop = Stop()

    def progress(done: int, total: int, what: str) -> None:
        stop.is_requested = done >= 4

    with pytest.raises(StoppedError):
        vault.sync(progress=progress, stop=stop)
    assert len(vault.notes.all()) == 4
    report = vault.sync()
    assert len(report.changed) == 3
    assert (report.notes, report.unresolved, report.embedded) == (7, 0, 7)


def test_a_stop_while_one_enormous_note_is_written_waits_for_no_end_of_it(
    vault: IndexedVault,
) -> None:
    vault.write("0.md", "a note")
    vault.sync()
    vault.write("Many.md", "[[0]] " * 5_000)
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        stop.is_requested = asked > 6

    stop = Stop()
    with stop.calling(check), pytest.raises(StoppedError):
        vault.sync(stop=stop)
    assert asked == 7
    assert [row.path for row in vault.notes.all()] == ["0.md"]
    vault.sync()
    assert [row.path for row in vault.notes.all()] == ["0.md", "Many.md"]


def test_a_stop_while_embedding_keeps_the_batches_that_were_done(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.index.embedding._TEXTS_A_BATCH", 2)
    for number in range(5):
        vault.write(f"{number}.md", f"note {number}")
    stop = Stop()

    def progress(done: int, total: int, what: str) -> None:
        stop.is_requested = what == "embedding" and done >= 4

    with pytest.raises(StoppedError):
        vault.sync(progress=progress, stop=stop)
    assert vault.sync().embedded == 1


def test_links_are_right_after_an_interruption_and_a_return(vault: IndexedVault) -> None:
    vault.write("A.md", "[[B]]")
    vault.sync()
    vault.write("B.md", "new")
    vault.write("A.md", "[[B]] again")
    stop = Stop()

    def progress(done: int, total: int, what: str) -> None:
        stop.is_requested = True

    with pytest.raises(StoppedError):
        vault.sync(progress=progress, stop=stop)
    vault.delete("B.md")
    vault.reopen()
    assert vault.sync().unresolved == 1


def test_progress_counts_up_to_the_total(vault: IndexedVault) -> None:
    for number in range(3):
        vault.write(f"{number}.md", f"note {number}")
    seen: list[tuple[int, int, str]] = []
    vault.sync(progress=lambda *step: seen.append(step))
    assert seen[0] == (3, 3, "reading")
    assert seen[-1] == (3, 3, "embedding")


def test_without_embedding_the_words_are_indexed(vault: IndexedVault) -> None:
    vault.write("A.md", "bees")
    report = vault.sync(embed=False)
    assert (report.embedded, report.reused, report.chunks) == (0, 0, 1)
    assert vault.notes.by_words("bees", 5)
    assert vault.embedder.asked == []
    assert vault.sync().embedded == 1


def test_a_missing_model_leaves_the_words_indexed_and_says_why(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ModelError("no such model")

    vault.write("A.md", "bees")
    monkeypatch.setattr(vault.embedder, "embed", fail)
    report = vault.sync()
    assert (report.trouble, report.changed, report.embedded) == ("no such model", ("A.md",), 0)


def test_another_model_embeds_again_and_the_first_is_kept(vault: IndexedVault) -> None:
    vault.write("A.md", "bees")
    vault.sync()
    first = vault.embedder
    vault.embedder = FakeEmbedder("another")
    vault.reopen()
    assert vault.sync().embedded == 1
    vault.embedder = first
    vault.reopen()
    assert vault.sync().embedded == 0
    assert len(vault.vectors) == 1


def test_a_new_version_parses_every_note_but_reports_no_change(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "bees")
    vault.sync()
    monkeypatch.setattr("daemon.index.sync._INDEX_VERSION", "2")
    vault.db.execute("UPDATE notes SET title = 'as another version saw it'")
    report = vault.sync()
    assert (report.changed, report.embedded) == ((), 0)
    assert vault.notes.all()[0].title == "A"


def test_frontmatter_of_any_kind_is_kept(vault: IndexedVault) -> None:
    vault.write("A.md", "---\nday: 2026-01-02\n1: {a: [b, 1.5, null, true]}\n---\n")
    vault.sync()
    note = vault.notes.get("A.md")
    assert note is not None
    assert note.frontmatter["1"] == {"a": ["b", 1.5, None, True]}
    assert str(note.frontmatter["day"]).startswith("2026-01-02")


def test_nothing_in_the_vault_is_changed(vault: IndexedVault, tmp_path: Path) -> None:
    vault.write("A.md", "bees")
    before = [(p, p.stat().st_mtime_ns) for p in sorted(vault.root.rglob("*"))]
    vault.sync()
    assert [(p, p.stat().st_mtime_ns) for p in sorted(vault.root.rglob("*"))] == before


def test_a_finding_that_left_the_inbox_counts_though_its_status_still_says_pending(
    vault: IndexedVault,
) -> None:
    text = "---\ntype: finding\nlacuna_id: f-1\nstatus: pending\n---\nAbout bread.\n"
    vault.write("Inbox/Found.md", text)
    vault.sync()
    assert vault.notes.all()[0].role is Role.OWN
    vault.move("Inbox/Found.md", "Bread.md")
    vault.sync()
    assert vault.notes.all()[0].role is Role.NOTE
    assert vault.notes.chunks("Bread.md")


def test_an_agenda_that_left_the_inbox_is_still_ours(vault: IndexedVault) -> None:
    vault.write("Agenda.md", "---\ntype: agenda\nlacuna_id: a-1\nstatus: done\n---\nDone.\n")
    vault.sync()
    assert vault.notes.all()[0].role is Role.OWN
