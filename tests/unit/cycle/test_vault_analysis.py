"""A look that uses what earlier looks computed answers as a first look does."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from daemon.analysis import lexicon, meaning
from daemon.analysis.gap_queries import Queries
from daemon.analysis.health import Refused
from daemon.analysis.keep import health_to_json
from daemon.cycle import analysing as module
from daemon.cycle.analysing import DERIVED, analyse_vault
from daemon.cycle.analysis_options import AnalysisOptions
from daemon.model.agenda import Gap
from daemon.model.notes import LinkEnds
from daemon.store.derived import DerivedInMemory
from daemon.store.embeddings import EmbeddingStore
from daemon.store.generation import advance
from daemon.store.notes import NoteStore
from tests.fakes.indexed_vault import IndexedVault

TERMS = AnalysisOptions("fake", 0.8, 30, datetime(2026, 11, 22, tzinfo=UTC))
SUBJECTS = ("bees", "bread", "tides", "moons", "glaze", "moss")
FORM = "This page was made from the form of our group and is to be filled in by {}.\n\n"
QUOTED = ("蜜蜂之王", "蜜蜂王国")
NOTES = 80
WHALES_NOTE = "sea/Whales.md"
WHALES = "# Whales\n\nWhales sing songs that nobody here has written of.\n"


class Writer:
    """Writes notes that link, share forms and change; the same seed writes the same."""

    def __init__(self, vault: IndexedVault, seed: int) -> None:
        self.vault, self.random = vault, Random(seed)
        self.paths: list[str] = []
        self.made = 0
        for _ in range(NOTES):
            self.add()

    def add(self) -> None:
        subject, self.made = self.random.choice(SUBJECTS), self.made + 1
        self.paths.append(f"{subject}/{subject.title()} {self.made}.md")
        self.write(self.paths[-1])

    def write(self, path: str) -> None:
        words = [f"{path.partition('/')[0]}{self.random.randrange(12)}" for _ in range(30)]
        for _ in range(self.random.randrange(4)):
            other = self.random.choice(self.paths).rpartition("/")[2].removesuffix(".md")
            words[self.random.randrange(30)] = f"[[{other}]]"
        if self.random.random() < 0.2:
            words.append(
                f"[[Missing {self.random.randrange(6)}]] **蜜蜂{self.random.choice('之王')}**"
            )
        about = self.random.choice(("About", "About", f"{words[0].title()} and the sea", "Why?"))
        work = "---\ndoi: 10.1000/xyz\n---\n\n" if self.random.random() < 0.1 else ""
        form = FORM.format(self.random.choice(("all", "two"))) if self.random.random() < 0.3 else ""
        self.vault.write(path, f"{work}## {about}\n\n{form}{' '.join(words)}\n")

    def edit(self) -> None:
        self.write(self.random.choice(self.paths))

    def delete(self) -> None:
        self.vault.delete(self.paths.pop(self.random.randrange(len(self.paths))))

    def rename(self) -> None:
        place, self.made = self.random.randrange(len(self.paths)), self.made + 1
        new = f"{self.random.choice(SUBJECTS)}/Renamed {self.made}.md"
        self.vault.move(self.paths[place], new)
        self.paths[place] = new

    def many(self) -> None:
        for _ in range(NOTES // 4):
            self.edit()

    def change(self) -> None:
        change: Callable[[], None] = self.random.choice(
            (self.edit, self.edit, self.edit, self.add, self.delete, self.rename)
        )
        change()


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexedVault]:
    # As in a vault of thousands: a change does not affect what is computed from all notes.
    monkeypatch.setattr(meaning, "COMMON_FROM", 8)
    monkeypatch.setattr(meaning, "TIED_NEIGHBOURS", 12)
    monkeypatch.setattr(lexicon, "BACKGROUND_NOTES", 20)
    vault = IndexedVault(tmp_path)
    yield vault
    vault.db.close()


def first_look(vault: IndexedVault) -> str:
    """What is found where nothing is known yet."""
    return health_to_json(module.compute(vault.notes, TERMS, DerivedInMemory()))


@pytest.mark.parametrize(("seed", "known"), [(0, 20), (1, 20), (2, 2_000)])
def test_an_incremental_analysis_equals_a_full_one_after_any_change(
    vault: IndexedVault, seed: int, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexicon, "BACKGROUND_NOTES", known)
    writer = Writer(vault, seed)
    vault.sync()
    analyse_vault(vault.notes, TERMS)
    for step in range(7):
        for _ in range(step % 3 + 1):
            writer.change()
        if step == 4:
            writer.many()
        vault.sync()
        assert health_to_json(analyse_vault(vault.notes, TERMS)) == first_look(vault), (
            f"step {step}"
        )


def test_an_analysis_reads_only_the_texts_affected_by_a_change(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(vault, 3)
    path = next(path for path in writer.paths if "form" not in (vault.root / path).read_text())
    vault.sync()
    analyse_vault(vault.notes, TERMS)
    asked: list[set[str] | None] = []
    of_chunks = EmbeddingStore.of_chunks

    def recorded(self: EmbeddingStore, model: str, among: set[str] | None = None) -> object:
        asked.append(among)
        return of_chunks(self, model, among)

    monkeypatch.setattr(EmbeddingStore, "of_chunks", recorded)
    vault.write(path, WHALES)
    vault.sync()
    analyse_vault(vault.notes, TERMS)
    assert asked
    assert all(among is not None and len(among) < NOTES / 2 for among in asked)


def test_after_a_change_only_gaps_that_it_touches_get_their_queries_again(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(vault, 7)
    vault.sync()
    before = analyse_vault(vault.notes, TERMS)
    asked: list[Gap] = []
    ask = Queries.build

    def recorded(self: Queries, gap: Gap) -> Gap | Refused:
        asked.append(gap)
        return ask(self, gap)

    monkeypatch.setattr(Queries, "build", recorded)
    analyse_vault(vault.notes, TERMS)
    assert not asked
    writer.edit()
    vault.sync()
    analyse_vault(vault.notes, TERMS)
    assert 0 < len(asked) < len(before.gaps)


def test_a_note_that_comes_or_goes_has_few_texts_read_again(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexicon, "BACKGROUND_NOTES", 2_000)  # every note is one of them
    Writer(vault, 8)
    vault.sync()
    analyse_vault(vault.notes, TERMS)
    read: set[str] = set()
    terms = lexicon.Lexicon._terms

    def recorded(self: lexicon.Lexicon, path: str) -> dict[str, float]:
        read.add(path)
        return terms(self, path)

    monkeypatch.setattr(lexicon.Lexicon, "_terms", recorded)
    for text in (WHALES, None):
        read.clear()
        if text is None:
            vault.delete(WHALES_NOTE)
        else:
            vault.write(WHALES_NOTE, text)
        vault.sync()
        analyse_vault(vault.notes, TERMS)
        assert len(read) < NOTES / 2


@pytest.mark.parametrize("heading", ["## Zebrafish {}", "## Of {}"])
def test_a_query_is_made_again_when_what_it_was_checked_against_is_written_elsewhere(
    vault: IndexedVault, heading: str
) -> None:
    Writer(vault, 8)
    vault.sync()
    gaps = analyse_vault(vault.notes, TERMS).gaps
    for gap in gaps[:3]:
        vault.write("moss/Elsewhere.md", f"{heading.format(gap.query)}\n\n{gap.topic}\n")
        vault.sync()
        assert health_to_json(analyse_vault(vault.notes, TERMS)) == first_look(vault)


@pytest.mark.parametrize("damage", ["cut", "other rules", "deleted"])
def test_what_was_kept_and_is_not_whole_is_not_used(
    vault: IndexedVault, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Writer(vault, 4)
    vault.sync()
    found, kept = analyse_vault(vault.notes, TERMS), vault.db.path.with_name(DERIVED)
    if damage == "cut":
        kept.write_bytes(kept.read_bytes()[: kept.stat().st_size // 2])
    elif damage == "deleted":
        kept.unlink()
    else:
        with sqlite3.connect(kept) as connection:
            connection.execute("UPDATE pooled SET body = zeroblob(8)")
        monkeypatch.setattr("daemon.cycle.analysing.rules", lambda: "of another version")
    assert analyse_vault(vault.notes, TERMS) == found


@pytest.mark.parametrize("table", ["parts", "pooled", "texts", "terms", "wholes"])
@pytest.mark.parametrize("change", ["bit", "half", "text"])
def test_a_value_that_the_disk_changed_is_computed_again(
    vault: IndexedVault, table: str, change: str
) -> None:
    Writer(vault, 7)
    vault.sync()
    found, kept = analyse_vault(vault.notes, TERMS), vault.db.path.with_name(DERIVED)
    with sqlite3.connect(kept) as connection:
        rows = connection.execute(f"SELECT rowid, body FROM {table}").fetchall()
        for row, body in rows:
            at = len(body) // 2
            bit = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
            value = {"bit": bit, "half": body[:at], "text": "text"}[change]
            connection.execute(f"UPDATE {table} SET body = ? WHERE rowid = ?", (value, row))
        connection.execute("DELETE FROM runs")  # so that every other part is read
    assert rows
    assert analyse_vault(vault.notes, TERMS) == found
    assert analyse_vault(vault.notes, TERMS) == found


def test_an_analysis_of_a_changing_index_is_not_stored(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(vault, 5)
    vault.sync()
    analyse_vault(vault.notes, TERMS)
    kept = vault.db.path.with_name(DERIVED)
    writer.edit()
    vault.sync()
    before = rows_of(kept)
    links = NoteStore.link_ends

    def changed_meanwhile(self: NoteStore) -> LinkEnds:
        advance(self._db)
        return links(self)

    monkeypatch.setattr(NoteStore, "link_ends", changed_meanwhile)
    found = analyse_vault(vault.notes, TERMS)
    assert rows_of(kept) == before
    assert health_to_json(found) == first_look(vault)


def test_an_analysis_works_without_storage(
    vault: IndexedVault,
) -> None:
    Writer(vault, 6)
    vault.sync()
    found, kept = analyse_vault(vault.notes, TERMS), vault.db.path.with_name(DERIVED)
    kept.unlink()
    kept.mkdir()
    assert analyse_vault(vault.notes, TERMS) == found


def rows_of(database: Path) -> list[object]:
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT path, key FROM runs ORDER BY path").fetchall()
