from collections.abc import Sequence
from pathlib import Path

import numpy as np

from daemon.analysis.pooling import chunk_vectors
from daemon.analysis.signals import SIGNALS, Signals
from tests.fakes.indexed_vault import IndexedVault


def signals_of(folder: Path, notes: dict[str, str]) -> Signals:
    vault = IndexedVault(folder)
    (vault.root / ".obsidian").mkdir(exist_ok=True)
    for path, text in notes.items():
        vault.write(path, text)
    vault.sync()
    found = vault.notes
    vectors = chunk_vectors(found, vault.embedder.model)
    return Signals(found.all(), found.links(), found.chunks(), vectors)


def column(signals: Signals, name: str, source: str, without: str | None = None) -> list[float]:
    found = signals.features(signals.ids[source], signals.ids[without] if without else None)
    values: list[float] = found[:, SIGNALS.index(name)].tolist()
    return values


def order(signals: Signals, name: str, source: str) -> Sequence[str]:
    values = column(signals, name, source)
    return sorted(signals.paths, key=lambda path: -values[signals.ids[path]])


def test_a_long_note_is_near_to_what_one_part_of_it_is_about(tmp_path: Path) -> None:
    parts = {
        "bees": "queen hive nectar comb swarm " * 16,
        "bread": "dough yeast oven crust flour " * 16,
        "tides": "moon ebb flood coast harbour " * 16,
    }
    notes = {f"{name}.md": text for name, text in parts.items()}
    notes["Long.md"] = "\n\n".join(f"## {name}\n\n{text}" for name, text in parts.items())
    notes["Else.md"] = "chalk violin rosin patience sun " * 16
    signals = signals_of(tmp_path, notes)
    assert order(signals, "part", "bees.md")[:2] == ["bees.md", "Long.md"]
    near = column(signals, "part", "Long.md")
    assert min(near[signals.ids[f"{name}.md"]] for name in parts) > near[signals.ids["Else.md"]]


def test_words_of_a_title_count_more_than_those_of_the_text(tmp_path: Path) -> None:
    filler = "some words that stand in most of these notes"
    notes = {
        "Ask.md": f"varroa {filler}",
        "Varroa.md": f"{filler} here",
        "Other.md": f"varroa {filler} here",
        "Third.md": filler,
        "Fourth.md": "something else entirely",
    }
    stated = column(signals_of(tmp_path, notes), "said", "Ask.md")
    paths = sorted(notes)
    assert stated[paths.index("Varroa.md")] > stated[paths.index("Third.md")]


def test_without_a_link_neither_its_text_nor_its_tie_is_seen(tmp_path: Path) -> None:
    notes = {
        "A.md": "see [[Wild yeast|the yeasts]] and [more](Wild%20yeast.md), or [[Crumb]]",
        "Wild yeast.md": "raises dough",
        "Crumb.md": "inside of bread",
        "D.md": "and [[Crumb]]",
    }
    signals = signals_of(tmp_path, notes)
    yeast, crumb = signals.ids["Wild yeast.md"], signals.ids["Crumb.md"]
    for name in ("named", "walk", "linked"):
        reported = column(signals, name, "A.md")
        untold = column(signals, name, "A.md", without="Wild yeast.md")
        assert reported[yeast] > untold[yeast] == 0
        assert untold[crumb] > 0
    assert not signals.may_be_new(signals.ids["A.md"])[yeast]
    assert signals.may_be_new(signals.ids["A.md"], yeast)[yeast]


def test_an_alias_and_a_title_of_its_own_are_names(tmp_path: Path) -> None:
    notes = {
        "a1.md": "---\naliases: [Varroa]\n---\nmite",
        "a2.md": "---\ntitle: Foul brood\n---\nbacteria",
        "Ask.md": "they fear varroa and foul brood",
        "Rest.md": "else",
    }
    named = column(signals_of(tmp_path, notes), "named", "Ask.md")
    assert [value > 0 for value in named] == [False, False, True, True]


def test_notes_that_nobody_counts_take_no_part(tmp_path: Path) -> None:
    signals = signals_of(tmp_path, {"A.md": "bees", "2026-01-02.md": "bees", "B.md": "bees"})
    assert signals.paths == ("A.md", "B.md")


def test_an_empty_note_is_like_no_other(tmp_path: Path) -> None:
    signals = signals_of(tmp_path, {"A.md": "", "B.md": "bees", "C.md": "bees too"})
    found = signals.features(signals.ids["A.md"])
    assert np.isfinite(found).all()
    assert found[:, SIGNALS.index("part")].tolist() == [0, 0, 0]
