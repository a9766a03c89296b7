"""Whatever happens to a vault, the index kept up to date equals a new one."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.model.errors import StoppedError
from daemon.model.finding import FindingState, FindingStatus
from daemon.ports import Stop
from tests.fakes.indexed_vault import IndexedVault, holdings

NAMES = ["A", "B", "Ä b", "c.d", "日本語", "Index", "e"]
FOLDERS = ["", "one/", "one/two/", "three/", "Inbox/"]
ENDINGS = [".md", ".md", ".md", ".md", ".canvas", ".png"]
QUERIES = ["honey", "bees dance", "日本", "Index", "para*"]


def contents(chance: random.Random) -> str:
    links = [
        f"[[{chance.choice(FOLDERS)}{chance.choice(NAMES)}]]" for _ in range(chance.randrange(3))
    ]
    parts = [
        *chance.sample(
            [
                "---\nlacuna_id: x\nstatus: pending\n---",
                "---\nlacuna_id: y\ntype: finding\nstatus: pending\n---",
                "---\ntags: [a]\n---",
                "",
                "",
            ],
            1,
        ),
        *chance.sample(["# Honey", "## Bees dance", "日本語のノート", "para " * 80, "", "x"], 3),
        *links,
    ]
    return "\n\n".join(parts)


def act(vault: IndexedVault, chance: random.Random) -> None:
    files = sorted(p.relative_to(vault.root).as_posix() for p in vault.root.rglob("*.*"))
    path = chance.choice(FOLDERS) + chance.choice(NAMES) + chance.choice(ENDINGS)
    deed = chance.choice([*["write"] * 3, "edit", "move", "copy", "delete", "touch", "decide"])
    if deed == "write" or not files:
        vault.write(path, contents(chance))
        return
    file = chance.choice(files)
    if deed == "decide":
        where = chance.choice([file, f"Inbox/{chance.choice(NAMES)}.md"])
        standing = FindingState(chance.choice(list(FindingStatus)), where)
        vault.decided[chance.choice("xy")] = standing
    elif deed == "edit":
        vault.write(file, (vault.root / file).read_text() + "\nmore honey")
    elif deed == "move":
        vault.move(file, path)
    elif deed == "copy":
        vault.write(path, (vault.root / file).read_bytes())
    elif deed == "delete":
        vault.delete(file)
    else:
        vault.touch(file)


def stop_somewhere(vault: IndexedVault, chance: random.Random) -> None:
    """Sync, stop it after some steps, and begin a new process."""
    stop, left = Stop(), chance.randrange(1, 4)

    def progress(done: int, total: int, what: str) -> None:
        nonlocal left
        left -= 1
        stop.is_requested = left <= 0

    try:
        vault.sync(progress=progress, stop=stop)
    except StoppedError:
        vault.reopen()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
@pytest.mark.long(10)
def test_the_index_equals_a_cold_one_after_any_history(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("daemon.index.sync._NOTES_A_BATCH", 2)
        patch.setattr("daemon.index.embedding._TEXTS_A_BATCH", 3)
        folder = tmp_path_factory.mktemp("vault")
        vault = IndexedVault(folder)
        for _ in range(chance.randrange(1, 8)):
            for _ in range(chance.randrange(1, 6)):
                act(vault, chance)
            deed = chance.choice(
                ["sync", "sync", "reported", "reported", "stop", "words", "none", "reopen"]
            )
            if deed == "stop":
                stop_somewhere(vault, chance)
            elif deed == "words":
                vault.sync(embed=False)
            elif deed == "reopen":
                vault.reopen()
            elif deed == "reported":
                vault.sync_reported()
            elif deed == "sync":
                vault.sync()
                maybe_tear(vault.vectors.path, chance)
        vault.sync_reported() if chance.random() < 0.5 else vault.sync()
        cold = IndexedVault(folder / "cold", root=vault.root)
        cold.decided = vault.decided
        cold.sync()
        assert holdings(vault, QUERIES) == holdings(cold, QUERIES)
        vault.db.close()
        cold.db.close()


def maybe_tear(path: Path, chance: random.Random) -> None:
    """Now and then the file of vectors is cut, or gone."""
    if path.exists() and chance.random() < 0.2:
        path.write_bytes(path.read_bytes()[: chance.randrange(100)])
    elif path.exists() and chance.random() < 0.1:
        path.unlink()
