import hashlib
from pathlib import Path

import pytest

from daemon.analysis.evaluate import Evaluation, Sample, Vault, evaluate
from daemon.analysis.suggest import Signal
from daemon.index.sync import Syncer
from daemon.model.errors import LacunaError, ModelError, StoppedError
from daemon.ports import Stop
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.indexed_vault import BEGINNING, IndexedVault

TOPICS = {
    "bees": "queen hive nectar comb swarm honey drone pollen brood wax",
    "bread": "dough yeast oven crust crumb flour steam rye loaf starter",
    "tides": "moon ebb flood coast harbour spring neap current chart buoy",
}


@pytest.fixture
def vault(tmp_path: Path) -> IndexedVault:
    """Notes on three topics, each linked to the next two of its own."""
    vault = IndexedVault(tmp_path)
    (vault.root / ".obsidian").mkdir()
    for topic, words in TOPICS.items():
        for n in range(8):
            reported = " ".join((words.split() * 2)[n : n + 6])
            links = " ".join(f"[[{topic}{(n + step) % 8}]]" for step in (1, 2))
            vault.write(f"{topic}{n}.md", f"{reported}\n\n{links}")
    vault.write("Alone.md", "violin rosin patience")
    vault.sync()
    return vault


def measured(
    vault: IndexedVault, folder: Path, sample: Sample, stop: Stop | None = None
) -> Evaluation:
    folder.mkdir(exist_ok=True)
    subject = Vault(
        vault.syncer._adapter,
        vault.notes,
        vault.embedder.model,
        lambda adapter, notes: Syncer(adapter, notes, None, vault.embedder),
    )
    return evaluate(
        subject,
        sample,
        folder,
        now=BEGINNING,
        progress=lambda *_: None,
        stop=stop or Stop(),
    )


def test_notes_on_one_topic_are_found_again(vault: IndexedVault, tmp_path: Path) -> None:
    found = measured(vault, tmp_path / "eval", Sample(share=0.25))
    assert (found.notes, found.links, len(found.hidden)) == (25, 48, 12)
    assert found.found(Signal.MEANING).recall == found.found(Signal.BOTH).recall == 1.0
    assert 0.2 < found.found(Signal.BOTH).mrr < 1.0


def test_ranks_are_counted_among_the_notes_that_are_not_linked(
    vault: IndexedVault, tmp_path: Path
) -> None:
    found = measured(vault, tmp_path / "eval", Sample(share=1.0))
    # With every link hidden all other notes are left to be ranked.
    assert max(found.ranks[Signal.MEANING]) <= 24
    assert min(found.ranks[Signal.MEANING]) == 1
    assert len(found.ranks[Signal.TEXT]) == len(found.hidden) == 48


def test_ranks_beyond_ten_count_nothing() -> None:
    made = Evaluation(3, 4, (), 0, {Signal.BOTH: (1, 2, 10, 11)}, {})
    assert made.found(Signal.BOTH).recall == 0.75
    assert made.found(Signal.BOTH).mrr == pytest.approx((1 + 0.5 + 0.1) / 4)


def test_only_what_a_hidden_link_stood_in_is_embedded(vault: IndexedVault, tmp_path: Path) -> None:
    vault.embedder.asked.clear()
    found = measured(vault, tmp_path / "eval", Sample(limit=3))
    assert 0 < found.embedded == len(vault.embedder.asked) <= 6


def test_neither_the_vault_nor_its_index_is_changed(vault: IndexedVault, tmp_path: Path) -> None:
    def state() -> tuple[str, ...]:
        files = sorted(path for path in vault.root.rglob("*") if path.is_file())
        dump = "\n".join(vault.db._connection.iterdump())
        return (*(path.read_text() for path in files), hashlib.sha256(dump.encode()).hexdigest())

    before = state()
    measured(vault, tmp_path / "eval", Sample(share=0.5))
    assert state() == before


def test_the_same_seed_measures_the_same(vault: IndexedVault, tmp_path: Path) -> None:
    one = measured(vault, tmp_path / "one", Sample(seed=1))
    assert one == measured(vault, tmp_path / "again", Sample(seed=1))
    assert one.hidden != measured(vault, tmp_path / "two", Sample(seed=2)).hidden


def test_the_text_of_a_hidden_link_is_not_read(vault: IndexedVault, tmp_path: Path) -> None:
    vault.write("Alone.md", "violin rosin patience [[bees0|queen hive nectar comb swarm honey]]")
    for n in range(1, 40):
        vault.write(f"violin{n}.md", "violin rosin patience")
    vault.sync()
    found = measured(vault, tmp_path / "eval", Sample(share=1.0))
    place = [(link.source, link.target) for link in found.hidden].index(("Alone.md", "bees0.md"))
    assert found.ranks[Signal.MEANING][place] > 10
    assert found.ranks[Signal.WORDS][place] > 10


def test_a_vault_without_links_cannot_be_measured(tmp_path: Path) -> None:
    vault = IndexedVault(tmp_path)
    vault.write("A.md", "alone")
    vault.sync()
    with pytest.raises(LacunaError, match="no links between notes to hide"):
        measured(vault, tmp_path / "eval", Sample())


def test_without_a_model_nothing_is_claimed(
    vault: IndexedVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ModelError("there is no model")

    monkeypatch.setattr(FakeEmbedder, "embed", fail)
    with pytest.raises(LacunaError, match="without a model: there is no model"):
        measured(vault, tmp_path / "eval", Sample())


def test_it_stops_when_it_is_asked_to(vault: IndexedVault, tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        measured(vault, tmp_path / "eval", Sample(), Stop(is_requested=True))
