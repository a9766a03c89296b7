from pathlib import Path

import numpy as np
import pytest

from daemon.analysis.evaluate import suggester_of
from daemon.analysis.signals import SIGNALS
from daemon.analysis.suggest import DEFAULT_WEIGHTS, Example, Signal, Suggester, learned_weights
from tests.fakes.indexed_vault import IndexedVault

NOTES = {
    "Varroa.md": "A mite that lives on bees and their brood, and weakens the whole hive. [[Hive]]",
    "Hive.md": "Where bees live: combs, brood, honey and a queen. [[Queen]]",
    "Queen.md": "The mother of all bees in the hive, fed with royal jelly.",
    "Mites.md": "Small animals; the mite on bees and brood that beekeepers fear is called varroa.",
    "Rye.md": "A dark flour for dough that ferments for a long time. [[Starter]]",
    "Starter.md": "Flour and water that ferment until the dough rises. [[Rye]]",
    "Tide.md": "Ebb and flood, twice a day, after the moon.",
    "Daily.md": "Nothing of note.",
}


@pytest.fixture
def vault(tmp_path: Path) -> IndexedVault:
    vault = IndexedVault(tmp_path)
    for path, text in NOTES.items():
        vault.write(path, text)
    vault.sync()
    return vault


def found(vault: IndexedVault) -> Suggester:
    return suggester_of(vault.notes, vault.embedder.model)


def test_the_nearest_note_is_one_that_is_not_linked_yet(vault: IndexedVault) -> None:
    paths = [each.path for each in found(vault).nearest("Varroa.md", 10)]
    assert paths[0] == "Mites.md"
    assert "Hive.md" not in paths
    assert "Varroa.md" not in paths
    assert len(paths) == len(NOTES) - 2


def test_a_note_that_links_here_is_linked_too(vault: IndexedVault) -> None:
    assert "Rye.md" not in [each.path for each in found(vault).nearest("Starter.md", 10)]
    assert "Hive.md" not in [each.path for each in found(vault).nearest("Queen.md", 10)]


def test_what_links_say_counts_only_where_it_may(vault: IndexedVault) -> None:
    suggester = found(vault)
    signals = np.zeros((1, len(SIGNALS)), np.float32)
    signals[0, SIGNALS.index("walk")] = 1.0
    assert suggester.scores(signals, Signal.TEXT)[0] == 0
    assert suggester.scores(signals, Signal.BOTH)[0] == pytest.approx(suggester.weights["walk"])
    signals[0, SIGNALS.index("said")] = 1.0
    assert suggester.scores(signals, Signal.MEANING)[0] == 0
    assert suggester.scores(signals, Signal.WORDS)[0] == pytest.approx(DEFAULT_WEIGHTS["said"])


def test_the_same_vault_gives_the_same_suggestions(vault: IndexedVault, tmp_path: Path) -> None:
    cold = IndexedVault(tmp_path / "again", vault.root)
    cold.sync()
    for path in NOTES:
        assert found(vault).nearest(path, 5) == found(cold).nearest(path, 5)


def test_without_a_model_words_and_links_suggest(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path)
    for path, text in NOTES.items():
        vault.write(path, text)
    vault.sync(embed=False)
    assert found(vault).nearest("Varroa.md", 1)[0].path == "Mites.md"


def test_a_shared_template_does_not_make_notes_similar(tmp_path: Path) -> None:
    template = " ".join(f"please consider the word{n} when you fill in this page" for n in range(8))
    vault = IndexedVault(tmp_path)
    for place, (path, text) in enumerate(NOTES.items()):
        vault.write(path, f"{template}\n\n{text}" if place % 2 else text)
    vault.sync()
    assert found(vault).nearest("Varroa.md", 1)[0].path == "Mites.md"


def examples(column: int, count: int) -> list[Example]:
    """Choices among twenty notes that one signal alone explains."""
    random = np.random.default_rng(3)
    made = []
    for _ in range(count):
        rows = random.random((20, len(SIGNALS)), np.float32)
        made.append(Example(rows, int(rows[:, column].argmax())))
    return made


def test_what_explains_the_links_that_were_made_counts_more() -> None:
    usual = np.ones(len(SIGNALS))
    weights = learned_weights(examples(4, 60), usual)
    assert weights[4] > 5 * np.delete(weights, 4).max()
    assert (weights >= 0).all()


def test_a_few_links_hardly_move_the_usual_weights() -> None:
    usual = np.ones(len(SIGNALS))
    few, many = learned_weights(examples(4, 2), usual), learned_weights(examples(4, 60), usual)
    assert np.abs(few - usual).max() < 1.0 < np.abs(many - usual).max()
    assert learned_weights([], usual).tolist() == usual.tolist()
