"""A process killed in the middle of a sync loses nothing that was done."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.indexed_vault import IndexedVault

ROOT = Path(__file__).resolve().parents[3]
KILLS = 6
SCRIPT = """
import sys
from pathlib import Path
import daemon.index.embedding as embedding
import daemon.index.sync as sync
from tests.fakes.indexed_vault import IndexedVault
sync._NOTES_A_BATCH = embedding._TEXTS_A_BATCH = 5
vault = IndexedVault(Path(sys.argv[1]))
vault.sync(progress=lambda *step: print(*step, flush=True))
"""


def sync_and_kill(folder: Path, steps: int) -> bool:
    """Kill a syncing process after some of its steps; return whether it was still at work."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(steps):
            process.stdout.readline()
        process.kill()
    return process.returncode != 0


@pytest.mark.long(7)
def test_after_any_kill_the_next_sync_goes_on_to_the_same_index(tmp_path: Path) -> None:
    chance = random.Random(5)
    vault = IndexedVault(tmp_path)
    vault.db.close()
    for number in range(60):
        vault.write(f"{number}.md", f"note {number} links to [[{number * 7 % 80}]]\n")
    kills = [sync_and_kill(tmp_path, chance.randrange(12)) for _ in range(KILLS)]
    assert any(kills)
    vault.open()
    report = vault.sync()
    assert (report.notes, report.chunks, report.reused + report.embedded) == (60, 60, 60)
    cold = IndexedVault(tmp_path / "cold", root=vault.root)
    cold.sync()
    assert vault.notes.all() == cold.notes.all()
    assert vault.notes.links() == cold.notes.links()
    assert len(vault.vectors) == len(cold.vectors)
    for path in ("3.md", "44.md"):
        assert vault.search.search(f"note {path[:-3]}")[0].path == path
    vault.db.close()
    cold.db.close()
