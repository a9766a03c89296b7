"""Over a long history of a vault, the index that is kept up to date equals a new one.

The short form plays some operations on the sample vault. The long one: HISTORY_OPERATIONS=3000, on
the vault that HISTORY_VAULT names (it is copied); HISTORY_SEED plays another history.
"""

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from daemon.cycle.analysing import analyse_vault
from daemon.cycle.vault_analysis import VaultAnalysis
from daemon.store.findings import FindingStore
from daemon.store.healths import HealthStore
from tests.fakes.history import History
from tests.fakes.indexed_vault import BEGINNING, IndexedVault, holdings
from vault_adapters.note import Role

pytestmark = pytest.mark.timeout(7200)

ROOT = Path(__file__).resolve().parents[3]
OPERATIONS = int(os.environ.get("HISTORY_OPERATIONS", "150"))
VAULT = Path(os.environ.get("HISTORY_VAULT", ROOT / "sample_vault"))
SEED = int(os.environ.get("HISTORY_SEED", "0"))
CHECKS = 5 if OPERATIONS < 1000 else 25
QUERIES = ("bees", "latency octave", "日本語", "later", "ke*", "the")


@pytest.mark.long(6)
def test_a_long_history_ends_in_the_index_that_a_cold_start_makes(tmp_path: Path) -> None:
    shutil.copytree(VAULT, tmp_path / "vault", symlinks=True, copy_function=shutil.copyfile)
    vault = IndexedVault(tmp_path)
    vault.sync()
    chance = random.Random(SEED)
    history = History(vault, chance)
    every = moves = 0
    for number in range(1, OPERATIONS + 1):
        history.go_on()
        if chance.random() < 0.3 or number % (OPERATIONS // CHECKS) == 0:
            before = _searched(vault)
            embedded = _sync(vault, chance)
            every += embedded
            if history.moved_only and _searched(vault) <= before:  # none was excluded before
                assert embedded == 0, history.done
                moves += 1
            history.moved_only = True
            history.done.clear()
        if number % (OPERATIONS // CHECKS) == 0:
            _is_as_cold(vault, tmp_path / f"cold {number}", f"operation {number}, seed {SEED}")
    assert every > 0
    assert moves > 0
    vault.db.close()


def _sync(vault: IndexedVault, chance: random.Random) -> int:
    """Sync in one of the ways in which that comes about; return how many texts were embedded."""
    how = chance.random()
    if how < 0.1:
        vault.reopen()  # what happened before was while the daemon was off
    return vault.sync_reported().embedded if how < 0.7 else vault.sync().embedded


def _searched(vault: IndexedVault) -> set[str]:
    """The contents that a search goes through."""
    roles = (Role.NOTE, Role.DAILY, Role.CANVAS)
    return {row.hash for row in vault.notes.all() if row.role in roles}


def _is_as_cold(vault: IndexedVault, folder: Path, when: str) -> None:
    cold = IndexedVault(folder, root=vault.root)
    cold.sync()
    kept, again = holdings(vault, QUERIES), holdings(cold, QUERIES)
    for part in kept:
        assert kept[part] == again[part], f"{part} after {when}"
    assert _health(vault) == _health(cold), when
    cold.db.close()
    shutil.rmtree(folder)


def _health(vault: IndexedVault) -> Any:
    analysis = VaultAnalysis(
        vault.notes,
        FindingStore(vault.db),
        HealthStore(vault.db),
        model="fake",
        meaning_similarity=0.8,
        stale_days=365,
        analyse=analyse_vault,
    )
    return analysis.health(BEGINNING).as_dict()
