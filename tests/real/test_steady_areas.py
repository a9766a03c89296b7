"""Areas and their names stay: from run to run, and when somebody edits one note a little."""

import shutil
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from statistics import mean

import pytest

from daemon.analysis.health import Health
from daemon.cycle.analysing import analyse_vault
from daemon.cycle.analysis_options import AnalysisOptions
from tests.fakes.indexed_vault import IndexedVault

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT / "../shared/data/vaults/jackyzha0/content"
TERMS = AnalysisOptions("fake", 0.8, 365, datetime(2026, 11, 21, tzinfo=UTC))

pytestmark = pytest.mark.timeout(300)

VAULTS = [
    pytest.param(ROOT / "sample_vault", "Sleep/Slow-wave sleep.md", id="sample"),
    pytest.param(
        REAL,
        "thoughts/Hyper Hyper Space.md",
        id="real",
        marks=pytest.mark.skipif(not REAL.is_dir(), reason="the real vault is not here"),
    ),
]


def copied(source: Path, folder: Path) -> IndexedVault:
    root = folder / "vault"
    shutil.copytree(source, root, copy_function=shutil.copyfile)
    vault = IndexedVault(folder, root)
    vault.sync()
    return vault


def health(vault: IndexedVault) -> Health:
    return analyse_vault(vault.notes, TERMS)


def label_of(found: Health) -> dict[str, str]:
    return {path: area.label for area in found.clusters for path in area.notes}


def share_that_stayed(before: Health, after: Health) -> float:
    """The share of notes that are still together with most of those they were together with."""
    home = {path: n for n, area in enumerate(after.clusters) for path in area.notes}
    stayed = 0
    for area in before.clusters:
        homes = [home[path] for path in area.notes if path in home]
        stayed += max(map(homes.count, set(homes)), default=0)
    return stayed / sum(len(area.notes) for area in before.clusters)


@pytest.mark.parametrize(("source", "edited"), VAULTS)
@pytest.mark.long(15)
def test_clusters_are_reproducible_and_stable_under_a_small_edit(
    tmp_path: Path, source: Path, edited: str
) -> None:
    vault = copied(source, tmp_path / "one")
    before = health(vault)
    assert before.clusters == health(copied(source, tmp_path / "other")).clusters
    text = (vault.root / edited).read_text(encoding="utf-8")
    vault.write(edited, f"{text}\n\nTo be continued.\n")
    vault.sync()
    after = health(vault)
    assert share_that_stayed(before, after) >= 0.95
    assert share_that_kept_its_name(before, after) >= 0.95
    vault.write(edited, text)
    vault.sync()
    assert health(vault).clusters == before.clusters


@pytest.mark.skipif(not REAL.is_dir(), reason="the real vault is not here")
@pytest.mark.long(22)
def test_adding_and_removing_notes_leaves_the_others_in_their_clusters(tmp_path: Path) -> None:
    vault = copied(REAL, tmp_path)
    before = health(vault)
    names, homes = [], []
    of = sorted(label_of(before), key=lambda path: blake2b(path.encode()).digest())
    for number, path in enumerate(of[:3]):
        text = (vault.root / path).read_text(encoding="utf-8")
        vault.delete(path)
        vault.sync()
        after = [health(vault)]
        vault.write(path, text)
        vault.write(f"new {number}.md", f"# New\n\n{text[:500]}\n\n[[{Path(path).stem}]]\n")
        vault.sync()
        after.append(health(vault))
        vault.delete(f"new {number}.md")
        vault.sync()
        homes += [share_that_stayed(before, each) for each in after]
        names += [share_that_kept_its_name(before, each) for each in after]
    # The embedder of the tests knows words only: they hold areas less firmly than a model does.
    assert mean(homes) >= 0.85
    assert mean(names) >= 0.82
    assert min(homes) >= 0.8
    assert min(names) >= 0.78


def share_that_kept_its_name(before: Health, after: Health) -> float:
    was, now = label_of(before), label_of(after)
    return sum(now.get(path) == label for path, label in was.items()) / len(was)
