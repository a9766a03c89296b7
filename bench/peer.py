"""The peer: obsidiantools, in an environment of its own in the cache, never in the project's."""

import json
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

_VERSION = "0.11.0"
_MEASURE = """
import json, logging, sys, time
from pathlib import Path
logging.disable()
import obsidiantools.api as peer
wall, cpu = time.perf_counter(), time.process_time()
vault = peer.Vault(Path(sys.argv[1])).connect()
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(json.dumps({"notes": len(vault.md_file_index), "wall": wall, "cpu": cpu}))
"""


def peer_python(cache: Path) -> Path | None:
    """The interpreter that has the peer, installed when it is not there; None without a network."""
    folder = cache / f"obsidiantools-{_VERSION}"
    python = folder / "bin/python"
    if python.exists():
        return python
    part = cache / ".obsidiantools.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        venv.create(part, with_pip=True)
        install = ["-m", "pip", "install", "--quiet", f"obsidiantools=={_VERSION}"]
        subprocess.run([part / "bin/python", *install], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"obsidiantools cannot be installed, so it is skipped: {error}", file=sys.stderr)
        return None
    part.rename(folder)
    return python


def connect(python: Path, vault: Path) -> dict[str, Any]:
    """Time `Vault(vault).connect()`, without imports.

    It is given notes only: it fails on a canvas without nodes, and reading fewer files is in its
    favour.
    """
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder:
        notes = Path(folder) / "vault"
        shutil.copytree(vault, notes, ignore=shutil.ignore_patterns("*.canvas"))
        command = [str(python), "-W", "ignore", "-c", _MEASURE, str(notes)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
